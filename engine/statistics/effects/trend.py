"""Does the drop shrink with newer models (Finding 4), and with better ones (Finding 5)?

A relative change has the rate before in its denominator and its clean samples are part of that rate, so it is
correlated with the rate without any contamination. `rate_against_change` therefore also draws what the
correlation would be if the labels had nothing to do with the outcomes beyond difficulty.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata
from scipy.stats import t as student

from engine.statistics.arrays import Bools, Floats, Ints, ratio
from engine.statistics.proportions import CONFIDENCE, Interval
from engine.statistics.ranking import SEED


@dataclass(frozen=True, slots=True)
class Trend:
    """A straight line through weighted points.

    Attributes:
        slope: Change of the value per unit of x.
        intercept: Value at x = 0.
        interval: Of the slope; robust to unequal variances (HC3), Student's t with n - 2 degrees of freedom.
        p_value: Of no slope, two-sided.
        n: Points.
    """

    slope: float
    intercept: float
    interval: Interval
    p_value: float
    n: int


@dataclass(frozen=True, slots=True)
class Association:
    """Spearman's rank correlation.

    Attributes:
        rho: The correlation.
        interval: Percentile bootstrap over points.
        p_value: Permutation test, two-sided.
        n: Points.
    """

    rho: float
    interval: Interval
    p_value: float
    n: int


@dataclass(frozen=True, slots=True)
class RateAgainstChange:
    """How the relative change goes with the rate before.

    Attributes:
        association: Spearman's correlation of the two; None with fewer than three points or no variation.
        expected: Interval of the same correlation when labels are dealt out anew within strata.
        p_value: Share of such deals with a correlation at least as far from their mean; None likewise.
    """

    association: Association | None
    expected: Interval | None
    p_value: float | None


def linear_trend(
    x: ArrayLike, values: ArrayLike, weights: ArrayLike | None = None, confidence: float = CONFIDENCE
) -> Trend | None:
    """Fit a line by weighted least squares.

    Args:
        x: Shape (points,), such as release dates in years.
        values: Shape (points,), such as relative changes; points with NaN in either are left out.
        weights: Shape (points,), such as the number of clean samples or the inverse of a variance.
        confidence: Coverage.

    Returns:
        None with fewer than three points, or when x does not vary.

    Raises:
        ValueError: If the shapes differ or a weight is not positive.
    """
    first, second = _points(x, values)
    weight = np.ones(np.shape(x)) if weights is None else np.asarray(weights, dtype=np.float64)
    if weight.shape != np.shape(x) or not np.all(weight > 0):
        raise ValueError("every point needs a positive weight")
    weight = weight[~np.isnan(np.asarray(x, dtype=np.float64) + np.asarray(values, dtype=np.float64))]
    if len(first) < 3 or np.ptp(first) == 0:
        return None
    centre = np.average(first, weights=weight)
    design = np.stack([np.ones_like(first), first - centre], axis=1)
    inverse = np.linalg.inv(design.T @ (weight[:, None] * design))
    coefficients = inverse @ (design.T @ (weight * second))
    leverage = weight * np.einsum("ij,jk,ik->i", design, inverse, design)
    residual = second - design @ coefficients
    # A point with all the leverage is fitted exactly and carries no error.
    scaled = weight * np.divide(
        residual, 1 - leverage, out=np.zeros_like(residual), where=leverage < 1 - 1e-12
    )
    meat = design.T @ (scaled[:, None] ** 2 * design)
    error = sqrt(float((inverse @ meat @ inverse)[1, 1]))
    slope, freedom = float(coefficients[1]), len(first) - 2
    half = float(student.ppf((1 + confidence) / 2, freedom)) * error
    p_value = float(2 * student.sf(abs(slope) / error, freedom)) if error else float(slope == 0)
    intercept = float(coefficients[0] - slope * centre)
    return Trend(slope, intercept, Interval(slope - half, slope + half), p_value, len(first))


def association(
    x: ArrayLike,
    values: ArrayLike,
    *,
    resamples: int = 2000,
    confidence: float = CONFIDENCE,
    seed: int = SEED,
) -> Association | None:
    """Return Spearman's correlation with a bootstrap interval and a permutation test.

    Args:
        x: Shape (points,).
        values: Shape (points,); points with NaN in either are left out.
        resamples: Resamples, and permutations.
        confidence: Coverage.
        seed: The same seed and points give the same answer.

    Returns:
        None with fewer than three points, or when either does not vary.
    """
    first, second = _points(x, values)
    n = len(first)
    if n < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    generator = np.random.default_rng(seed)
    rho = float(_spearman(first[None], second[None])[0])
    drawn = generator.integers(n, size=(resamples, n))
    bootstrap = _spearman(first[drawn], second[drawn])
    # A resample of one point over and over has no correlation.
    bootstrap = bootstrap[~np.isnan(bootstrap)]
    low, high = np.quantile(bootstrap, [(1 - confidence) / 2, (1 + confidence) / 2])
    shuffled = generator.permuted(np.tile(second, (resamples, 1)), axis=1)
    null = _spearman(np.tile(first, (resamples, 1)), shuffled)
    extreme = int(np.sum(np.abs(null) >= abs(rho) - 1e-12))
    return Association(rho, Interval(float(low), float(high)), (1 + extreme) / (1 + resamples), n)


def rate_against_change(
    resolved: ArrayLike,
    clean: ArrayLike,
    strata: Sequence[Hashable] | None = None,
    *,
    resamples: int = 500,
    confidence: float = CONFIDENCE,
    seed: int = SEED,
) -> RateAgainstChange:
    """Correlate rates before with relative changes, and show what chance and difficulty alone would give.

    Args:
        resolved: Booleans of shape (submissions, samples).
        clean: Which samples are clean for each submission, same shape.
        strata: Difficulty of each sample: labels are dealt out anew within each level only.
        resamples: Deals.
        confidence: Coverage.
        seed: Of the deals.

    Raises:
        ValueError: If shapes do not fit.
    """
    solved, member = np.asarray(resolved, dtype=np.bool_), np.asarray(clean, dtype=np.bool_)
    if solved.ndim != 2 or solved.shape != member.shape:
        raise ValueError(f"resolved {solved.shape} and clean {member.shape} differ")
    if strata is not None and len(strata) != solved.shape[1]:
        raise ValueError(f"strata name {len(strata)} samples, resolved {solved.shape[1]}")
    before = ratio(solved.sum(axis=1), solved.shape[1])
    observed = association(before, _changes(solved, member, before), confidence=confidence, seed=seed)
    if observed is None:
        return RateAgainstChange(None, None, None)
    names = list(dict.fromkeys(strata)) if strata is not None else [None]
    groups = [
        np.flatnonzero([strata is None or strata[j] == name for j in range(solved.shape[1])])
        for name in names
    ]
    generator = np.random.default_rng(seed)
    null = np.array([_dealt(solved, member, before, groups, generator) for _ in range(resamples)])
    null = null[~np.isnan(null)]
    if not null.size:
        return RateAgainstChange(observed, None, None)
    low, high = np.quantile(null, [(1 - confidence) / 2, (1 + confidence) / 2])
    far = np.abs(null - null.mean()) >= abs(observed.rho - null.mean()) - 1e-12
    return RateAgainstChange(
        observed, Interval(float(low), float(high)), float((1 + far.sum()) / (1 + null.size))
    )


def _dealt(
    solved: Bools, member: Bools, before: Floats, groups: Sequence[Ints], generator: np.random.Generator
) -> float:
    """Correlation after the labels, whole columns of them, have changed places within groups."""
    place = np.arange(solved.shape[1])
    for group in groups:
        place[group] = generator.permutation(group)
    first, second = _points(before, _changes(solved, member[:, place], before))
    if len(first) < 3:
        return float("nan")
    return float(_spearman(first[None], second[None])[0])


def _changes(solved: Bools, member: Bools, before: Floats) -> Floats:
    after = ratio((solved & member).sum(axis=1), member.sum(axis=1))
    return ratio(after, before) - 1


def _points(x: ArrayLike, values: ArrayLike) -> tuple[Floats, Floats]:
    first, second = np.asarray(x, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"points need two columns of one length, got {first.shape} and {second.shape}")
    defined = ~np.isnan(first + second)
    return first[defined], second[defined]


def _spearman(first: Floats, second: Floats) -> Floats:
    """Correlation of ranks along the last axis; NaN without variation."""
    a, b = rankdata(first, axis=-1), rankdata(second, axis=-1)
    a, b = a - a.mean(axis=-1, keepdims=True), b - b.mean(axis=-1, keepdims=True)
    return ratio((a * b).sum(axis=-1), np.sqrt((a**2).sum(axis=-1) * (b**2).sum(axis=-1)))
