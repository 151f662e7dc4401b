"""Certain pairs: the base commit, where the fix is not yet there, and the commit by which it landed."""

from __future__ import annotations

from engine.evaluation.judgement import Case, Judgement, judged, not_judged
from engine.evaluation.subject import Subject
from engine.evaluation.trees import CommitSnapshot
from engine.history.errors import HistoryError
from engine.patches.blocks import Block
from engine.presence.detector import Detector
from engine.presence.landing import Landing
from engine.presence.snapshot import Snapshot
from engine.presence.verdicts import SampleVerdict, combine

PART = "certain"
_BASE_WHY = "the commit that the fix was written against"


def unknown_cases(benchmark: str, sample: str) -> list[Case]:
    """Return the cases of a sample of which nothing can be read."""
    return [
        Case(PART, benchmark, sample, "base", False, _BASE_WHY),
        Case(PART, benchmark, sample, "landed", True, "the commit by which the fix landed"),
    ]


def judge_certain(subject: Subject) -> list[Judgement]:
    """Judge the two states of a sample's code of which the answer is certain.

    The base commit may lie off the default branch, and its tree is judged all the same. A landing whose
    commit is not known is listed and not counted.
    """
    return [_base(subject), _landed(subject)]


def _base(subject: Subject) -> Judgement:
    case = subject.case(PART, "base", False, _BASE_WHY)
    base = subject.sample.base_commit
    assert base is not None
    try:
        position = subject.cache.history.fork_position(base)
        if position is None:
            return not_judged(case, subject.detector_key, f"{base[:10]} is not in the repository")
        snapshot = CommitSnapshot(subject.cache, base, position)
        return judged(
            case, subject.detector_key, judge_tree(subject.new_detector(), subject.blocks, snapshot)
        )
    except HistoryError as error:
        return not_judged(case, subject.detector_key, str(error))


def _landed(subject: Subject) -> Judgement:
    landing = subject.landing
    if isinstance(landing, str):
        return not_judged(
            unknown_cases(subject.benchmark, subject.sample.sample)[1], subject.detector_key, landing
        )
    case = _landed_case(subject, landing)
    snapshot = Snapshot(subject.cache, landing.position)
    return judged(case, subject.detector_key, judge_tree(subject.new_detector(), subject.blocks, snapshot))


def _landed_case(subject: Subject, landing: Landing) -> Case:
    why = f"{landing.commit[:10]}: {landing.state}, {landing.evidence}"
    return subject.case(PART, "landed", True, why, counted=landing.state != "estimated")


def judge_tree(detector: Detector, blocks: tuple[Block, ...], snapshot: Snapshot) -> SampleVerdict:
    """Judge a fix in one tree, with nothing known of other trees."""
    chosen = detector.select(blocks)
    verdicts = [detector.judge(block, snapshot, None) for block in chosen]
    return combine(verdicts, [block.scope for block in chosen])
