"""`benchchecker calibrate`: how often a model completes queries by chance."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.options import Data, read_day
from engine.cli.probing import (
    ANSWERS,
    Address,
    Again,
    Answers,
    Candidates,
    Concurrency,
    Folder,
    KeyVariable,
    Kind,
    Limit,
    MaxTokens,
    Model,
    PerMinute,
    Prices,
    QueryFiles,
    Reached,
    Record,
    Recorded,
    Served,
    Temperature,
    Yes,
    ask_all,
    open_target,
    read_query_files,
    record_probe_run,
    source_of,
)
from engine.paths import DATA_DIR

if TYPE_CHECKING:
    from engine.probing.queries import Query


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("calibrate")(calibrate)


def calibrate(
    queries: QueryFiles,
    model: Model,
    repos: Annotated[Path, typer.Option(help="Folder of the repositories' histories, which date them.")],
    target: Reached = Kind.CHAT,
    served: Served = None,
    base_url: Address = None,
    key_variable: KeyVariable = "OPENAI_API_KEY",
    folder: Folder = None,
    recorded: Recorded = None,
    candidates: Candidates = 10,
    temperature: Temperature = 1.0,
    max_tokens: MaxTokens = 12,
    concurrency: Concurrency = 8,
    per_minute: PerMinute = None,
    prices: Prices = None,
    budget: Limit = None,
    yes: Yes = False,
    ask_again: Again = False,
    language: Annotated[str, typer.Option(help="Language of the repositories.")] = "python",
    cutoff: Annotated[
        str | None, typer.Option(help="The model's cutoff, where the registry does not know it.")
    ] = None,
    record: Record = False,
    answers: Answers = ANSWERS,
    data: Data = DATA_DIR,
) -> None:
    """Measure how often a model completes queries of repositories that it cannot have seen.

    A repository whose first commit is not after the model's cutoff is refused.
    """
    from engine.probing.presence_test import p0_from
    from engine.probing.recording import check_recordable, record_hit_rate
    from engine.probing.targets.protocol import Decoding

    started = datetime.now(UTC)
    decoding = Decoding(temperature, candidates, max_tokens)
    by_repository = read_query_files(queries)
    if record:
        check_recordable(data, model)
    _refuse_what_may_be_seen(by_repository, repos, _cutoff(data, model, cutoff), data)
    asked = open_target(
        target, served or model, base_url, key_variable, folder, recorded, concurrency, per_minute
    )
    outcomes = ask_all(asked, by_repository, decoding, answers, prices, budget, yes=yes, ask_again=ask_again)
    rate = p0_from(outcome for found in outcomes.values() for outcome in found)
    assert rate.interval is not None
    typer.echo(
        f"P0 {rate.value:.4f} [{rate.interval.low:.4f}, {rate.interval.high:.4f}]: "
        f"{rate.hits} of {rate.queries} queries of {len(outcomes)} repositories"
    )
    if record:
        path = record_hit_rate(data, model, language, rate, list(outcomes), source_of(asked, decoding))
        record_probe_run(data, "calibrate", model, queries, decoding, path, started)


def _cutoff(data: Path, model: str, given: str | None) -> date:
    from engine.models.registry import read_registry
    from engine.problems import BenchCheckerError

    if given is not None:
        return read_day(given)
    known = read_registry(data).models.get(model)
    if known is None or known.cutoff is None:
        raise BenchCheckerError(f"the registry knows no cutoff of {model}: give one with --cutoff")
    return known.cutoff


def _refuse_what_may_be_seen(
    by_repository: dict[str, list[Query]], repos: Path, cutoff: date, data: Path
) -> None:
    from engine.history.clones import locate
    from engine.history.repository import RepositoryHistory
    from engine.history.summary import known_sources
    from engine.problems import BenchCheckerError

    for name in by_repository:
        path = locate(repos, name, known_sources(data))
        if path is None:
            raise BenchCheckerError(f"there is no history of {name} in {repos} to date it by")
        first = RepositoryHistory.open(path).chain[0].committed_at.astimezone(UTC).date()
        if first <= cutoff:
            raise BenchCheckerError(
                f"{name} began on {first}, not after the cutoff {cutoff}: the model may have seen it"
            )
