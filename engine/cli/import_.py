"""`benchchecker import`: reads samples and submissions from files that people have."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.paths import DATA_DIR

if TYPE_CHECKING:
    from engine.problems import Loaded, Problem
    from engine.store.changes import TableChange

PROBLEMS_SHOWN = 50

Benchmarked = Annotated[str, typer.Option("--benchmark", "-b", help="Key of the benchmark.")]
Strict = Annotated[bool, typer.Option(help="Change nothing if anything would be left out.")]
DryRun = Annotated[bool, typer.Option(help="Show what would change, and change nothing.")]
Origin = Annotated[
    str | None,
    typer.Option("--source", help="Where the file comes from, such as a repository and its revision."),
]
Data = Annotated[Path, typer.Option(help="Folder of the fact files.")]


def register(app: typer.Typer) -> None:
    """Add the command group to the command line."""
    group = typer.Typer(no_args_is_help=True)
    group.command("samples")(import_samples)
    group.command("submissions")(import_submissions)
    app.add_typer(group, name="import", help="Read samples and submissions into the fact files.")


def import_samples(
    file: Annotated[
        str, typer.Argument(help="JSON lines, JSON or Parquet file, or a data set as owner/name@revision.")
    ],
    benchmark: Benchmarked,
    source: Origin = None,
    strict: Strict = False,
    dry_run: DryRun = False,
    data: Data = DATA_DIR,
) -> None:
    """Import the samples of a benchmark: SWE-bench, Multi-SWE-bench, or an index of ids."""
    from engine.benchmarks.catalogue import find_benchmark
    from engine.benchmarks.importing import plan_samples
    from engine.benchmarks.readers import read_samples
    from engine.problems import Loaded
    from engine.store.locking import exclusive

    target = find_benchmark(benchmark, data)
    loaded = read_samples(file, target)
    with exclusive(data):
        changes, found = plan_samples(data, target, loaded, file)
        written = _settle(data, Loaded(loaded.rows, loaded.problems + tuple(found)), changes, strict, dry_run)
    if written:
        _record("samples", [file], data, written, benchmark=benchmark, source=source)


def import_submissions(
    paths: Annotated[
        list[Path],
        typer.Argument(help="Experiments split or folder, report, predictions, matrix or leaderboard data."),
    ],
    benchmark: Benchmarked,
    submission: Annotated[
        str | None, typer.Option(help="Key of the submission, for one report or predictions file.")
    ] = None,
    source: Origin = None,
    replace: Annotated[
        bool, typer.Option(help="Believe the files where they contradict what is known.")
    ] = False,
    strict: Strict = False,
    dry_run: DryRun = False,
    data: Data = DATA_DIR,
) -> None:
    """Import submissions: what they are, and what they resolved."""
    from engine.benchmarks.catalogue import find_benchmark
    from engine.problems import BenchCheckerError, Loaded
    from engine.store.locking import exclusive
    from engine.submissions.importing import benchmark_samples, plan_submissions
    from engine.submissions.readers import read_submissions

    target = find_benchmark(benchmark, data)
    samples = benchmark_samples(data, target)
    loaded = read_submissions(paths, target, samples, name=submission, source=source)
    if submission is not None and len(loaded.rows) > 1:
        raise BenchCheckerError(f"--submission names one, but {len(loaded.rows)} were read: leave it out")
    file = ", ".join(str(path) for path in paths)
    with exclusive(data):
        changes, found = plan_submissions(data, target, loaded, file, replace=replace)
        written = _settle(data, Loaded(loaded.rows, loaded.problems + tuple(found)), changes, strict, dry_run)
    if written:
        files = [str(path) for path in paths]
        settings = {"submission": submission, "source": source, "replace": replace}
        _record("submissions", files, data, written, benchmark=benchmark, **settings)


def _settle(
    data: Path, loaded: Loaded[object], changes: list[TableChange], strict: bool, dry_run: bool
) -> list[Path]:
    """Show the problems, then show or make the changes; return the files written."""
    from engine.problems import BenchCheckerError
    from engine.store.changes import apply

    if strict:
        loaded.strict()
    _show_problems(loaded.problems)
    if loaded.errors and not loaded.rows:
        raise BenchCheckerError("nothing could be read")
    for change in changes:
        typer.echo(
            f"{change.name}: {len(change.after)} rows, {len(change.added)} added, "
            f"{len(change.changed)} changed, {len(change.removed)} removed"
        )
    if dry_run:
        for line in (line for change in changes for line in change.describe()):
            typer.echo(line)
        typer.echo("dry run: nothing was written")
        return []
    return apply(data, changes)


def _show_problems(problems: Iterable[Problem]) -> None:
    from engine.problems import Severity

    found = list(problems)
    for problem in found[:PROBLEMS_SHOWN]:
        typer.echo(str(problem), err=True)
    if len(found) > PROBLEMS_SHOWN:
        typer.echo(f"… and {len(found) - PROBLEMS_SHOWN} more", err=True)
    errors = sum(problem.severity is Severity.ERROR for problem in found)
    if found:
        typer.echo(f"left out: {errors}, warnings: {len(found) - errors}", err=True)


def _record(
    kind: str,
    files: list[str],
    data: Path,
    written: list[Path],
    *,
    benchmark: str,
    **settings: str | bool | None,
) -> None:
    from engine.store.provenance import record_run

    # A path says nothing on another machine: files and folders stand under their names.
    names = [Path(file).name if Path(file).exists() else file for file in files]
    if len(set(names)) < len(names):
        names = ["/".join(Path(file).parts[-3:]) for file in files]
    record_run(
        data,
        command=f"import {kind} {' '.join(names)} --benchmark {benchmark}",
        configuration={"benchmark": benchmark, **settings},
        inputs={
            name: Path(file) if Path(file).is_file() else name
            for name, file in zip(names, files, strict=True)
        },
        outputs=written,
    )
