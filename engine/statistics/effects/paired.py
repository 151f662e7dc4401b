"""Submissions on the same samples: who solves what, and whether the difference is more than chance."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binomtest, norm

from engine.statistics.arrays import Bools
from engine.statistics.exact import benjamini_hochberg
from engine.statistics.proportions import CONFIDENCE, Interval, Proportion


@dataclass(frozen=True, slots=True)
class Agreement:
    """Cohen's kappa: agreement beyond what the two rates alone would give.

    Attributes:
        kappa: At most 1; 0 for none beyond chance.
        interval: With the large-sample variance of Fleiss, Cohen and Everitt (1969); None where that is 0, at
            perfect agreement and when one of the two resolves everything or nothing.
    """

    kappa: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Paired:
    """Two submissions on the same samples.

    Attributes:
        both: Samples resolved by both.
        first_only: Samples resolved by the first only.
        second_only: Samples resolved by the second only.
        neither: Samples resolved by neither.
        p_value: McNemar's exact test, two-sided; 1 when they never differ.
        difference_interval: First rate minus second (Newcombe 1998, paired, method 10); None without samples.
        agreement: None without samples, and when both resolve everything or both nothing.
    """

    both: int
    first_only: int
    second_only: int
    neither: int
    p_value: float
    difference_interval: Interval | None
    agreement: Agreement | None

    @property
    def n(self) -> int:
        """Samples compared."""
        return self.both + self.first_only + self.second_only + self.neither

    @property
    def difference(self) -> float | None:
        """First rate minus second; None without samples."""
        return (self.first_only - self.second_only) / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class Pair:
    """The comparison of submissions number `first` and `second`.

    Attributes:
        first: Index of the first submission.
        second: Index of the second.
        result: The comparison.
        q_value: p-value adjusted for the false discovery rate over all pairs.
    """

    first: int
    second: int
    result: Paired
    q_value: float

    @property
    def beyond_chance(self) -> bool:
        """Whether the two differ after adjustment for all pairs compared together."""
        return self.q_value <= 1 - CONFIDENCE


def compare_pair(
    first: ArrayLike, second: ArrayLike, member: ArrayLike | None = None, confidence: float = CONFIDENCE
) -> Paired:
    """Compare two submissions on the samples that count for both.

    Args:
        first: Booleans of shape (samples,).
        second: Booleans of shape (samples,).
        member: Samples to compare on, shape (samples,); all by default. For the clean ones, pass those that
            are clean for both.
        confidence: Coverage.

    Raises:
        ValueError: If the shapes differ.
    """
    a, b = np.asarray(first, dtype=np.bool_), np.asarray(second, dtype=np.bool_)
    counted = np.ones(a.shape, np.bool_) if member is None else np.asarray(member, dtype=np.bool_)
    if a.ndim != 1 or not a.shape == b.shape == counted.shape:
        raise ValueError(f"outcomes {a.shape} and {b.shape} and members {counted.shape} differ")
    both, first_only, second_only, neither = (
        int((counted & part).sum()) for part in (a & b, a & ~b, b & ~a, ~a & ~b)
    )
    apart = first_only + second_only
    table = (both, first_only, second_only, neither)
    return Paired(
        *table,
        p_value=float(binomtest(first_only, apart).pvalue) if apart else 1.0,
        difference_interval=_newcombe_paired(*table, confidence),
        agreement=_agreement(*table, confidence),
    )


def compare_all(
    resolved: ArrayLike, member: ArrayLike | None = None, confidence: float = CONFIDENCE
) -> tuple[Pair, ...]:
    """Compare every two submissions.

    Args:
        resolved: Booleans of shape (submissions, samples).
        member: Samples to compare on: shape (samples,), or (submissions, samples), where a pair is compared
            on the samples that count for both.
        confidence: Coverage.
    """
    flags = np.asarray(resolved, dtype=np.bool_)
    counted = np.broadcast_to(True if member is None else np.asarray(member, dtype=np.bool_), flags.shape)
    pairs = list(combinations(range(len(flags)), 2))
    results = [compare_pair(flags[i], flags[j], counted[i] & counted[j], confidence) for i, j in pairs]
    adjusted = benjamini_hochberg([result.p_value for result in results])
    return tuple(
        Pair(i, j, result, float(q)) for (i, j), result, q in zip(pairs, results, adjusted, strict=True)
    )


def solved_alone(resolved: ArrayLike) -> Bools:
    """Return which samples each submission solves and no other does, shape (submissions, samples)."""
    flags = np.asarray(resolved, dtype=np.bool_)
    alone: Bools = flags & (flags.sum(axis=0) == 1)
    return alone


def _newcombe_paired(both: int, first: int, second: int, neither: int, confidence: float) -> Interval | None:
    n = both + first + second + neither
    rates = Proportion(both + first, n), Proportion(both + second, n)
    one, other = (rate.wilson(confidence) for rate in rates)
    if one is None or other is None:
        return None
    p, q = rates[0].k / n, rates[1].k / n
    margins = rates[0].k * (n - rates[0].k) * rates[1].k * (n - rates[1].k)
    product = both * neither - first * second
    # Newcombe's continuity correction of the correlation keeps its sign.
    corrected = max(product - n / 2, 0.0) if product > 0 else float(product)
    phi = corrected / sqrt(margins) if margins else 0.0

    def reach(down: float, up: float) -> float:
        return sqrt(max(down**2 - 2 * phi * down * up + up**2, 0.0))

    low = p - q - reach(p - one.low, other.high - q)
    high = p - q + reach(one.high - p, q - other.low)
    return Interval(max(low, -1.0), min(high, 1.0))


def _agreement(both: int, first: int, second: int, neither: int, confidence: float) -> Agreement | None:
    n = both + first + second + neither
    if not n:
        return None
    cells = np.array([[both, first], [second, neither]], dtype=np.float64) / n
    rows, columns = cells.sum(axis=1), cells.sum(axis=0)
    observed, expected = float(np.trace(cells)), float(rows @ columns)
    if expected == 1:
        return None
    kappa = (observed - expected) / (1 - expected)
    weight = rows[None, :] + columns[:, None]
    diagonal = np.sum(np.diag(cells) * (1 - (rows + columns) * (1 - kappa)) ** 2)
    off = (1 - kappa) ** 2 * (cells[0, 1] * weight[0, 1] ** 2 + cells[1, 0] * weight[1, 0] ** 2)
    variance = (diagonal + off - (kappa - expected * (1 - kappa)) ** 2) / (1 - expected) ** 2 / n
    # Zero up to rounding: certainty is not what such a table shows.
    if variance < 1e-12:
        return Agreement(kappa, None)
    half = float(norm.ppf((1 + confidence) / 2)) * sqrt(float(variance))
    return Agreement(kappa, Interval(max(kappa - half, -1.0), min(kappa + half, 1.0)))
