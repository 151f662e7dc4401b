"""`benchchecker evaluate completion`: a completion benchmark on repositories that a model has seen or not."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.options import Data
from engine.cli.probing import (
    ANSWERS,
    Address,
    Again,
    Answers,
    Concurrency,
    Folder,
    KeyVariable,
    Kind,
    Limit,
    Model,
    PerMinute,
    Prices,
    Reached,
    Recorded,
    Served,
    Yes,
    ask_all,
    open_target,
)
from engine.paths import DATA_DIR

if TYPE_CHECKING:
    from engine.probing.queries import Query
    from engine.statistics.proportions import Interval, Proportion


def completion(
    samples: Annotated[Path, typer.Argument(help="Samples in RepoBench's format, JSON lines or Parquet.")],
    model: Model,
    target: Reached = Kind.COMPLETION,
    served: Served = None,
    base_url: Address = None,
    key_variable: KeyVariable = "OPENAI_API_KEY",
    folder: Folder = None,
    recorded: Recorded = None,
    concurrency: Concurrency = 8,
    per_minute: PerMinute = None,
    prices: Prices = None,
    budget: Limit = None,
    yes: Yes = False,
    ask_again: Again = False,
    answers: Answers = ANSWERS,
    data: Data = DATA_DIR,
) -> None:
    """Measure the exact match of next lines, in repositories that the probe calls present and in others.

    The verdicts are those that `probe --record` wrote; a repository without one counts as unknown.
    """
    from engine.evaluation.completion import LINE, matches_by_repository, pooled, read_line_samples

    by_repository: dict[str, list[Query]] = defaultdict(list)
    for sample in read_line_samples(samples).strict().rows:
        by_repository[sample.repo_name].append(sample.query)
    asked = open_target(
        target, served or model, base_url, key_variable, folder, recorded, concurrency, per_minute
    )
    found = ask_all(asked, dict(by_repository), LINE, answers, prices, budget, yes=yes, ask_again=ask_again)
    outcomes = [outcome for rows in found.values() for outcome in rows]
    shares = matches_by_repository(outcomes, chats=asked.chats)
    _print(pooled(shares, _verdicts(data, model)), len(outcomes))


def _verdicts(data: Path, model: str) -> dict[str, str]:
    from engine.store.facts import read_facts

    rows = read_facts(data, "repository_presence")
    return {row["repository"]: row["verdict"] for row in rows if row["model"] == model}


def _print(groups: dict[str, Proportion], asked: int) -> None:
    from rich.console import Console
    from rich.table import Table

    from engine.statistics.proportions import newcombe_difference

    table = Table(title="Next lines written exactly (95% intervals)")
    for title in ("repository", "matches", "samples", "rate"):
        table.add_column(title, justify="left" if title == "repository" else "right")
    for verdict, share in sorted(groups.items()):
        table.add_row(verdict, f"{share.k:,}", f"{share.n:,}", _rate(share))
    Console().print(table)
    unanswered = asked - sum(share.n for share in groups.values())
    if unanswered:
        typer.echo(f"without an answer, and counted neither way: {unanswered:,} (ask again with --ask-again)")
    if "present" in groups and "not shown" in groups:
        present, other = groups["present"], groups["not shown"]
        ends = _ends(newcombe_difference(present, other))
        typer.echo(f"present minus not shown: {_difference(present, other)}{ends}")
    else:
        typer.echo(
            "no comparison: it needs a repository of these samples that is present and one that is not shown "
            "in the facts (`benchchecker probe --record` writes them)"
        )


def _rate(share: Proportion) -> str:
    return "–" if share.rate is None else f"{share.rate:.1%}{_ends(share.wilson())}"


def _difference(first: Proportion, second: Proportion) -> str:
    if first.rate is None or second.rate is None:
        return "–"
    return f"{100 * (first.rate - second.rate):+.1f} points"


def _ends(interval: Interval | None) -> str:
    return "" if interval is None else f" [{interval.low:.1%}, {interval.high:.1%}]"
