"""`benchchecker evaluate`: how well the detectors do where the answer is known."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.label import Cache, Mapping, Repos, Samples, find_repositories
from engine.cli.options import Data
from engine.paths import CACHE_DIR, DATA_DIR

if TYPE_CHECKING:
    from engine.evaluation.gold import GoldVerdict
    from engine.evaluation.judgement import Judgement
    from engine.evaluation.running import Item, Progress
    from engine.evaluation.tables import Figures

_FILE_WIDTH = 150
"""Columns of a table that goes to a file or a pipe."""


def register(app: typer.Typer) -> None:
    """Add the command group to the command line."""
    group = typer.Typer(no_args_is_help=True)
    group.command("presence")(presence)
    app.add_typer(group, name="evaluate", help="Measure the detectors where the answer is known.")


def presence(
    samples: Samples,
    repos: Repos,
    gold: Annotated[
        list[Path] | None, typer.Option("--gold", help="TSV of hand-read verdicts; repeatable.")
    ] = None,
    detector: Annotated[
        list[str] | None,
        typer.Option("--detector", "-d", help="Key of a detector; repeatable [default: all]."),
    ] = None,
    part: Annotated[
        list[str] | None,
        typer.Option(
            "--part", "-p", help="certain or gold; repeatable [default: certain, and gold if given]."
        ),
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="Only these samples; repeatable.")] = None,
    mapping: Mapping = None,
    processes: Annotated[int, typer.Option(min=1, help="Worker processes.")] = os.cpu_count() or 1,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="File for the figures and every judgement.")
    ] = None,
    cache: Cache = CACHE_DIR,
    data: Data = DATA_DIR,
) -> None:
    """Print AUC, TPR and FPR of the detectors on cases with known answers, and every case they misjudge."""
    from engine.evaluation.running import PARTS, evaluate
    from engine.evaluation.tables import exceptions, figures_of
    from engine.presence.workers import DETECTORS

    detectors = _chosen(detector, DETECTORS, "--detector")
    parts = _chosen(part, PARTS, "--part") if part else [name for name in PARTS if name != "gold" or gold]
    items = _read_items(samples, gold or [], only, data)
    repositories = find_repositories(repos, mapping, cache, data)
    with _progress() as progress:
        judgements = evaluate(items, parts, detectors, repositories, processes, progress)
    thresholds = _thresholds(detectors, data)
    figures = figures_of(judgements, thresholds)
    _show(figures, list(exceptions(judgements, thresholds)))
    if json_file is not None:
        _write(json_file, figures, judgements, thresholds)


def _chosen(asked: Sequence[str] | None, known: Sequence[str] | Any, option: str) -> list[str]:
    unknown = [name for name in asked or () if name not in known]
    if unknown:
        raise typer.BadParameter(f"{option}: {', '.join(unknown)} is not one of {', '.join(known)}")
    return list(dict.fromkeys(asked or known))


def _read_items(
    samples: Sequence[str], gold_files: Sequence[Path], only: Sequence[str] | None, data: Path
) -> list[Item]:
    from engine.cli.label import read_labelled_samples
    from engine.evaluation.running import Item

    gold = _read_gold(gold_files)
    items: dict[str, Item] = {}
    for entry in samples:
        benchmark = entry.partition("=")[0]
        for sample in read_labelled_samples([entry], None, data):
            verdicts = tuple(verdict for verdict in gold if verdict.sample == sample.sample)
            items.setdefault(sample.sample, Item(benchmark, sample, verdicts))
    for verdict in gold:
        if verdict.sample not in items:
            typer.echo(f"{verdict.sample}: a verdict, but no such sample in the data sets given", err=True)
    missing = set(only or ()) - set(items)
    if missing:
        raise typer.BadParameter(f"no such sample in the data set: {', '.join(sorted(missing))}")
    return [item for name, item in items.items() if not only or name in only]


def _read_gold(files: Sequence[Path]) -> list[GoldVerdict]:
    from engine.evaluation.gold import read_gold

    verdicts: list[GoldVerdict] = []
    for file in files:
        loaded = read_gold(file)
        for problem in loaded.problems:
            typer.echo(str(problem), err=True)
        verdicts += loaded.rows
    return verdicts


def _thresholds(detectors: Sequence[str], data: Path) -> dict[str, float]:
    from engine.store.detectors import read_detectors

    known = read_detectors(data)
    missing = [name for name in detectors if name not in known]
    if missing:
        raise typer.BadParameter(f"no threshold in detector.toml for {', '.join(missing)}")
    return {name: known[name].threshold for name in detectors}


def _show(figures: Sequence[Figures], wrong: Sequence[Judgement]) -> None:
    from rich.console import Console
    from rich.table import Table

    from engine.evaluation.tables import FIGURE_COLUMNS, describe, figure_cells

    console = Console(width=None if sys.stdout.isatty() else _FILE_WIDTH, highlight=False)
    table = Table(*FIGURE_COLUMNS, title="Presence where the answer is known (95% intervals)")
    for row in figures:
        table.add_row(*figure_cells(row))
    console.print(table)
    if wrong:
        typer.echo(f"\nMisjudged or not judged: {len(wrong)}")
    for judgement in wrong:
        for line in describe(judgement):
            typer.echo(line)


def _write(
    file: Path,
    figures: Sequence[Figures],
    judgements: Sequence[Judgement],
    thresholds: dict[str, float],
) -> None:
    from engine.evaluation.tables import judgement_json
    from engine.store.facts import replacing

    content = {
        "figures": [row.as_json() for row in figures],
        "judgements": [judgement_json(entry, thresholds[entry.detector]) for entry in judgements],
    }
    with replacing(file) as temporary:
        temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


@contextmanager
def _progress() -> Iterator[Progress]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    columns = (TextColumn("samples"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeLeft())
    with Progress(*columns) as bar:
        task = bar.add_task("evaluate")

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield show
