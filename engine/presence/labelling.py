"""`benchchecker label`: the lives of all fixes of a benchmark, resumable and in parallel."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

from engine.benchmarks.sample import Sample
from engine.history.clones import locate
from engine.history.errors import HistoryError
from engine.history.repository import RepositoryHistory
from engine.parent_process import end_with_parent
from engine.patches.diff import PatchError, parse_diff
from engine.presence import workers
from engine.presence.journal import Journal, key_of
from engine.presence.outcomes import Outcome, from_json, to_json
from engine.presence.workers import DETECTORS, Task
from engine.problems import BenchCheckerError

Progress = Callable[[int, int], None]
"""Called with how many samples are done and how many there are."""

_GROUP_SIZE = 12


@dataclass(frozen=True, slots=True)
class Repositories:
    """Where the histories are.

    Attributes:
        folder: Folder of local repositories.
        sources: Canonical name to the name under which its history is kept, for forks.
        cache: Folder for indexes and journals.
    """

    folder: Path
    sources: Mapping[str, str]
    cache: Path

    def path(self, repository: str) -> Path | None:
        """Return the local repository, None if there is none."""
        return locate(self.folder, repository, self.sources)


@dataclass(frozen=True, slots=True)
class _Pending:
    """A group of samples without a stored outcome, with the keys to store theirs under."""

    task: Task
    keys: tuple[str, ...]
    journal: Journal[Outcome]


def label(
    samples: Sequence[Sample], detector: str, repositories: Repositories, processes: int, progress: Progress
) -> list[Outcome]:
    """Return the outcome of every sample, from the journal where it is there, else by judging it.

    Args:
        samples: Samples with their patches.
        detector: Key in `workers.DETECTORS`.
        repositories: Where the histories are; a sample of a missing one has an outcome that says so.
        processes: How many worker processes to use.
        progress: Told after each group.

    Raises:
        BenchCheckerError: If there is no such detector, or a worker process died; what was finished is kept.
    """
    if detector not in DETECTORS:
        raise BenchCheckerError(f"no detector is called {detector!r}: use one of {', '.join(DETECTORS)}")
    done: dict[str, Outcome] = {}
    pending: list[_Pending] = []
    for repository, group in _by_repository(samples).items():
        finished, todo = _plan(repository, group, detector, repositories)
        done.update(finished)
        pending += todo
    progress(len(done), len(samples))
    for outcomes in _run(pending, repositories.cache, processes):
        done.update(outcomes)
        progress(len(done), len(samples))
    return [done[sample.sample] for sample in samples]


def _by_repository(samples: Sequence[Sample]) -> dict[str, list[Sample]]:
    groups: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        groups[sample.repository].append(sample)
    return groups


def _plan(
    repository: str, samples: Sequence[Sample], detector: str, repositories: Repositories
) -> tuple[dict[str, Outcome], list[_Pending]]:
    """Split the samples of a repository into those with a stored outcome and groups still to be judged."""
    path = repositories.path(repository)
    if path is None:
        return _unknown(samples, f"there is no history of {repository} in the folder of repositories"), []
    try:
        head = RepositoryHistory.open(path).chain.head.sha
    except HistoryError as error:
        return _unknown(samples, str(error)), []
    file = repositories.cache / "label" / detector / f"{repository.replace('/', '__')}.jsonl"
    journal = Journal(file, to_json, from_json)
    keys = {sample.sample: _key(sample, detector, head) for sample in samples}
    stored = {name: outcome for name, key in keys.items() if (outcome := journal.get(key)) is not None}
    todo = [sample for sample in samples if sample.sample not in stored]
    pending = [
        _Pending(
            Task(detector, path, repositories.cache / "history", tuple(group)),
            tuple(keys[sample.sample] for sample in group),
            journal,
        )
        for group in _groups(todo)
    ]
    return stored, pending


def _unknown(samples: Iterable[Sample], problem: str) -> dict[str, Outcome]:
    return {sample.sample: Outcome(sample.sample, problem=problem, can_change=True) for sample in samples}


def _key(sample: Sample, detector: str, head: str) -> str:
    patch = hashlib.sha256((sample.patch or "").encode("utf-8", "surrogatepass")).hexdigest()
    version = DETECTORS[detector]().version
    opened = sample.created_at.isoformat() if sample.created_at else None
    commits = (sample.base_commit, sample.landed_commit)
    return key_of(sample.sample, detector, version, head, patch, *commits, opened)


def _groups(samples: Sequence[Sample]) -> Iterator[list[Sample]]:
    """Yield groups of about `_GROUP_SIZE` samples; those that change the same file first stay together."""
    by_path: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        by_path[_first_path(sample)].append(sample)
    group: list[Sample] = []
    for _, members in sorted(by_path.items()):
        if group and len(group) + len(members) > _GROUP_SIZE:
            yield group
            group = []
        group += members
    if group:
        yield group


def _first_path(sample: Sample) -> str:
    try:
        return parse_diff(sample.patch or "").files[0].path
    except PatchError:
        return ""


def _run(pending: Sequence[_Pending], cache: Path, processes: int) -> Iterator[dict[str, Outcome]]:
    """Judge the groups in worker processes, large ones first; each is in the journal before it is yielded."""
    if not pending:
        return
    order = sorted(pending, key=lambda group: -len(group.keys))
    spawn = get_context("spawn")
    with ProcessPoolExecutor(processes, spawn, initializer=end_with_parent) as pool:
        try:
            paths = list(dict.fromkeys(group.task.repository for group in order))
            problems = dict(
                zip(paths, pool.map(workers.build_index, paths, repeat(cache / "history")), strict=True)
            )
            running: dict[Future[list[Outcome]], _Pending] = {}
            for group in order:
                if problem := problems[group.task.repository]:
                    yield _unknown(group.task.samples, problem)
                else:
                    running[pool.submit(workers.run, group.task)] = group
            yield from _collect(running)
        except BrokenProcessPool as error:
            message = "a worker process died, perhaps for lack of memory: run again to go on, or with fewer"
            raise BenchCheckerError(message) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _collect(running: dict[Future[list[Outcome]], _Pending]) -> Iterator[dict[str, Outcome]]:
    while running:
        finished, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in finished:
            group, outcomes = running.pop(future), future.result()
            entries = zip(group.keys, outcomes, strict=True)
            group.journal.add({key: outcome for key, outcome in entries if not outcome.can_change})
            yield {outcome.sample: outcome for outcome in outcomes}
