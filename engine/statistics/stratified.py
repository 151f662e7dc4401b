"""Clean against contaminated within strata of difficulty (Mantel-Haenszel).

Harder samples may be clean more often; comparing within each level of difficulty takes that out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from engine.statistics.arrays import Bounds, Counts, Floats, Ints, number, ratio
from engine.statistics.intervals import critical_value
from engine.statistics.proportions import CONFIDENCE, Interval, Proportion


@dataclass(frozen=True, slots=True)
class StratifiedColumns:
    """Mantel-Haenszel estimates, one element per submission; NaN where undefined.

    Attributes:
        strata: Strata that hold samples of both groups; the others say nothing and are left out.
        odds_ratio: Common odds ratio, clean over contaminated; infinite when only its numerator is positive.
        odds_ratio_bounds: Robins-Breslow-Greenland interval; NaN when the ratio is 0, infinite or undefined.
        risk_difference: Common difference of rates, clean minus contaminated.
        risk_difference_bounds: Interval with Sato's variance (1989); NaN when that variance is 0.
        p_value: Cochran-Mantel-Haenszel test without continuity correction, two-sided; NaN without variation.
    """

    strata: Ints
    odds_ratio: Floats
    odds_ratio_bounds: Bounds
    risk_difference: Floats
    risk_difference_bounds: Bounds
    p_value: Floats

    def at(self, index: int) -> Stratified:
        """Return one element."""
        return Stratified(
            strata=int(self.strata[index]),
            odds_ratio=number(self.odds_ratio[index]),
            odds_ratio_interval=self.odds_ratio_bounds.at(index),
            risk_difference=number(self.risk_difference[index]),
            risk_difference_interval=self.risk_difference_bounds.at(index),
            p_value=number(self.p_value[index]),
        )


@dataclass(frozen=True, slots=True)
class Stratified:
    """Mantel-Haenszel estimates of one submission (see `StratifiedColumns`); None where undefined."""

    strata: int
    odds_ratio: float | None
    odds_ratio_interval: Interval | None
    risk_difference: float | None
    risk_difference_interval: Interval | None
    p_value: float | None


def mantel_haenszel(
    clean: list[Proportion], contaminated: list[Proportion], confidence: float = CONFIDENCE
) -> Stratified:
    """Compare two groups within strata; the lists name the same strata in the same order.

    Raises:
        ValueError: If the lists differ in length.
    """
    if len(clean) != len(contaminated):
        raise ValueError(f"{len(clean)} clean strata but {len(contaminated)} contaminated ones")
    groups = [
        Counts(np.array([[p.k for p in group]], np.int64), np.array([[p.n for p in group]], np.int64))
        for group in (clean, contaminated)
    ]
    return mantel_haenszel_columns(groups[0], groups[1], confidence).at(0)


def mantel_haenszel_columns(clean: Counts, contaminated: Counts, confidence: float) -> StratifiedColumns:
    """Compare two groups within strata, for many submissions.

    Args:
        clean: Counts of shape (submissions, strata).
        contaminated: Counts of the same shape.
        confidence: Coverage of the intervals.
    """
    informative = (clean.n > 0) & (contaminated.n > 0)
    a, n1, c, n2 = (
        np.where(informative, column, 0).astype(np.float64)
        for column in (clean.k, clean.n, contaminated.k, contaminated.n)
    )
    z = critical_value(confidence)
    odds, odds_bounds = _odds_ratio(a, n1, c, n2, z)
    difference, difference_bounds = _risk_difference(a, n1, c, n2, z)
    return StratifiedColumns(
        strata=informative.sum(axis=-1),
        odds_ratio=odds,
        odds_ratio_bounds=odds_bounds,
        risk_difference=difference,
        risk_difference_bounds=difference_bounds,
        p_value=_cmh_p_value(a, n1, c, n2),
    )


def _sum(terms: ArrayLike) -> Floats:
    """Sum over strata; a stratum left out has size 0 and so NaN terms."""
    return np.asarray(np.nansum(terms, axis=-1))


def _odds_ratio(a: Floats, n1: Floats, c: Floats, n2: Floats, z: float) -> tuple[Floats, Bounds]:
    b, d, total = n1 - a, n2 - c, n1 + n2
    r, s = ratio(a * d, total), ratio(b * c, total)
    p, q = ratio(a + d, total), ratio(b + c, total)
    sum_r, sum_s = _sum(r), _sum(s)
    odds = np.where((sum_s == 0) & (sum_r > 0), np.inf, ratio(sum_r, sum_s))
    variance = (
        ratio(_sum(p * r), 2 * sum_r**2)
        + ratio(_sum(p * s + q * r), 2 * sum_r * sum_s)
        + ratio(_sum(q * s), 2 * sum_s**2)
    )
    spread = np.exp(z * np.sqrt(variance))
    with np.errstate(invalid="ignore"):
        return odds, Bounds(odds / spread, odds * spread)


def _risk_difference(a: Floats, n1: Floats, c: Floats, n2: Floats, z: float) -> tuple[Floats, Bounds]:
    total = n1 + n2
    weight = _sum(ratio(n1 * n2, total))
    difference = ratio(_sum(ratio(a * n2 - c * n1, total)), weight)
    p = _sum(ratio(n1**2 * c - n2**2 * a + n1 * n2 * (n2 - n1) / 2, total**2))
    q = _sum(ratio(a * (n2 - c) + c * (n1 - a), 2 * total))
    variance = ratio(difference * p + q, weight**2)
    half = z * np.sqrt(np.where(variance > 0, variance, np.nan))
    return difference, Bounds(np.maximum(difference - half, -1.0), np.minimum(difference + half, 1.0))


def _cmh_p_value(a: Floats, n1: Floats, c: Floats, n2: Floats) -> Floats:
    total, resolved = n1 + n2, a + c
    deviation = _sum(a - ratio(n1 * resolved, total))
    variance = _sum(ratio(n1 * n2 * resolved * (total - resolved), total**2 * (total - 1)))
    return np.asarray(chdtrc(1.0, ratio(deviation**2, variance)))
