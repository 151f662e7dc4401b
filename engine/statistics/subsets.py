"""Llama 2's form of the two-condition test, where each sample has a share of contaminated tokens.

Touvron et al. 2023, Appendix A.6: four subsets that overlap, each compared with what a random subset of its
size would score; contamination is taken to affect the benchmark when all four lie more than two standard
errors away.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from engine.statistics.arrays import Bools
from engine.statistics.proportions import Proportion

CLEAN_BELOW = 0.2
DIRTY_FROM = 0.8


def subset_z(subset: Proportion, whole: Proportion) -> float | None:
    """Return how far a subset's rate lies from that of random subsets of its size, in standard errors.

    Random subsets are drawn from the benchmark without replacement: the variance is the hypergeometric one.

    Returns:
        Positive when the subset scores above the whole; None for an empty subset, for the whole itself, and
        where everything or nothing is resolved.

    Raises:
        ValueError: If the subset cannot be part of the whole.
    """
    if subset.k > whole.k or subset.n - subset.k > whole.n - whole.k:
        raise ValueError(f"{subset.k} of {subset.n} cannot be part of {whole.k} of {whole.n}")
    if subset.rate is None or whole.rate is None or subset.n == whole.n or whole.rate in (0.0, 1.0):
        return None
    variance = whole.rate * (1 - whole.rate) / subset.n * (whole.n - subset.n) / (whole.n - 1)
    return (subset.rate - whole.rate) / sqrt(variance)


@dataclass(frozen=True, slots=True)
class Subset:
    """A subset's outcome and its distance from random subsets in standard errors, None where undefined."""

    outcome: Proportion
    z: float | None


@dataclass(frozen=True, slots=True)
class FourSubsets:
    """Samples below 20%, from 20%, below 80% and from 80% of contaminated tokens."""

    clean: Subset
    not_clean: Subset
    not_dirty: Subset
    dirty: Subset

    @property
    def affected(self) -> bool:
        """Whether all four lie outside two standard errors, the clean ones below and the dirty ones above."""
        below, above = (self.clean.z, self.not_dirty.z), (self.not_clean.z, self.dirty.z)
        return all(z is not None and z < -2 for z in below) and all(z is not None and z > 2 for z in above)


def four_subsets(resolved: ArrayLike, share: ArrayLike) -> FourSubsets:
    """Split samples by their share of contaminated tokens.

    Args:
        resolved: Booleans of shape (samples,).
        share: Share of contaminated tokens of each sample, 0 to 1, shape (samples,).

    Raises:
        ValueError: If the shapes differ or a share lies outside 0 to 1.
    """
    solved, shares = np.asarray(resolved, dtype=np.bool_), np.asarray(share, dtype=np.float64)
    if solved.shape != shares.shape or not np.all((shares >= 0) & (shares <= 1)):
        raise ValueError("every sample needs a share of contaminated tokens between 0 and 1")
    whole = Proportion(int(solved.sum()), solved.size)

    def subset(chosen: Bools) -> Subset:
        outcome = Proportion(int(solved[chosen].sum()), int(chosen.sum()))
        return Subset(outcome, subset_z(outcome, whole))

    return FourSubsets(
        clean=subset(shares < CLEAN_BELOW),
        not_clean=subset(shares >= CLEAN_BELOW),
        not_dirty=subset(shares < DIRTY_FROM),
        dirty=subset(shares >= DIRTY_FROM),
    )
