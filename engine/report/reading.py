"""What an estimate says of a claim, by a rule that is the same for all findings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.statistics.proportions import Interval

MINUS = "\N{MINUS SIGN}"


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


def percent(change: float | None) -> str:
    """Return a relative change as `−8.1%`."""
    return "\N{EN DASH}" if change is None else f"{100 * change:+.1f}%".replace("-", MINUS)


def signed(number: float, decimals: int = 1) -> str:
    """Return a number with its sign."""
    return f"{number:+.{decimals}f}".replace("-", MINUS)


def with_interval(estimate: float, bounds: Interval, decimals: int = 1, scale: float = 1.0) -> str:
    """Return `+3.1 [−1.0 to +7.2]`."""
    ends = f"{signed(scale * bounds.low, decimals)} to {signed(scale * bounds.high, decimals)}"
    return f"{signed(scale * estimate, decimals)} [{ends}]"
