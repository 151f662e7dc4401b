"""`benchchecker label`: the lives of all fixes of a benchmark, resumable and in parallel."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from engine.benchmarks.sample import Sample
from engine.history.clones import locate
from engine.history.errors import HistoryError
from engine.history.repository import RepositoryHistory
from engine.patches.diff import PatchError, parse_diff
from engine.presence import workers
from engine.presence.journal import Journal, key_of
from engine.presence.outcomes import Outcome, from_json, to_json
from engine.presence.workers import DETECTORS, Task

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
    """
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
        problem = f"there is no history of {repository} in the folder of repositories"
        return {sample.sample: Outcome(sample.sample, problem=problem) for sample in samples}, []
    try:
        head = RepositoryHistory.open(path).chain.head.sha
    except HistoryError as error:
        return {sample.sample: Outcome(sample.sample, problem=str(error)) for sample in samples}, []
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


def _key(sample: Sample, detector: str, head: str) -> str:
    patch = hashlib.sha256((sample.patch or "").encode("utf-8", "surrogatepass")).hexdigest()
    version = DETECTORS[detector]().version
    opened = sample.created_at.isoformat() if sample.created_at else None
    return key_of(detector, version, head, patch, sample.base_commit, sample.landed_commit, opened)


def _groups(samples: Sequence[Sample]) -> Iterator[list[Sample]]:
    """Yield groups of samples that change the same file first, none larger than `_GROUP_SIZE`."""
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
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        paths = {group.task.repository for group in order}
        list(pool.map(workers.build_index, paths, [cache / "history"] * len(paths)))
        running: dict[Future[list[Outcome]], _Pending] = {
            pool.submit(workers.run, group.task): group for group in order
        }
        try:
            while running:
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    group, outcomes = running.pop(future), future.result()
                    group.journal.add(dict(zip(group.keys, outcomes, strict=True)))
                    yield {outcome.sample: outcome for outcome in outcomes}
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
