"""`benchchecker evaluate repositories`: Stage I on models whose training data is known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.paths import CACHE_DIR

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.evaluation.membership.tables import Row

_NEUTRAL = 10
"""Repositories whose text only makes the tokenizer."""


def repositories(
    repos: Annotated[Path, typer.Argument(help="Folder of bare repositories of like size and age.")],
    work: Annotated[Path, typer.Option(help="Folder of models, queries, answers and results.")] = CACHE_DIR
    / "membership",
    members: Annotated[int, typer.Option(min=2, help="Members, and as many others beside them.")] = 20,
    seeds: Annotated[int, typer.Option(min=1, help="Splits, with a training of each kind.")] = 3,
    kind: Annotated[
        list[str] | None, typer.Option(help="scratch or finetuned; repeatable [default: both].")
    ] = None,
    temperature: Annotated[float, typer.Option(help="Whose answers are shown.")] = 1.0,
    p0: Annotated[
        float | None, typer.Option("--p0", help="Hit rate of unseen repositories [default: calibrated].")
    ] = None,
) -> None:
    """Train small models on some repositories, and measure whether Stage I and logits tell which.

    It takes hours without a graphics card. Interrupted, it goes on after the last finished piece.
    """
    from engine.evaluation.membership.experiment import Laboratory, read_asked, read_scored
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
    shares = _shares(repos, plan.characters, work)
    needed = 2 * members + 2 + _NEUTRAL
    if len(shares) < needed:
        raise BenchCheckerError(
            f"{repos} has {len(shares)} repositories with {plan.characters:,} characters of Python; "
            f"{needed} are needed: {2 * members} to measure, at least 2 for P0, {_NEUTRAL} for the tokenizer"
        )
    names = list(shares)
    dealt = {name: shares[name] for name in names[:-_NEUTRAL]}
    neutral = [text for name in names[-_NEUTRAL:] for text in shares[name].values()]
    laboratory = Laboratory(plan, dealt, neutral, shipped_dictionary(), work, typer.echo)
    queries = laboratory.scored_queries()
    laboratory.run()
    splits = {seed: split(list(dealt), plan, seed) for seed in plan.seeds}
    _print(tables(read_asked(work, queries), read_scored(work), splits, temperature, p0))


def _shares(repos: Path, characters: int, work: Path) -> Mapping[str, Mapping[str, str]]:
    """Return the share of each repository that has enough text, by name."""
    from engine.evaluation.membership.texts import share_of
    from engine.history.errors import HistoryError
    from engine.history.repository import RepositoryHistory
    from engine.probing.mining import snapshot_texts
    from engine.probing.reference.corpus import find_repositories

    found = {}
    for located in find_repositories(repos, {}):
        try:
            history = RepositoryHistory.open(located.path, cache_dir=work / "history")
        except HistoryError as error:
            typer.echo(f"{located.repository}: left out: {error}", err=True)
            continue
        share = share_of(snapshot_texts(history), characters)
        if sum(map(len, share.values())) >= 0.9 * characters:
            found[located.repository] = share
    return found


def _print(rows: Sequence[Row]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title="Membership known: Stage I and logits (95% intervals)")
    for title in ("training", "dose", "method", "AUC", "TPR", "FPR"):
        table.add_column(title)
    for row in rows:
        auc = "–" if row.auc is None else f"{row.auc:.3f}"
        if row.auc_interval is not None:
            auc += f" [{row.auc_interval.low:.3f}, {row.auc_interval.high:.3f}]"
        rates = [f"{share.k}/{share.n}" for share in (row.members, row.others)]
        table.add_row(row.training, str(row.dose), row.method, auc, *rates)
    Console().print(table)
