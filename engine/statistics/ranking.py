"""Ranks with their uncertainty.

A rank is one plus the number of strictly better rates, so ties share the better place. Two intervals for it:

- `simultaneous_ranks` needs only k and n. All pairs are compared at once (Bonferroni), as if the submissions
  were measured on separate samples, so the intervals hold together and are wide.
- `bootstrap_ranks` needs the outcome of every sample. It draws the benchmark's samples anew, the same ones
  for all submissions, and so keeps that most submissions solve the same easy samples. Its intervals are
  percentiles and hold one by one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from engine.statistics.arrays import Counts, Floats, ratio
from engine.statistics.intervals import newcombe_bounds
from engine.statistics.proportions import CONFIDENCE

SEED = 20251031


@dataclass(frozen=True, slots=True)
class Rank:
    """A place with the places it could as well be, all from 1."""

    rank: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class RankColumns:
    """Ranks of shape (submissions,); NaN for a submission without a rate."""

    rank: Floats
    low: Floats
    high: Floats

    def at(self, index: int) -> Rank | None:
        """Return one element, None for a submission without a rate."""
        if np.isnan(self.rank[index]):
            return None
        return Rank(int(self.rank[index]), int(self.low[index]), int(self.high[index]))


def ranks(rates: ArrayLike) -> Floats:
    """Rank rates, highest first, along the last axis; NaN stays NaN and takes no place."""
    values = np.asarray(rates, dtype=np.float64)
    missing = np.isnan(values)
    # A missing rate goes behind all others, where it moves none of them.
    places = rankdata(np.where(missing, np.inf, -values), method="min", axis=-1)
    return np.where(missing, np.nan, places)


def simultaneous_ranks(counts: Counts, confidence: float = CONFIDENCE) -> RankColumns:
    """Return ranks with intervals that all hold together with probability `confidence` or more.

    Args:
        counts: One element per submission.
        confidence: Coverage of all intervals together.
    """
    ranked = counts.n > 0
    present = int(ranked.sum())
    pairs = max(1, present * (present - 1) // 2)
    k, n = counts.k[:, None], counts.n[:, None]
    low, high = newcombe_bounds(k, n, k.T, n.T, 1 - (1 - confidence) / pairs)
    # Comparisons with NaN are False: submissions without a rate are neither better nor worse.
    worse_than, better_than = (high < 0).sum(axis=1), (low > 0).sum(axis=1)
    return RankColumns(
        ranks(counts.rate),
        np.where(ranked, 1.0 + worse_than, np.nan),
        np.where(ranked, float(present) - better_than, np.nan),
    )


def bootstrap_ranks(
    resolved: ArrayLike,
    member: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    resamples: int = 1000,
    confidence: float = CONFIDENCE,
    seed: int = SEED,
) -> RankColumns:
    """Return ranks with percentile intervals over resampled samples.

    The interval is widened to hold the rank itself, which ties among resamples can leave just outside. A
    resample in which a submission has no member sample is left out for that submission.

    Args:
        resolved: Booleans of shape (submissions, samples).
        member: Which samples count: all of them before, the clean ones after. Shape (submissions, samples),
            or (samples,) when they are the same for all.
        clusters: Cluster (repository) of each sample, shape (samples,). Whole clusters are drawn then.
        resamples: Number of resamples.
        confidence: Coverage of each interval.
        seed: The same seed and input give the same intervals.

    Raises:
        ValueError: If shapes do not fit.
    """
    solved = np.asarray(resolved, dtype=np.bool_)
    counted = np.asarray(member, dtype=np.bool_)
    if solved.ndim != 2 or counted.shape not in (solved.shape, solved.shape[1:]):
        raise ValueError(f"resolved {solved.shape} and member {counted.shape} do not fit")
    observed = ranks(ratio((solved & counted).sum(axis=-1), counted.sum(axis=-1)))
    if not solved.size:
        return RankColumns(observed, observed.copy(), observed.copy())
    weights = resample_weights(solved.shape[1], clusters, resamples, np.random.default_rng(seed))
    # Single precision is exact for counts and halves the time of the products.
    totals = weights @ np.atleast_2d(counted).astype(np.float32).T
    drawn = np.sort(ranks(ratio(weights @ (solved & counted).astype(np.float32).T, totals)), axis=0)
    valid = (~np.isnan(drawn)).sum(axis=0)
    tail = (1 - confidence) / 2
    first = np.floor(tail * valid).astype(np.int64)
    last = np.maximum(np.ceil((1 - tail) * valid).astype(np.int64) - 1, 0)
    column = np.arange(drawn.shape[1])
    return RankColumns(
        observed,
        np.where(np.isnan(observed), np.nan, np.fmin(observed, drawn[first, column])),
        np.where(np.isnan(observed), np.nan, np.fmax(observed, drawn[last, column])),
    )


def resample_weights(
    samples: int, clusters: ArrayLike | None, resamples: int, generator: np.random.Generator
) -> NDArray[np.float32]:
    """How often each sample was drawn, shape (resamples, samples)."""
    if clusters is None:
        units, unit_of = samples, np.arange(samples)
    else:
        names, unit_of = np.unique(np.asarray(clusters), return_inverse=True)
        units = len(names)
        if len(unit_of) != samples:
            raise ValueError(f"clusters name {len(unit_of)} samples, resolved {samples}")
    drawn = generator.integers(units, size=(resamples, units))
    flat = drawn + np.arange(resamples)[:, None] * units
    times = np.bincount(flat.ravel(), minlength=resamples * units).reshape(resamples, units)
    return times.astype(np.float32)[:, unit_of]
