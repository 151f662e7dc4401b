"""`benchchecker evaluate repositories`: Stage I on models whose training data is known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.options import Data, read_share
from engine.paths import CACHE_DIR, DATA_DIR

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engine.evaluation.membership.plan import Plan
    from engine.evaluation.membership.tables import Row
    from engine.probing.reference import Reference
    from engine.statistics.proportions import Interval

_NEUTRAL = 300_000
"""Characters of each repository whose text only makes the tokenizer."""


def repositories(
    repos: Annotated[Path, typer.Argument(help="Folder of bare repositories of like size and age.")],
    neutral: Annotated[
        Path, typer.Option(help="Folder of further ones, whose text only makes the tokenizer.")
    ],
    work: Annotated[Path, typer.Option(help="Folder of models, queries, answers and results.")] = CACHE_DIR
    / "membership",
    members: Annotated[int, typer.Option(min=2, help="Members, and as many others beside them.")] = 8,
    seeds: Annotated[int, typer.Option(min=1, help="Splits, with a training of each kind.")] = 3,
    kind: Annotated[
        list[str] | None, typer.Option(help="scratch or finetuned; repeatable (default: both).")
    ] = None,
    temperature: Annotated[float, typer.Option(help="Whose answers are shown.")] = 1.0,
    p0: Annotated[
        float | None,
        typer.Option(
            "--p0", callback=read_share, help="Hit rate of unseen repositories (default: calibrated)."
        ),
    ] = None,
    record: Annotated[bool, typer.Option(help="Write the results into the facts.")] = False,
    data: Data = DATA_DIR,
) -> None:
    """Train small models on some repositories, and measure whether Stage I and logits tell which.

    It takes hours without a graphics card. Interrupted, it goes on after the last finished piece.
    """
    from engine.evaluation.membership.cases import cases
    from engine.evaluation.membership.experiment import (
        Laboratory,
        read_asked,
        read_scored,
        read_transferred,
    )
    from engine.evaluation.membership.facts import write_facts, write_lines
    from engine.evaluation.membership.plan import Plan
    from engine.evaluation.membership.tables import tables
    from engine.evaluation.membership.texts import split
    from engine.probing.reference.dictionary import shipped_dictionary
    from engine.problems import BenchCheckerError

    default = Plan()
    plan = Plan(
        members=members,
        seeds=tuple(range(1, seeds + 1)),
        trainings=tuple(one for one in default.trainings if not kind or one.kind in kind),
    )
    reference = shipped_dictionary()
    shares = _shares(repos, plan, reference, work)
    needed = 2 * members + 2
    if len(shares) < needed:
        raise BenchCheckerError(
            f"{repos} has {len(shares)} repositories whose {plan.characters:,} characters of Python give "
            f"{plan.least_queries} queries; "
            f"{needed} are needed: {2 * members} to measure and at least 2 for P0"
        )
    tokenizer = _neutral_texts(neutral, work)
    laboratory = Laboratory(plan, shares, tokenizer, reference, work, typer.echo)
    laboratory.run()
    queries = laboratory.scored_queries()
    splits = {seed: split(list(shares), plan, seed) for seed in plan.seeds}
    asked, scored = read_asked(work, queries), read_scored(work)
    _print(tables(cases(asked, scored, splits, temperature, p0)))
    if record:
        for path in write_facts(data / "experiment", asked, scored, splits):
            typer.echo(path)
        typer.echo(write_lines(data / "experiment", read_transferred(work), splits))


def _shares(repos: Path, plan: Plan, reference: Reference, work: Path) -> dict[str, dict[str, str]]:
    """Return the share of each repository that has enough text and queries, by name."""
    from engine.evaluation.membership.texts import share_of
    from engine.probing.mining import mine
    from engine.probing.mining.miner import distinctive

    found = {}
    for name, texts in _sources(repos, work):
        share = share_of(texts, plan.characters, distinctive(reference, name))
        size, queries = sum(map(len, share.values())), len(mine(share, name, reference))
        if size < 0.9 * plan.characters or queries < plan.least_queries:
            typer.echo(f"{name}: left out: {size:,} characters, {queries} queries", err=True)
        else:
            found[name] = share
    return found


def _sources(repos: Path, work: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each repository in a folder with its sources."""
    from engine.history.errors import HistoryError
    from engine.history.repository import RepositoryHistory
    from engine.probing.mining import snapshot_texts
    from engine.probing.reference.corpus import find_repositories

    for located in find_repositories(repos, {}):
        try:
            history = RepositoryHistory.open(located.path, cache_dir=work / "history")
            yield located.repository, snapshot_texts(history)
        except HistoryError as error:
            typer.echo(f"{located.repository}: left out: {error}", err=True)


def _neutral_texts(repos: Path, work: Path) -> list[str]:
    """Return the start of every repository, as much of each."""
    found: list[str] = []
    for _, texts in _sources(repos, work):
        whole = "\n".join(text for path, text in texts.items() if path.endswith(".py"))
        found.append(whole[:_NEUTRAL])
    return found


def _print(rows: Sequence[Row]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title="Membership known: Stage I and logits (95% intervals, clustered by repository)")
    for title in ("training", "dose", "method", "AUC", "TPR", "FPR"):
        table.add_column(title)
    for row in rows:
        auc = "–" if row.auc is None else f"{row.auc:.3f}{_ends(row.auc_interval)}"
        rates = [
            f"{share.k}/{share.n}{_ends(interval)}"
            for share, interval in ((row.members, row.members_interval), (row.others, row.others_interval))
        ]
        table.add_row(row.training, str(row.dose), row.method, auc, *rates)
    console = Console(width=140)
    console.print(table)
    console.print("Baselines have the threshold that is best on the very repositories measured, per model.")


def _ends(interval: Interval | None) -> str:
    return "" if interval is None else f" [{interval.low:.2f}, {interval.high:.2f}]"
