"""How surely one submission is above another, by drawing the benchmark's samples anew."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from engine.statistics.arrays import Floats, ratio
from engine.statistics.ranking import SEED, resample_weights


def order_shares(
    resolved: ArrayLike,
    member: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    resamples: int = 1000,
    seed: int = SEED,
) -> Floats:
    """Return in what share of resamples each submission has a higher rate than each other.

    The resamples are those of `ranking.bootstrap_ranks`. One in which either has no member sample does not
    count for the pair; a tie is neither above nor below.

    Args:
        resolved: Booleans of shape (submissions, samples).
        member: Which samples count, same shape.
        clusters: Cluster (repository) of each sample; whole clusters are drawn then.
        resamples: Number of resamples.
        seed: The same seed and input give the same shares.

    Returns:
        Shape (submissions, submissions), first above second; NaN where no resample rates both.
    """
    solved, counted = np.asarray(resolved, dtype=np.bool_), np.asarray(member, dtype=np.bool_)
    if solved.ndim != 2 or counted.shape != solved.shape:
        raise ValueError(f"resolved {solved.shape} and member {counted.shape} do not fit")
    if not solved.size:
        return np.full((len(solved), len(solved)), np.nan)
    weights = resample_weights(solved.shape[1], clusters, resamples, np.random.default_rng(seed))
    totals = weights @ counted.astype(np.float32).T
    rates = ratio(weights @ (solved & counted).astype(np.float32).T, totals)
    rated = ~np.isnan(rates)
    above = np.stack([np.sum(column[:, None] > rates, axis=0) for column in rates.T])
    return ratio(above, rated.T.astype(np.int64) @ rated.astype(np.int64))
