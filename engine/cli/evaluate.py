"""`benchchecker evaluate`: how well the detectors do where the answer is known."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.evaluate_completion import completion
from engine.cli.evaluate_repositories import repositories
from engine.cli.label import Cache, Repos, Samples, find_repositories
from engine.cli.label import Mapping as SourcesFile
from engine.cli.options import Data
from engine.paths import CACHE_DIR, DATA_DIR

if TYPE_CHECKING:
    from engine.evaluation.gold import GoldVerdict
    from engine.evaluation.judgement import Judgement
    from engine.evaluation.parts import Item
    from engine.evaluation.running import Progress
    from engine.evaluation.tables import Table

_FILE_WIDTH = 170
"""Columns of a table that goes to a file or a pipe."""
_COMPARISONS = ("ablation", "threshold")


def register(app: typer.Typer) -> None:
    """Add the command group to the command line."""
    group = typer.Typer(no_args_is_help=True)
    group.command("presence")(presence)
    group.command("repositories")(repositories)
    group.command("completion")(completion)
    app.add_typer(group, name="evaluate", help="Measure the detectors where the answer is known.")


def presence(
    samples: Samples,
    repos: Repos,
    gold: Annotated[
        list[Path] | None, typer.Option("--gold", help="TSV of hand-read verdicts; repeatable.")
    ] = None,
    detector: Annotated[
        list[str] | None,
        typer.Option(
            "--detector", "-d", help="Key of a detector; repeatable (default: those with a threshold)."
        ),
    ] = None,
    part: Annotated[
        list[str] | None,
        typer.Option(
            "--part",
            "-p",
            help="certain, gold, rewrites, ablation or threshold; repeatable (default: certain and gold).",
        ),
    ] = None,
    calibrate: Annotated[
        bool,
        typer.Option(help="Choose each threshold on a fifth of the samples; measure on the others."),
    ] = False,
    only: Annotated[list[str] | None, typer.Option(help="Only these samples; repeatable.")] = None,
    mapping: SourcesFile = None,
    processes: Annotated[int, typer.Option(min=1, help="Worker processes.")] = os.cpu_count() or 1,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="File for the tables and every judgement.")
    ] = None,
    cache: Cache = CACHE_DIR,
    data: Data = DATA_DIR,
) -> None:
    """Print AUC, TPR and FPR of the detectors on cases with known answers, and every case they misjudge.

    It can be stopped at any moment: run again, it goes on after the last finished group of samples.
    """
    from engine.evaluation.ablation import ABLATED, FULL
    from engine.evaluation.parts import PARTS
    from engine.evaluation.running import CANDIDATES, evaluate

    known = _thresholds(data)
    chosen = _chosen(part, (*PARTS, *_COMPARISONS), "--part")
    detectors = _chosen(detector, CANDIDATES, "--detector") or [key for key in known if key in CANDIDATES]
    case_parts = [name for name in chosen if name in PARTS] or ["certain", *(["gold"] if gold else [])]
    judged_by = [*detectors, *((FULL, *ABLATED) if "ablation" in chosen else ())]
    wanted = [(name, key) for name in case_parts for key in dict.fromkeys(judged_by)]
    items = _read_items(samples, gold or [], only, data)
    repositories = find_repositories(repos, mapping, cache, data)
    with _progress() as progress:
        judgements = evaluate(items, wanted, repositories, processes, progress)
    asked = [judgement for judgement in judgements if judgement.detector in detectors]
    stored = {key: known.get(key, known[FULL]) for key in CANDIDATES}
    tables, thresholds = _tables(asked, stored, calibrate)
    tables += _comparisons(chosen, judgements, asked, thresholds, data)
    _show(tables, asked, thresholds)
    if json_file is not None:
        _write(json_file, tables, judgements, thresholds)


def _tables(
    judgements: Sequence[Judgement], thresholds: Mapping[str, float], calibrate: bool
) -> tuple[list[Table], Mapping[str, float]]:
    """Return the tables of the detectors asked for, and the thresholds they were measured at."""
    from engine.evaluation.calibration import chosen_threshold, split
    from engine.evaluation.tables import case_table, figure_table, reliability_table

    title = "Presence where the answer is known (95% intervals)"
    measured = judgements
    if calibrate:
        validation, measured = split(judgements)
        for key in sorted({judgement.detector for judgement in judgements}):
            best = chosen_threshold([entry for entry in validation if entry.detector == key])
            if best is not None:
                thresholds = {**thresholds, key: best}
                typer.echo(f"{key}: threshold {best:.3f} chosen on the validation samples")
        title += ", test samples only"
    tables = [figure_table(measured, thresholds, title), reliability_table(measured)]
    rewritten = [judgement for judgement in measured if judgement.case.part == "rewrites"]
    return tables + ([case_table(rewritten, thresholds)] if rewritten else []), thresholds


def _comparisons(
    parts: Sequence[str],
    judgements: Sequence[Judgement],
    asked: Sequence[Judgement],
    thresholds: Mapping[str, float],
    data: Path,
) -> list[Table]:
    from engine.evaluation.ablation import FULL
    from engine.evaluation.comparison import ablation_table, threshold_table

    found = [ablation_table(judgements, thresholds[FULL], data)] if "ablation" in parts else []
    return found + ([threshold_table(asked)] if "threshold" in parts else [])


def _chosen(
    asked: Sequence[str] | None, known: Mapping[str, object] | Sequence[str], option: str
) -> list[str]:
    unknown = [name for name in asked or () if name not in known]
    if unknown:
        raise typer.BadParameter(f"{option}: {', '.join(unknown)} is not one of {', '.join(known)}")
    return list(dict.fromkeys(asked or ()))


def _thresholds(data: Path) -> dict[str, float]:
    from engine.evaluation.ablation import FULL
    from engine.problems import BenchCheckerError
    from engine.store.detectors import read_detectors

    found = {key: entry.threshold for key, entry in read_detectors(data).items()}
    if FULL not in found:
        raise BenchCheckerError(f"detector.toml has no detector {FULL!r}: its threshold is needed")
    return found


def _read_items(
    samples: Sequence[str], gold_files: Sequence[Path], only: Sequence[str] | None, data: Path
) -> list[Item]:
    from engine.cli.label import read_labelled_samples
    from engine.evaluation.parts import Item

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


def _show(tables: Sequence[Table], judgements: Sequence[Judgement], thresholds: Mapping[str, float]) -> None:
    import rich.table
    from rich.console import Console

    from engine.evaluation.tables import describe, wrong

    console = Console(width=None if sys.stdout.isatty() else _FILE_WIDTH, highlight=False, markup=False)
    for table in tables:
        shown = rich.table.Table(*table.columns, title=table.title)
        for row in table.rows:
            shown.add_row(*row)
        console.print(shown)
    misjudged = list(wrong(judgements, thresholds))
    typer.echo(f"\nMisjudged or not judged: {len(misjudged)}")
    for judgement in misjudged:
        for line in describe(judgement):
            typer.echo(line)


def _write(
    file: Path,
    tables: Sequence[Table],
    judgements: Sequence[Judgement],
    thresholds: Mapping[str, float],
) -> None:
    from engine.evaluation.tables import judgement_values
    from engine.store.facts import replacing

    content = {
        **{table.key: table.values for table in tables},
        "judgements": [judgement_values(entry, thresholds[entry.detector]) for entry in judgements],
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
