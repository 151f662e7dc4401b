"""Array types shared by the vectorised statistics, and the two columns that most results are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.statistics.proportions import Interval, Proportion

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> Floats:
    """Divide elementwise; NaN where the denominator is zero."""
    top, bottom = np.broadcast_arrays(
        np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64)
    )
    quotient: Floats = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom != 0)
    return quotient


def number(value: float) -> float | None:
    """Turn one element of a column into a plain float, None for NaN (undefined)."""
    return None if np.isnan(value) else float(value)


@dataclass(frozen=True, slots=True)
class Counts:
    """Successes out of trials, one element per submission.

    Attributes:
        k: Resolved samples, integers of any shape.
        n: Samples, same shape.
    """

    k: Ints
    n: Ints

    @property
    def rate(self) -> Floats:
        """Resolved share k / n, NaN where n is 0."""
        return ratio(self.k, self.n)

    def at(self, index: int) -> Proportion:
        """Return one element."""
        return Proportion(int(self.k[index]), int(self.n[index]))

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.k + other.k, self.n + other.n)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Ends of intervals, one element per submission; both NaN where there is no interval."""

    low: Floats
    high: Floats

    def at(self, index: int) -> Interval | None:
        """Return one element, None where there is no interval."""
        low, high = float(self.low[index]), float(self.high[index])
        return None if np.isnan(low) or np.isnan(high) else Interval(low, high)
