"""One case with a known answer, and what a detector said of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from engine.presence.verdicts import SampleVerdict


@dataclass(frozen=True, slots=True)
class Case:
    """A code state of which it is known whether a sample's fix is in it.

    Attributes:
        part: The part of the evaluation it belongs to.
        benchmark: Key of the sample's benchmark.
        sample: Sample id.
        name: Which state of the sample's code; unique within part and sample.
        present: Whether the fix is there.
        why: How that is known.
        counted: Whether it enters rates; cases whose answer is arguable are only listed.
    """

    part: str
    benchmark: str
    sample: str
    name: str
    present: bool
    why: str
    counted: bool = True


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one detector said of one case.

    Attributes:
        case: The case.
        detector: Key of the detector, or name of an ablated one.
        score: Its score; None when it could not judge.
        method: Its method, as stored.
        reason: Its reason, or why it could not judge.
    """

    case: Case
    detector: str
    score: float | None
    method: str
    reason: str

    def is_right(self, threshold: float) -> bool:
        """Whether the score falls on the right side of the threshold; without a score it does not."""
        return self.score is not None and (self.score >= threshold) == self.case.present


def judged(case: Case, detector: str, verdict: SampleVerdict) -> Judgement:
    """Return the judgement that a verdict makes."""
    return Judgement(case, detector, verdict.score, verdict.method.value, verdict.reason)


def not_judged(case: Case, detector: str, problem: str) -> Judgement:
    """Return the judgement of a case that could not be judged."""
    return Judgement(case, detector, None, "unknown", problem)


@dataclass(frozen=True, slots=True)
class JudgedSample:
    """All judgements of one sample by one detector in one part."""

    judgements: tuple[Judgement, ...]


def to_json(sample: JudgedSample) -> dict[str, Any]:
    """Return the judgements of a sample as JSON values, for the journal."""
    return {"judgements": [asdict(judgement) for judgement in sample.judgements]}


def from_json(values: dict[str, Any]) -> JudgedSample:
    """Return what `to_json` wrote.

    Raises:
        KeyError, TypeError: If the values are not those of judgements.
    """
    return JudgedSample(
        tuple(Judgement(**{**entry, "case": Case(**entry["case"])}) for entry in values["judgements"])
    )
