"""Intervals that allow for samples of one repository being alike.

Back-ports of one fix, and bugs of one code base, are solved or missed together, so that 500 samples carry
less information than 500 independent ones. The variance between repositories is that of a ratio estimator
(Taylor linearisation, G / (G - 1) correction); quantiles are Student's with G - 1 degrees of freedom for G
repositories with samples. A rate keeps Wilson's form with the sample size that this variance implies (Korn
and Graubard 1998; Dean and Pagano 2015), which stays within 0 and 1.

Undefined (NaN, shown as a dash): fewer than two repositories, or no variation to learn from (k = 0 or k = n).
Repositories that differ less than chance would make them do not narrow an interval below the independent one.
"""

from __future__ import annotations

import numpy as np
from scipy.special import stdtrit

from engine.statistics.arrays import Bounds, Counts, Floats, ratio
from engine.statistics.intervals import score_bounds


def clustered_rates(counts: Counts, confidence: float) -> Bounds:
    """Return intervals of rates.

    Args:
        counts: Shape (submissions, repositories).
        confidence: Coverage.

    Returns:
        Bounds of shape (submissions,).
    """
    k, n = counts.k.sum(axis=-1), counts.n.sum(axis=-1)
    rate = ratio(k, n)
    clusters = (counts.n > 0).sum(axis=-1)
    between = _between(ratio(counts.k - rate[..., None] * counts.n, n[..., None]), clusters)
    independent = ratio(rate * (1 - rate), n)
    effective = n * np.fmin(1.0, ratio(independent, between))
    low, high = score_bounds(rate * effective, effective, _student(clusters, confidence))
    defined = (clusters > 1) & (k > 0) & (k < n)
    return Bounds(np.where(defined, low, np.nan), np.where(defined, high, np.nan))


def clustered_differences(clean: Counts, contaminated: Counts, confidence: float) -> Bounds:
    """Return intervals of the clean rate minus the contaminated rate.

    A repository with samples in both groups contributes to both rates; that covariance is kept.

    Args:
        clean: Shape (submissions, repositories).
        contaminated: Same shape.
        confidence: Coverage.

    Returns:
        Bounds of shape (submissions,) within [-1, 1].
    """
    clusters = ((clean.n > 0) | (contaminated.n > 0)).sum(axis=-1)
    deviation = np.zeros(clean.k.shape)
    gap = np.zeros(clusters.shape)
    independent = np.zeros(clusters.shape)
    for group, sign in ((clean, 1.0), (contaminated, -1.0)):
        n = group.n.sum(axis=-1)
        rate = ratio(group.k.sum(axis=-1), n)
        gap = gap + sign * rate
        deviation = deviation + sign * ratio(group.k - rate[..., None] * group.n, n[..., None])
        independent = independent + ratio(rate * (1 - rate), n)
    error = np.sqrt(np.fmax(_between(deviation, clusters), independent))
    half = np.where((clusters > 1) & (error > 0), _student(clusters, confidence) * error, np.nan)
    return Bounds(np.maximum(gap - half, -1.0), np.minimum(gap + half, 1.0))


def _between(deviation: Floats, clusters: Floats) -> Floats:
    """Variance from the clusters' deviations, which sum to zero."""
    return np.asarray(ratio(clusters, clusters - 1) * np.sum(deviation**2, axis=-1))


def _student(clusters: Floats, confidence: float) -> Floats:
    return np.asarray(stdtrit(np.maximum(clusters - 1, 1), (1 + confidence) / 2))
