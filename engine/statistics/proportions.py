"""One rate with its interval, the difference of two, and the paper's relative change."""

from __future__ import annotations

from dataclasses import dataclass

from engine.statistics import intervals

CONFIDENCE = 0.95

FEWEST_SAMPLES = 10
"""With fewer different samples on either side, a stratum is too small to say anything."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval; `low <= high`."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"an interval must run upwards, got {self.low} to {self.high}")

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Proportion:
    """k of n samples resolved.

    Attributes:
        k: Resolved samples.
        n: All samples; 0 is allowed and has neither rate nor interval.

    Raises:
        ValueError: Unless 0 <= k <= n.
    """

    k: int
    n: int

    def __post_init__(self) -> None:
        if not 0 <= self.k <= self.n:
            raise ValueError(f"a proportion needs 0 <= k <= n, got {self.k} of {self.n}")

    @property
    def rate(self) -> float | None:
        """Resolved share k / n, None at n = 0."""
        return self.k / self.n if self.n else None

    def wilson(self, confidence: float = CONFIDENCE) -> Interval | None:
        """Return the Wilson score interval; None at n = 0, where nothing should be drawn."""
        if not self.n:
            return None
        low, high = intervals.wilson_bounds(self.k, self.n, confidence)
        return Interval(float(low), float(high))


def newcombe_difference(
    clean: Proportion, contaminated: Proportion, confidence: float = CONFIDENCE
) -> Interval | None:
    """Return the interval of the clean rate minus the contaminated rate (Newcombe 1998, method 10).

    Returns:
        The hybrid score interval, within [-1, 1]; None when either group is empty.
    """
    if not clean.n or not contaminated.n:
        return None
    low, high = intervals.newcombe_bounds(clean.k, clean.n, contaminated.k, contaminated.n, confidence)
    return Interval(float(low), float(high))


def relative_change(before: Proportion, after: Proportion) -> float | None:
    """Return after-rate / before-rate - 1, the change of the paper's Tables 6 to 9 (-0.052 is its 5.2% down).

    Nothing resolved before leaves 0 / 0: None, because such a row cannot show a drop, large or small. The
    paper prints these cells as 0.0%; see `relative_change_as_printed`.

    Returns:
        A fraction from -1 upwards, or None when a group is empty or nothing was resolved before.
    """
    if not before.rate or after.rate is None:
        return None
    return after.rate / before.rate - 1


def relative_change_as_printed(before: Proportion, after: Proportion) -> float | None:
    """Return the change as the paper prints it: 0.0 where nothing was resolved before and after (0/42, 0/18).

    Only for tables set beside the paper's. None when a group is empty, or when something was resolved after
    but nothing before (which a subset cannot do).
    """
    if before.rate == 0 and after.rate == 0:
        return 0.0
    return relative_change(before, after)
