"""What `probe` and `calibrate` share: the options that reach a model, and the asking itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.options import read_amount
from engine.paths import CACHE_DIR

if TYPE_CHECKING:
    from engine.probing.asking import Outcome, Progress
    from engine.probing.queries import Query
    from engine.probing.targets.protocol import Decoding, Target

ANSWERS = CACHE_DIR / "probing" / "answers"
"""Where answers are kept, unless a command is told otherwise."""


class Kind(StrEnum):
    """How a model is reached."""

    CHAT = "chat"
    COMPLETION = "completion"
    LOCAL = "local"
    RECORDED = "recorded"


QueryFiles = Annotated[
    list[Path], typer.Argument(help="Query sets made by `mine`, of one or more repositories.")
]
Model = Annotated[str, typer.Option(help="The model's key in the registry, or any name.")]
Reached = Annotated[Kind, typer.Option("--target", help="How the model is reached.")]
Served = Annotated[str | None, typer.Option(help="The provider's name of the model (default: --model).")]
Address = Annotated[str | None, typer.Option(help="Address of the endpoint, up to /v1.")]
KeyVariable = Annotated[str, typer.Option(help="Environment variable that holds the key.")]
Folder = Annotated[Path | None, typer.Option(help="A local model: a folder in transformers' format.")]
Recorded = Annotated[Path | None, typer.Option(help="Recorded answers, JSON lines.")]
Candidates = Annotated[int, typer.Option(min=1, help="Continuations of each query.")]
Temperature = Annotated[float, typer.Option(min=0.0, help="Sampling temperature.")]
MaxTokens = Annotated[int, typer.Option(min=1, help="Longest continuation in tokens.")]
Concurrency = Annotated[int, typer.Option(min=1, help="Requests in flight at once.")]
PerMinute = Annotated[
    float | None, typer.Option(callback=read_amount, help="Most requests started in a minute.")
]
Prices = Annotated[Path | None, typer.Option(help="TOML file of prices.")]
Limit = Annotated[
    float | None,
    typer.Option("--budget", callback=read_amount, help="The most to spend; needs --prices."),
]
Again = Annotated[bool, typer.Option(help="Ask once more what failed or was lost in an interruption.")]
Yes = Annotated[bool, typer.Option("--yes", help="Ask a paid model without a budget.")]
Record = Annotated[bool, typer.Option(help="Write the result into the facts.")]
Answers = Annotated[Path, typer.Option(help="Folder of the stored answers.")]


def read_query_files(files: Sequence[Path]) -> dict[str, list[Query]]:
    """Return the queries of files by repository, each once: twice the same is no more evidence.

    Raises:
        BenchCheckerError: If a file is missing, broken or empty.
    """
    from engine.probing.queries import read_queries
    from engine.problems import BenchCheckerError

    found: dict[str, list[Query]] = {}
    met: set[tuple[str, str]] = set()
    again = 0
    for file in files:
        if not file.is_file():
            raise BenchCheckerError(f"{file}: no such query set (make one with `benchchecker mine`)")
        for query in read_queries(file).strict().rows:
            if (query.repository, query.key) not in met:
                found.setdefault(query.repository, []).append(query)
            else:
                again += 1
            met.add((query.repository, query.key))
    if not found:
        raise BenchCheckerError("the query sets hold no query")
    if again:
        typer.echo(f"{again:,} queries are there a second time: each counts once", err=True)
    return found


def open_target(
    kind: Kind,
    served: str,
    base_url: str | None,
    key_variable: str,
    folder: Path | None,
    recorded: Path | None,
    concurrency: int,
    per_minute: float | None,
) -> Target:
    """Return the model that the options name."""
    if kind is Kind.LOCAL:
        from engine.probing.causal import load_causal
        from engine.probing.targets.local import LocalModel

        return LocalModel(load_causal(folder))
    if kind is Kind.RECORDED:
        from engine.probing.targets.recorded import read_answers
        from engine.probing.targets.replay import Replay

        if recorded is None or not recorded.is_file():
            raise typer.BadParameter("name the file of answers", param_hint="recorded")
        loaded = read_answers(recorded).strict()
        return Replay(served, {answer.key: answer for answer in loaded.rows}, chats=True)
    from engine.probing.targets.endpoint import Endpoint

    return Endpoint(
        served,
        base_url,
        chats=kind is Kind.CHAT,
        key_variable=key_variable,
        concurrency=concurrency,
        per_minute=per_minute,
    )


def ask_all(
    target: Target,
    by_repository: dict[str, list[Query]],
    decoding: Decoding,
    folder: Path,
    prices: Path | None,
    limit: float | None,
    *,
    yes: bool,
    ask_again: bool,
) -> dict[str, list[Outcome]]:
    """Say what it would cost, ask, and return the outcomes by repository."""
    from engine.probing.asking import probe as ask
    from engine.probing.asking import unasked
    from engine.probing.pricing import Budget, estimate, read_price

    queries = [query for found in by_repository.values() for query in found]
    price = read_price(prices, target.name) if prices is not None else None
    planned = estimate(unasked(target, queries, decoding, folder, ask_again=ask_again), decoding, price)
    cost = "" if planned.cost is None else f", at most {planned.cost:.2f} {planned.currency}"
    typer.echo(
        f"{planned.requests:,} requests, about {planned.prompt_tokens:,} tokens read, at most "
        f"{planned.completion_tokens:,} written{cost}"
    )
    if limit is not None and price is None:
        raise typer.BadParameter("a budget needs --prices", param_hint="budget")
    if target.paid and planned.requests and limit is None and not yes:
        raise typer.BadParameter("this may cost money: set --budget with --prices, or say --yes")
    each = (planned.cost or 0.0) / max(planned.requests, 1)
    budget = None if price is None or limit is None else Budget(price, limit, each)
    spend = (lambda answer: None) if budget is None else budget.spend
    with _progress() as progress:
        outcomes = ask(target, queries, decoding, folder, ask_again=ask_again, spend=spend, progress=progress)
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.query.repository, []).append(outcome)
    return found


@contextmanager
def _progress() -> Iterator[Progress]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    columns = (TextColumn("queries"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeLeft())
    with Progress(*columns) as bar:
        task = bar.add_task("probe", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def source_of(target: Target, decoding: Decoding) -> str:
    """Return how a model was asked, for readers of the facts."""
    return f"{target.name}, {decoding.candidates} candidates at temperature {decoding.temperature:g}"


def record_probe_run(
    data: Path,
    command: str,
    model: str,
    queries: Sequence[Path],
    decoding: Decoding,
    output: Path,
    started: datetime,
) -> None:
    """Record what made `output`."""
    from engine.store.provenance import record_run

    inputs: dict[str, Path | str] = {file.name: file for file in queries}
    configuration = {"model": model, "decoding": asdict(decoding)}
    record_run(data, f"{command} --model {model}", configuration, inputs, [output], started_at=started)
