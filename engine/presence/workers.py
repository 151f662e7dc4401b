"""The work of labelling, done in worker processes: a group of samples of one repository at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from engine.benchmarks.sample import Sample
from engine.history.errors import HistoryError
from engine.history.git_command import is_full_id
from engine.history.repository import RepositoryHistory
from engine.patches.blocks import Block, blocks_of
from engine.patches.diff import PatchError, parse_diff
from engine.presence.detector import Detector
from engine.presence.embedders.catalogue import jina_similarity, minilm_similarity
from engine.presence.landing import LandingUnknown, find_landing
from engine.presence.lifecycle import Subject, lifecycles
from engine.presence.outcomes import Outcome
from engine.presence.paper import PaperDetector
from engine.presence.similarity import LexicalSimilarity
from engine.presence.snapshot import SourceCache
from engine.presence.traced.detector import TracedDetector

DETECTORS: Mapping[str, Callable[[], Detector]] = {
    "paper": lambda: PaperDetector(LexicalSimilarity()),
    "paper-jina": lambda: PaperDetector(jina_similarity()),
    "paper-minilm": lambda: PaperDetector(minilm_similarity()),
    "traced": TracedDetector,
}
"""How to make each detector; a fresh one serves each patch."""


@dataclass(frozen=True, slots=True)
class Task:
    """Samples of one repository to be judged by one detector.

    Attributes:
        detector: Key in `DETECTORS`.
        repository: Where its history is.
        cache_dir: Folder of the change index.
        samples: Samples that share files, so that versions are parsed once.
    """

    detector: str
    repository: Path
    cache_dir: Path
    samples: tuple[Sample, ...]


def build_index(repository: Path, cache_dir: Path) -> str:
    """Make the change index of a repository, so that the tasks that follow find it.

    Returns:
        Why it cannot be made; empty when it is there.
    """
    try:
        RepositoryHistory.open(repository, cache_dir=cache_dir).index  # noqa: B018
    except HistoryError as error:
        return str(error)
    return ""


def run(task: Task) -> list[Outcome]:
    """Judge the samples of a task; a sample that cannot be judged has an outcome that says why."""
    try:
        outcomes = _judge(task, _source_cache(task.repository, task.cache_dir))
    except HistoryError as error:
        return [Outcome(sample.sample, problem=str(error), can_change=True) for sample in task.samples]
    return [outcomes[sample.sample] for sample in task.samples]


def _judge(task: Task, cache: SourceCache) -> dict[str, Outcome]:
    outcomes: dict[str, Outcome] = {}
    subjects: dict[str, Subject] = {}
    for sample in task.samples:
        try:
            subjects[sample.sample] = _subject(sample, task.detector, cache)
        except PatchError as error:
            outcomes[sample.sample] = Outcome(sample.sample, problem=str(error))
        except (LandingUnknown, HistoryError) as error:
            outcomes[sample.sample] = Outcome(sample.sample, problem=str(error), can_change=True)
    lives = lifecycles(list(subjects.values()), cache)
    for (sample_id, subject), intervals in zip(subjects.items(), lives, strict=True):
        scopes = tuple(block.scope for block in subject.blocks)
        outcomes[sample_id] = Outcome(sample_id, scopes, subject.landing, intervals)
    return outcomes


def sample_blocks(sample: Sample, history: RepositoryHistory) -> tuple[Block, ...]:
    """Return the blocks of a sample's gold patch.

    Raises:
        PatchError: If there is no patch, no base commit, no code in the patch, or the two do not fit.
        HistoryError: If the repository lacks the base commit's files.
    """
    base = sample.base_commit
    if sample.patch is None or base is None:
        raise PatchError("the data set gives no patch or no base commit")
    if not is_full_id(base):
        raise PatchError(f"the base commit {base!r} is not a full commit id in lower case")

    def read_base(path: str) -> bytes | None:
        blob = history.commit_tree_blob(base, path)
        return None if blob is None else history.read(blob)

    blocks = blocks_of(parse_diff(sample.patch), read_base)
    if not blocks:
        raise PatchError("the patch changes no Python or Java code")
    return tuple(replace(block, base_commit=base) for block in blocks)


def _subject(sample: Sample, detector_key: str, cache: SourceCache) -> Subject:
    blocks = sample_blocks(sample, cache.history)
    assert sample.base_commit is not None
    landing = find_landing(blocks, sample.base_commit, sample.created_at, sample.landed_commit, cache)
    detector = DETECTORS[detector_key]()
    return Subject(detector.select(blocks), landing, detector)


@lru_cache(maxsize=2)
def _source_cache(repository: Path, cache_dir: Path) -> SourceCache:
    return SourceCache(RepositoryHistory.open(repository, cache_dir=cache_dir))
