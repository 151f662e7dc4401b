"""Judges the cases of an evaluation: resumable, in worker processes, samples of one repository together."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from functools import cache, lru_cache
from multiprocessing import get_context
from pathlib import Path

from engine.evaluation.ablation import ABLATED
from engine.evaluation.judgement import JudgedSample, Judgement, from_json, not_judged, to_json
from engine.evaluation.parts import PARTS, Item
from engine.evaluation.subject import Subject
from engine.history.errors import HistoryError
from engine.history.repository import RepositoryHistory
from engine.patches.diff import PatchError
from engine.presence.detector import Detector
from engine.presence.journal import Journal, key_of
from engine.presence.labelling import Repositories
from engine.presence.snapshot import SourceCache
from engine.presence.workers import DETECTORS, build_index

Progress = Callable[[int, int], None]
"""Called with how many samples are done and how many there are."""

CANDIDATES: Mapping[str, Callable[[], Detector]] = {**DETECTORS, **ABLATED}
"""How to make each detector that can be evaluated."""

_GROUP_SIZE = 8
_JUDGING = ("presence", "patches", "history", "evaluation")
"""Packages whose code a judgement depends on."""


@dataclass(frozen=True, slots=True)
class Task:
    """Samples of one repository for one part and detector.

    Attributes:
        part: Key in `PARTS`.
        detector: Key in `CANDIDATES`.
        repository: Where the history is.
        cache_dir: Folder of the change index.
        items: The samples.
    """

    part: str
    detector: str
    repository: Path
    cache_dir: Path
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class _Pending:
    """A task that has no stored outcome, with the keys to store it under."""

    task: Task
    keys: tuple[str, ...]
    journal: Journal[JudgedSample]


def evaluate(
    items: Sequence[Item],
    wanted: Sequence[tuple[str, str]],
    repositories: Repositories,
    processes: int,
    progress: Progress,
) -> list[Judgement]:
    """Judge all cases of the parts asked for, by each detector asked for.

    Args:
        items: Samples with their patches.
        wanted: Pairs of part (in `PARTS`) and detector (in `CANDIDATES`).
        repositories: Where the histories are; cases of a missing one are listed as not judged.
        processes: How many worker processes to use.
        progress: Told after each group.
    """
    judgements: list[Judgement] = []
    pending: list[_Pending] = []
    total = 0
    for repository, members in _by_repository(items).items():
        for part, detector in wanted:
            chosen = [item for item in members if PARTS[part].unknown(item)]
            total += len(chosen)
            found, todo = _plan(repository, chosen, part, detector, repositories)
            judgements += found
            pending += todo
    done = total - sum(len(group.keys) for group in pending)
    progress(done, total)
    for finished in _run(pending, processes):
        judgements += [judgement for sample in finished for judgement in sample.judgements]
        done += len(finished)
        progress(done, total)
    return sorted(judgements, key=lambda j: (j.case.part, j.detector, j.case.sample, j.case.name))


def _by_repository(items: Sequence[Item]) -> dict[str, list[Item]]:
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        groups[item.sample.repository].append(item)
    return groups


def _plan(
    repository: str, items: Sequence[Item], part: str, detector: str, repositories: Repositories
) -> tuple[list[Judgement], list[_Pending]]:
    """Split the samples of a repository into stored judgements and groups still to be judged."""
    path = repositories.path(repository)
    try:
        head = RepositoryHistory.open(path).chain.head.sha if path is not None else None
    except HistoryError as error:
        return [j for item in items for j in _unjudged(item, part, detector, str(error))], []
    if path is None or head is None:
        problem = f"there is no history of {repository} in the folder of repositories"
        return [j for item in items for j in _unjudged(item, part, detector, problem)], []
    file = repositories.cache / "evaluate" / detector / part / f"{repository.replace('/', '__')}.jsonl"
    journal = Journal(file, to_json, from_json)
    keys = {item.sample.sample: _key(item, part, detector, head) for item in items}
    stored = {name: sample for name, key in keys.items() if (sample := journal.get(key)) is not None}
    todo = [item for item in items if item.sample.sample not in stored]
    groups = [tuple(todo[start : start + _GROUP_SIZE]) for start in range(0, len(todo), _GROUP_SIZE)]
    pending = [
        _Pending(
            Task(part, detector, path, repositories.cache / "history", group),
            tuple(keys[item.sample.sample] for item in group),
            journal,
        )
        for group in groups
    ]
    return [judgement for sample in stored.values() for judgement in sample.judgements], pending


def _key(item: Item, part: str, detector: str, head: str) -> str:
    sample = item.sample
    texts = repr((sample.patch, sample.created_at, item.benchmark, item.gold))
    digest = hashlib.sha256(texts.encode("utf-8", "surrogatepass")).hexdigest()
    return key_of(_code_digest(), part, detector, head, digest, sample.base_commit, sample.landed_commit)


@cache
def _code_digest() -> str:
    """Return a digest of the code that judges: detectors change before their version is raised."""
    root = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for package in _JUDGING:
        for file in sorted((root / package).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _run(pending: Sequence[_Pending], processes: int) -> Iterator[list[JudgedSample]]:
    """Judge the groups in worker processes; each is in the journal before it is yielded."""
    if not pending:
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        indexes = {group.task.repository: group.task.cache_dir for group in pending}
        list(pool.map(build_index, indexes, indexes.values()))
        running: dict[Future[list[JudgedSample]], _Pending] = {
            pool.submit(run, group.task): group for group in pending
        }
        try:
            while running:
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    group, samples = running.pop(future), future.result()
                    group.journal.add(dict(zip(group.keys, samples, strict=True)))
                    yield samples
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def run(task: Task) -> list[JudgedSample]:
    """Judge the cases of a task; a sample that cannot be judged has cases that say why."""
    sources = _source_cache(task.repository, task.cache_dir)
    return [JudgedSample(tuple(_judge(item, task, sources))) for item in task.items]


def _judge(item: Item, task: Task, sources: SourceCache) -> list[Judgement]:
    new_detector = CANDIDATES[task.detector]
    subject = Subject(item.benchmark, item.sample, sources, task.detector, new_detector)
    try:
        return PARTS[task.part].judge(subject, item)
    except (PatchError, HistoryError) as error:
        return _unjudged(item, task.part, task.detector, str(error))


def _unjudged(item: Item, part: str, detector: str, problem: str) -> list[Judgement]:
    return [not_judged(case, detector, problem) for case in PARTS[part].unknown(item)]


@lru_cache(maxsize=2)
def _source_cache(repository: Path, cache_dir: Path) -> SourceCache:
    return SourceCache(RepositoryHistory.open(repository, cache_dir=cache_dir))
