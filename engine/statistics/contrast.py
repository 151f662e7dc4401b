"""The difference of two independent estimates, each with an interval of its own."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from engine.statistics.proportions import Interval


@dataclass(frozen=True, slots=True)
class Contrast:
    """A difference and its interval."""

    estimate: float
    interval: Interval


def contrast(first: float, of_first: Interval, second: float, of_second: Interval) -> Contrast:
    """Return `first` minus `second`, with an interval from theirs (MOVER; Zou and Donner 2008).

    Both intervals must have the same coverage, which the result then has, and need not be symmetric.
    """
    estimate = first - second
    low = estimate - sqrt((first - of_first.low) ** 2 + (of_second.high - second) ** 2)
    high = estimate + sqrt((of_first.high - first) ** 2 + (second - of_second.low) ** 2)
    return Contrast(estimate, Interval(low, high))
