"""Judges the cases of an evaluation in worker processes, a group of samples of one repository at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path

from engine.benchmarks.sample import Sample
from engine.evaluation import certain, handread, rewriting
from engine.evaluation.gold import GoldVerdict
from engine.evaluation.judgement import Judgement, not_judged
from engine.evaluation.subject import Subject
from engine.history.errors import HistoryError
from engine.history.repository import RepositoryHistory
from engine.patches.diff import PatchError
from engine.presence.labelling import Repositories
from engine.presence.snapshot import SourceCache
from engine.presence.workers import DETECTORS, build_index

Progress = Callable[[int, int], None]
"""Called with how many samples are done and how many there are."""

PARTS = (certain.PART, handread.PART, rewriting.PART)
_GROUP_SIZE = 8


@dataclass(frozen=True, slots=True)
class Item:
    """A sample to be judged.

    Attributes:
        benchmark: Key of its benchmark.
        sample: The sample.
        gold: Its hand-read verdicts.
    """

    benchmark: str
    sample: Sample
    gold: tuple[GoldVerdict, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """Samples of one repository for one part and detector."""

    part: str
    detector: str
    repository: Path
    cache_dir: Path
    items: tuple[Item, ...]


def evaluate(
    items: Sequence[Item],
    parts: Sequence[str],
    detectors: Sequence[str],
    repositories: Repositories,
    processes: int,
    progress: Progress,
) -> list[Judgement]:
    """Judge all cases of the parts asked for, by each detector.

    Args:
        items: Samples with their patches.
        parts: Some of `PARTS`.
        detectors: Keys in `DETECTORS`.
        repositories: Where the histories are; cases of a missing one are listed as not judged.
        processes: How many worker processes to use.
        progress: Told after each group.
    """
    tasks, judgements = _plan(items, parts, detectors, repositories)
    total, done = sum(len(task.items) for task in tasks), 0
    progress(done, total)
    for task, found in _run(tasks, processes):
        judgements += found
        done += len(task.items)
        progress(done, total)
    return sorted(judgements, key=lambda j: (j.case.part, j.detector, j.case.sample, j.case.name))


def _plan(
    items: Sequence[Item], parts: Sequence[str], detectors: Sequence[str], repositories: Repositories
) -> tuple[list[Task], list[Judgement]]:
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        groups[item.sample.repository].append(item)
    tasks: list[Task] = []
    judgements: list[Judgement] = []
    for repository, members in groups.items():
        path = repositories.path(repository)
        for part in parts:
            wanted = [item for item in members if part != handread.PART or item.gold]
            for detector in detectors:
                if path is None:
                    problem = f"there is no history of {repository} in the folder of repositories"
                    judgements += [j for item in wanted for j in _unjudged(item, part, detector, problem)]
                    continue
                cache = repositories.cache / "history"
                tasks += [
                    Task(part, detector, path, cache, tuple(wanted[start : start + _GROUP_SIZE]))
                    for start in range(0, len(wanted), _GROUP_SIZE)
                ]
    return tasks, judgements


def _run(tasks: Sequence[Task], processes: int) -> Iterator[tuple[Task, list[Judgement]]]:
    if not tasks:
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        indexes = {task.repository: task.cache_dir for task in tasks}
        list(pool.map(build_index, indexes, indexes.values()))
        running: dict[Future[list[Judgement]], Task] = {pool.submit(run, task): task for task in tasks}
        try:
            while running:
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    yield running.pop(future), future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def run(task: Task) -> list[Judgement]:
    """Judge the cases of a task; a sample that cannot be judged has cases that say why."""
    cache = _source_cache(task.repository, task.cache_dir)
    judgements: list[Judgement] = []
    for item in task.items:
        subject = Subject(item.benchmark, item.sample, cache, task.detector, DETECTORS[task.detector])
        try:
            judgements += _judge(task.part, subject, item)
        except (PatchError, HistoryError) as error:
            judgements += _unjudged(item, task.part, task.detector, str(error))
    return judgements


def _judge(part: str, subject: Subject, item: Item) -> list[Judgement]:
    if part == handread.PART:
        return handread.judge_handread(subject, item.gold)
    if part == rewriting.PART:
        return rewriting.judge_rewrites(subject)
    return certain.judge_certain(subject)


def _unjudged(item: Item, part: str, detector: str, problem: str) -> list[Judgement]:
    if part == handread.PART:
        cases = [handread.handread_case(item.benchmark, gold) for gold in item.gold]
    elif part == rewriting.PART:
        cases = [rewriting.unchanged_case(item.benchmark, item.sample.sample)]
    else:
        cases = certain.unknown_cases(item.benchmark, item.sample.sample)
    return [not_judged(case, detector, problem) for case in cases]


@lru_cache(maxsize=2)
def _source_cache(repository: Path, cache_dir: Path) -> SourceCache:
    return SourceCache(RepositoryHistory.open(repository, cache_dir=cache_dir))
