"""`benchchecker probe`: was a repository in a model's training data?"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.options import Data, read_share
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
    from engine.probing.targets.protocol import Decoding


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("probe")(probe)


def probe(
    queries: QueryFiles,
    model: Model,
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
    language: Annotated[
        str, typer.Option(help="Language of the repositories, for the default P0.")
    ] = "python",
    p0: Annotated[
        float | None, typer.Option("--p0", callback=read_share, help="Hit rate of unseen repositories.")
    ] = None,
    requests_to: Annotated[
        Path | None, typer.Option(help="Write the requests for a batch service to this file and stop.")
    ] = None,
    record: Record = False,
    answers: Answers = ANSWERS,
    data: Data = DATA_DIR,
) -> None:
    """Ask a model the queries of repositories, and say which of them it has seen.

    Interrupted at any moment, it goes on without asking a paid model anything twice.
    """
    from engine.probing.presence_test import probed
    from engine.probing.recording import (
        check_recordable,
        choose_p0,
        presence_rows,
        record_presence,
    )
    from engine.probing.targets.protocol import Decoding

    started = datetime.now(UTC)
    decoding = Decoding(temperature, candidates, max_tokens)
    by_repository = read_query_files(queries)
    if requests_to is not None:
        _write_requests(requests_to, by_repository, served or model, decoding, chats=target is Kind.CHAT)
        return
    if record:
        check_recordable(data, model, by_repository)
    asked = open_target(
        target, served or model, base_url, key_variable, folder, recorded, concurrency, per_minute
    )
    chosen, basis = choose_p0(data, model, language, p0)
    outcomes = ask_all(asked, by_repository, decoding, answers, prices, budget, yes=yes, ask_again=ask_again)
    tested = [probed(name, found, chosen) for name, found in outcomes.items()]
    rows = presence_rows(model, tested, basis, source_of(asked, decoding))
    _print(rows)
    if record:
        path = record_presence(data, rows)
        record_probe_run(data, "probe", model, queries, decoding, path, started)


def _print(rows: Sequence[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title="Was the repository in the training data?")
    for title in (
        "repository",
        "verdict",
        "hits",
        "weighted",
        "P0",
        "p",
        "weighted p",
        "q",
        "design",
        "power",
    ):
        table.add_column(title, justify="left" if title in ("repository", "verdict") else "right")
    for row in rows:
        detectable = "none" if row["detectable"] is None else f"≥ {row['detectable']:.0%}"
        table.add_row(
            row["repository"],
            row["verdict"],
            f"{row['hits']}/{row['queries']}"
            + (f" ({row['unanswered']} unanswered)" if row["unanswered"] else ""),
            f"{row['weighted_hits']:.1f}",
            f"{row['p0']:.3f} {row['p0_basis']}",
            f"{row['p_value']:.2g}",
            f"{row['weighted_p_value']:.2g}",
            f"{row['q_value']:.2g}",
            f"{row['design_effect']:.2f}",
            detectable,
        )
    Console().print(table)


def _write_requests(
    path: Path, by_repository: dict[str, list[Query]], model: str, decoding: Decoding, *, chats: bool
) -> None:
    from engine.probing.asking import request_key
    from engine.probing.targets.protocol import Request
    from engine.probing.targets.recorded import write_requests

    prompts = {request_key(query.prompt): query.prompt for found in by_repository.values() for query in found}
    requests = [Request(key, prompt) for key, prompt in prompts.items()]
    typer.echo(f"{path}: {write_requests(path, requests, model, decoding, chats=chats):,} requests")
