"""`benchchecker verify`: where similarity is inconclusive, do the tests pass on the snapshot's code?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.label import Cache, Mapping, Repos, Samples, find_repositories, read_labelled_samples
from engine.cli.options import Data, Threshold, read_day
from engine.paths import CACHE_DIR, DATA_DIR

if TYPE_CHECKING:
    from engine.presence.labelling import Repositories
    from engine.presence.verification.outcomes import TestRunner
    from engine.presence.verification.verify import Verification


class RunnerName(StrEnum):
    """Who runs the tests."""

    NONE = "none"
    LOCAL = "local"
    SWEBENCH = "swebench"
    MULTI = "multi-swe-bench"


Command = Annotated[
    str | None,
    typer.Option(
        help="Local: test command; {python}, {report} (JUnit XML), {tests} are filled in (default: pytest)."
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("verify")(verify)


def verify(
    names: Annotated[list[str], typer.Argument(metavar="SAMPLE...", help="Ids of samples.")],
    samples: Samples,
    repos: Repos,
    cutoff: Annotated[str, typer.Option(help="Day, or month for its last day.")],
    runner: Annotated[RunnerName, typer.Option(help="Who runs the tests.")] = RunnerName.NONE,
    detector: Annotated[str, typer.Option("--detector", "-d", help="Key of the detector.")] = "paper",
    threshold: Threshold = None,
    always: Annotated[bool, typer.Option(help="Run the tests even where similarity is conclusive.")] = False,
    python: Annotated[
        Path | None, typer.Option(help="Interpreter with the tests' dependencies, or with the harness.")
    ] = None,
    command: Command = None,
    prepare: Annotated[str, typer.Option(help="Local: command to run before the tests.")] = "",
    env: Annotated[
        list[str] | None, typer.Option(help="Local: NAME=VALUE for the tests; repeatable.")
    ] = None,
    read: Annotated[
        list[Path] | None,
        typer.Option(help="Local: further place that the tests may read; repeatable.", exists=True),
    ] = None,
    dataset: Annotated[str, typer.Option(help="Harness: the data set it reads the samples from.")] = "",
    seconds: Annotated[int, typer.Option(min=1, help="Time for each run of a sample's tests.")] = 900,
    mapping: Mapping = None,
    logs: Annotated[
        Path | None, typer.Option(help="Folder of diffs, logs and results (default: in the cache).")
    ] = None,
    cache: Cache = CACHE_DIR,
    data: Data = DATA_DIR,
) -> None:
    """Judge samples by similarity at a cutoff and, where that is inconclusive, by their tests.

    The gold patch with its blocks replaced by the snapshot's is applied to the buggy version. If the tests
    pass, the snapshot holds an equivalent fix. Nothing is run unless a runner is named: tests are other
    people's programs. The exit status is 1 when a sample could not be judged at all.
    """
    from engine.history.repository import RepositoryHistory
    from engine.presence.snapshot import SourceCache
    from engine.presence.verification.verify import Question
    from engine.presence.verification.verify import verify as ask
    from engine.presence.workers import DETECTORS
    from engine.problems import BenchCheckerError
    from engine.store.detectors import read_detectors

    day = read_day(cutoff)
    known = read_detectors(data)
    if detector not in DETECTORS or (threshold is None and detector not in known):
        raise typer.BadParameter(f"no detector {detector!r} (one of {', '.join(DETECTORS)})")
    bound = known[detector].threshold if threshold is None else threshold
    chosen = read_labelled_samples(samples, names, data)
    repositories = find_repositories(repos, mapping, cache, data)
    local = _Local(python, command, prepare, env or [], tuple(read or []))
    tests = _runner(runner, repositories, local, dataset, seconds)
    folder = (logs or cache / "verify").resolve()
    failed = False
    for sample in chosen:
        path = repositories.path(sample.repository)
        try:
            if path is None:
                raise BenchCheckerError(
                    f"there is no history of {sample.repository} in the folder of repositories"
                )
            sources = SourceCache(RepositoryHistory.open(path, cache_dir=cache / "history"))
            question = Question(sample, day, DETECTORS[detector](), bound, always)
            result = ask(question, sources, tests, folder / f"{sample.sample}-{day}-{runner.value}")
        except BenchCheckerError as error:
            typer.echo(f"{sample.sample}: unknown: {error}", err=True)
            failed = True
            continue
        typer.echo(_line(result))
    if failed:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class _Local:
    """The options of the local runner."""

    python: Path | None
    command: str | None
    prepare: str
    env: list[str]
    read: tuple[Path, ...]


def _runner(
    name: RunnerName, repositories: Repositories, local: _Local, dataset: str, seconds: int
) -> TestRunner:
    from engine.presence.verification.harness import MultiSwebenchRunner, SwebenchRunner
    from engine.presence.verification.outcomes import NoRunner

    if name is RunnerName.NONE:
        return NoRunner()
    if name is RunnerName.LOCAL:
        return _local_runner(repositories, local, seconds)
    if not dataset:
        raise typer.BadParameter(f"--runner {name.value} needs --dataset")
    made = SwebenchRunner if name is RunnerName.SWEBENCH else MultiSwebenchRunner
    return made(dataset, seconds, local.python)


def _local_runner(repositories: Repositories, local: _Local, seconds: int) -> TestRunner:
    from engine.presence.verification.local import DEFAULT_COMMAND, LocalRunner, LocalSettings, read_variables
    from engine.presence.verification.sandbox import Limits

    if local.python is None:
        raise typer.BadParameter("--runner local needs --python, with the repository's dependencies")
    settings = LocalSettings(
        # Not resolved: what makes a virtual environment's interpreter its own is its place.
        local.python.absolute(),
        local.command or DEFAULT_COMMAND,
        local.prepare,
        read_variables(local.env),
        tuple(place.absolute() for place in local.read),
        Limits(seconds=seconds),
    )
    return LocalRunner(repositories.path, settings)


def _line(result: Verification) -> str:
    state = "present" if result.is_present else "absent"
    log = f" [{result.tests.log}]" if result.tests.log is not None else ""
    return (
        f"{result.sample}: {state} at {result.day} ({result.commit[:10]}); "
        f"similarity {result.verdict.score:.2f} ({result.verdict.reason}); "
        f"tests {result.tests.state.value}: {result.tests.reason}{log}"
    )
