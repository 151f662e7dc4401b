"""`benchchecker label`: where the fixes are, on every day of their repositories' histories."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.options import Data
from engine.paths import CACHE_DIR, DATA_DIR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.benchmarks.sample import Sample
    from engine.presence.labelling import Progress, Repositories
    from engine.presence.outcomes import Outcome

Samples = Annotated[
    list[str],
    typer.Option(
        "--samples", help="BENCHMARK=FILE: a benchmark's key and its data set with the patches; repeatable."
    ),
]
Repos = Annotated[Path, typer.Option("--repos", help="Folder of local repositories.")]
Mapping = Annotated[
    Path | None,
    typer.Option("--mapping", help="TSV of repository and the name under which its history is kept."),
]
Cache = Annotated[Path, typer.Option(help="Folder for indexes and the journal of finished work.")]


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("label")(label)


def label(
    samples: Samples,
    repos: Repos,
    detector: Annotated[str, typer.Option("--detector", "-d", help="Key of the detector.")] = "paper",
    mapping: Mapping = None,
    clone: Annotated[bool, typer.Option(help="Clone repositories that are missing.")] = False,
    only: Annotated[list[str] | None, typer.Option(help="Only these samples; repeatable.")] = None,
    processes: Annotated[int, typer.Option(min=1, help="Worker processes.")] = os.cpu_count() or 1,
    cache: Cache = CACHE_DIR,
    data: Data = DATA_DIR,
) -> None:
    """Judge every sample over the whole history of its repository, and store the evidence as facts.

    It can be stopped at any moment: run again, it goes on after the last finished group of samples.
    """
    from engine.history.summary import update_repository_facts
    from engine.presence.labelling import label as judge
    from engine.presence.recording import plan_outcomes
    from engine.store.changes import apply
    from engine.store.facts import fact_path
    from engine.store.locking import exclusive
    from engine.store.provenance import record_run

    started = datetime.now(UTC)
    chosen = read_labelled_samples(samples, only, data)
    repositories = find_repositories(repos, mapping, cache, data)
    if clone:
        _clone_missing(chosen, repositories)
    with _progress(len(chosen)) as progress:
        outcomes = judge(chosen, detector, repositories, processes, progress)
    with exclusive(data):
        described = update_repository_facts(data, repos, repositories.sources)
        changes, problems = plan_outcomes(data, detector, outcomes)
        apply(data, changes)
    for problem in (*described.problems, *problems):
        typer.echo(str(problem), err=True)
    typer.echo(_summary(outcomes))
    heads = {f"{row['repository']}@history": row["head_commit"] or "missing" for row in described.rows}
    files = {Path(item.partition("=")[2]).name: Path(item.partition("=")[2]) for item in samples}
    inputs: dict[str, Path | str] = {
        **heads,
        **{name: path for name, path in files.items() if path.is_file()},
    }
    outputs = [fact_path(data, name) for name in ("repository", *(change.name for change in changes))]
    configuration: dict[str, Any] = {"detector": detector, "only": sorted(only or [])}
    record_run(data, f"label --detector {detector}", configuration, inputs, outputs, started_at=started)


def read_labelled_samples(items: Sequence[str], only: Sequence[str] | None, data: Path) -> list[Sample]:
    """Read the samples named by `BENCHMARK=FILE` items, each once.

    Raises:
        typer.BadParameter: If an item has another form, no sample can be read, or `only` names one that is
            not there.
        BenchCheckerError: If a benchmark or file cannot be read.
    """
    from engine.benchmarks.catalogue import find_benchmark
    from engine.benchmarks.ids import parse_sample_id
    from engine.benchmarks.readers import read_samples

    found: dict[str, Sample] = {}
    for item in items:
        benchmark, separator, file = item.partition("=")
        if not separator:
            raise typer.BadParameter(f"{item!r} is not of the form BENCHMARK=FILE")
        loaded = read_samples(file, find_benchmark(benchmark, data))
        for problem in loaded.problems:
            typer.echo(str(problem), err=True)
        found.update({sample.sample: sample for sample in loaded.rows})
    if not found:
        raise typer.BadParameter(f"the data sets hold no sample that can be read: {', '.join(items)}")
    if not only:
        return list(found.values())
    parsed = [(name, parse_sample_id(name)) for name in only]
    missing = [name for name, identity in parsed if identity is None or identity.canonical not in found]
    if missing:
        raise typer.BadParameter(f"no such sample in the data set: {', '.join(missing)}")
    return [found[identity.canonical] for _, identity in parsed if identity is not None]


def find_repositories(repos: Path, mapping: Path | None, cache: Path, data: Path) -> Repositories:
    """Return where the histories are, forks named by the mapping file or else by the facts."""
    from engine.history.clones import read_sources
    from engine.history.summary import known_sources
    from engine.presence.labelling import Repositories

    sources = known_sources(data)
    if mapping is not None:
        sources |= {row.repository: row.source for row in read_sources(mapping).strict().rows}
    return Repositories(repos, sources, cache)


def _clone_missing(samples: Sequence[Sample], repositories: Repositories) -> None:
    from engine.history.clones import ensure_clone

    for repository in sorted({sample.repository for sample in samples}):
        if repositories.path(repository) is None:
            source = repositories.sources.get(repository, repository)
            typer.echo(f"cloning {source} …")
            ensure_clone(repository, source, repositories.folder)


@contextmanager
def _progress(total: int) -> Iterator[Progress]:
    """Show how many samples are done, the rate, and the time left."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    columns = (TextColumn("samples"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeLeft())
    with Progress(*columns, TextColumn("{task.fields[rate]}")) as bar:
        task = bar.add_task("label", total=total, rate="")

        def show(done: int, _: int) -> None:
            elapsed = bar.tasks[task].elapsed or 0.0
            rate = f"{done / elapsed:.1f} samples/s" if elapsed > 0 and done else ""
            bar.update(task, completed=done, rate=rate)

        yield show


def _summary(outcomes: Sequence[Outcome]) -> str:
    judged = [outcome for outcome in outcomes if not outcome.problem]
    intervals = sum(len(outcome.intervals) for outcome in judged)
    unknown = len(outcomes) - len(judged)
    return f"{len(judged)} samples judged over {intervals} spans of days, {unknown} unknown"
