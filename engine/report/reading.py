"""What an estimate says of a claim, by a rule that is the same for all findings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.statistics.proportions import Interval


class Answer(StrEnum):
    """Whether a finding holds here."""

    YES = "yes"
    NO = "no"
    OPEN = "cannot be said"
    COMPATIBLE = "not contradicted"
    NOT_ASKED = "does not apply"


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of a finding.

    Attributes:
        figure: Our figures, in words.
        answer: Whether the finding holds by them.
        reason: Why.
    """

    figure: str
    answer: Answer
    reason: str


def by_sign(figure: str, bounds: Interval, *, claimed: int, what: str) -> Reading:
    """Return a reading by where an interval lies: beyond 0 on the side claimed, on the other, or across.

    Args:
        figure: Our figures.
        bounds: Interval of the estimate.
        claimed: 1 if the finding says that it is positive, -1 if negative.
        what: Names the estimate.
    """
    low, high = (bounds.low, bounds.high) if claimed > 0 else (-bounds.high, -bounds.low)
    if low > 0:
        return Reading(figure, Answer.YES, f"{what} is beyond chance")
    if high < 0:
        return Reading(figure, Answer.NO, f"{what} is reversed beyond chance")
    return Reading(figure, Answer.OPEN, f"{what} could be chance")
