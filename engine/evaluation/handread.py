"""Hand-read verdicts: the detector at the cutoffs that a person read."""

from __future__ import annotations

from collections.abc import Sequence

from engine.evaluation.gold import GoldVerdict
from engine.evaluation.judgement import Case, Judgement, judged, not_judged
from engine.evaluation.subject import Subject
from engine.history.errors import HistoryError
from engine.presence.single import Fix, judge_at

PART = "gold"


def judge_handread(subject: Subject, verdicts: Sequence[GoldVerdict]) -> list[Judgement]:
    """Judge a sample at each cutoff that was read."""
    return [_judge(subject, verdict) for verdict in verdicts]


def _judge(subject: Subject, gold: GoldVerdict) -> Judgement:
    case = handread_case(subject.benchmark, gold)
    landing = subject.landing
    if isinstance(landing, str):
        return not_judged(case, subject.detector_key, landing)
    try:
        commit, verdict = judge_at(
            Fix(subject.blocks, landing), gold.cutoff, subject.new_detector(), subject.cache
        )
    except HistoryError as error:
        return not_judged(case, subject.detector_key, str(error))
    if gold.commit and commit != gold.commit:
        return not_judged(
            case, subject.detector_key, f"the tree is that of {commit[:10]}, {gold.commit[:10]} was read"
        )
    return judged(case, subject.detector_key, verdict)


def handread_case(benchmark: str, gold: GoldVerdict) -> Case:
    """Return the case of a hand-read verdict."""
    why = f"{gold.kind} ({gold.confidence}): {gold.reason}"
    return Case(
        PART, benchmark, gold.sample, gold.cutoff.isoformat(), gold.present, why, not gold.is_arguable
    )
