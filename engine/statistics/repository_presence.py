"""Was the repository in the training data? The binomial test of Stage I, its weights, and its power.

Under the null hypothesis every query hits with the same probability P0, as it does in a repository that the
model never saw (paper, Section 3.3, Equations 4 and 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import beta, binom

from engine.statistics.arrays import Floats
from engine.statistics.exact import benjamini_hochberg
from engine.statistics.proportions import CONFIDENCE, Interval, Proportion

ALPHA = 0.05
"""Level of the test, after false-discovery control."""
POWER = 0.8
"""With this probability the smallest detectable hit rate would have been shown."""
MOST_DETECTABLE = 0.3
"""Queries that could only have shown a hit rate above this are too few to say `not shown`."""
DEFAULT_P0 = {"python": 0.08, "java": 0.2}
"""The paper's values (Section 5.5, Figure 5), for models that could not be calibrated."""
_STEPS = 64
"""Steps of the grid of weights in one mean weight."""


class PresenceVerdict(StrEnum):
    """What the test says; the words are stored."""

    PRESENT = "present"
    NOT_SHOWN = "not shown"
    TOO_FEW = "too few queries"


@dataclass(frozen=True, slots=True)
class P0:
    """The probability of a hit in a repository that the model has not seen.

    Attributes:
        value: The probability.
        interval: Where it lies with 95% confidence; None for a default.
        hits: Hits that it was calibrated on; None for a default.
        queries: Queries that it was calibrated on; None for a default.
    """

    value: float
    interval: Interval | None = None
    hits: int | None = None
    queries: int | None = None

    @property
    def calibrated(self) -> bool:
        """Whether it was measured on this model."""
        return self.queries is not None


@dataclass(frozen=True, slots=True)
class RepositoryTest:
    """The test of one model on one repository.

    Attributes:
        hits: Queries that the model completed.
        queries: Queries that it answered.
        p0: The hit rate of unseen repositories.
        p_value: Unweighted: P(at least this many hits) under P0 (Equation 5).
        weighted_hits: Sum of the hits' weights, the mean weight of all queries being 1.
        weighted_p_value: P(at least this weighted sum) under P0; see `weighted_tail`.
        design_effect: How much more the hit rate varies than with independent queries; see `design_effect`.
        adjusted_p_value: `p_value` with hits and queries divided by a design effect above 1.
        detectable: Smallest hit rate that this many queries would have shown; None if none.
    """

    hits: int
    queries: int
    p0: P0
    p_value: float
    weighted_hits: float
    weighted_p_value: float
    design_effect: float
    adjusted_p_value: float
    detectable: float | None

    @property
    def rate(self) -> Proportion:
        """Hits of queries."""
        return Proportion(self.hits, self.queries)


def calibrate_p0(hits: int, queries: int, confidence: float = CONFIDENCE) -> P0:
    """Return P0 from queries on repositories that the model cannot have seen.

    The mean and the equal-tailed interval of the posterior under Jeffreys' prior, Beta(hits + 1/2,
    queries - hits + 1/2): never 0, where one lucky hit would prove anything.

    Raises:
        ValueError: Unless 0 <= hits <= queries and there is a query.
    """
    if not 0 <= hits <= queries or not queries:
        raise ValueError(f"calibration needs 0 <= hits <= queries and a query, got {hits} of {queries}")
    a, b = hits + 0.5, queries - hits + 0.5
    tail = (1 - confidence) / 2
    return P0(a / (a + b), Interval(float(beta.ppf(tail, a, b)), float(beta.isf(tail, a, b))), hits, queries)


def binomial_tail(hits: int, queries: int, p0: float) -> float:
    """Return P(X >= hits) for X ~ Binomial(queries, p0), the p-value of Equation 5.

    Without a query, or with none hit, it is 1. At P0 = 0 any hit has p-value 0, at P0 = 1 every count has 1.

    Raises:
        ValueError: Unless 0 <= hits <= queries and 0 <= p0 <= 1.
    """
    if not 0 <= hits <= queries or not 0 <= p0 <= 1:
        raise ValueError(f"no binomial tail of {hits} of {queries} at {p0}")
    return 1.0 if hits == 0 else float(binom.sf(hits - 1, queries, p0))


def normalised_weights(weights: ArrayLike) -> Floats:
    """Return weights with mean 1; weights that are all 0 become all 1.

    Raises:
        ValueError: If a weight is negative or not finite.
    """
    raw = np.asarray(weights, dtype=np.float64)
    if not np.isfinite(raw).all() or (raw < 0).any():
        raise ValueError("weights are finite and not negative")
    total = raw.sum()
    return np.ones_like(raw) if total == 0 else raw * (raw.size / total)


def grid_weights(weights: ArrayLike) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return normalised weights in whole steps of 1/64 of their mean, on which `weighted_tail` is exact."""
    return np.rint(normalised_weights(weights) * _STEPS).astype(np.int64)


def weighted_tail(hits: Sequence[bool], weights: ArrayLike, p0: float) -> float:
    """Return P(sum of weights of hits >= the observed sum) under independent hits of probability P0.

    The paper weights each hit by entropy over repository frequency and does not say how a weighted count
    enters a binomial. Rounding the sum to a whole number of hits would not be a test: its variance is larger
    than a binomial's. Here the null distribution of the weighted sum itself is computed, exactly, on weights
    rounded to 1/64 of their mean.

    Args:
        hits: Whether each query was hit.
        weights: Weight of each query.
        p0: Hit probability under the null.

    Raises:
        ValueError: If lengths differ, a weight is negative or P0 lies outside [0, 1].
    """
    steps = grid_weights(weights)
    if len(hits) != steps.size or not 0 <= p0 <= 1:
        raise ValueError(f"{len(hits)} hits, {steps.size} weights and P0 = {p0} make no test")
    observed = int(steps[np.asarray(hits, dtype=np.bool_)].sum()) if len(hits) else 0
    if observed == 0:
        return 1.0
    # Mass below the observed sum; what reaches it is collected apart, so that small tails keep their digits.
    below = np.zeros(observed, dtype=np.float64)
    below[0] = 1.0
    reached = 0.0
    for step in steps[steps > 0]:
        # Mass that this query's hit lifts to the observed sum or above.
        lifted = below[max(0, observed - int(step)) :].sum()
        reached += p0 * float(lifted)
        moved = below * (1 - p0)
        if step < observed:
            moved[step:] += p0 * below[: observed - step]
        below = moved
    return min(1.0, reached)


def design_effect(hits: Sequence[bool], groups: Sequence[str]) -> float:
    """Return how much more the hit rate varies than if queries were independent (Kish's design effect).

    The variance of the rate clustered by pattern group, with the factor G / (G - 1) for few groups, over the
    binomial one. 1 where it cannot be estimated: fewer than two groups, all hits, or none.
    """
    flags = np.asarray(hits, dtype=np.float64)
    _, index = np.unique(np.asarray(groups, dtype=object).astype(str), return_inverse=True)
    count = 0 if not flags.size else int(index.max()) + 1
    rate = float(flags.mean()) if flags.size else 0.0
    if count < 2 or rate in (0.0, 1.0):
        return 1.0
    residuals = np.bincount(index, weights=flags - rate, minlength=count)
    clustered = float((residuals**2).sum()) * count / (count - 1)
    return clustered / (flags.size * rate * (1 - rate))


def detectable_rate(queries: int, p0: float, alpha: float = ALPHA, power: float = POWER) -> float | None:
    """Return the smallest true hit rate that `queries` queries show at level alpha with this power.

    Returns:
        The rate at which P(X >= k) reaches `power`, k being the smallest significant count; None where not
        even hitting every query would be significant.
    """
    if queries == 0:
        return None
    needed = next((k for k in range(1, queries + 1) if binomial_tail(k, queries, p0) <= alpha), None)
    if needed is None:
        return None
    # P(Bin(n, r) >= k) = P(Beta(k, n - k + 1) <= r)
    return float(beta.ppf(power, needed, queries - needed + 1))


def repository_test(
    hits: Sequence[bool], weights: ArrayLike, groups: Sequence[str], p0: P0
) -> RepositoryTest:
    """Test one repository.

    Args:
        hits: Whether each answered query was hit.
        weights: Weight of each query: entropy over repository frequency.
        groups: Pattern group of each query.
        p0: Hit rate of unseen repositories.

    Raises:
        ValueError: If the lengths differ.
    """
    if not len(hits) == len(groups) == np.asarray(weights).size:
        raise ValueError(f"{len(hits)} hits, {np.asarray(weights).size} weights, {len(groups)} groups")
    found, asked = sum(hits), len(hits)
    effect = design_effect(hits, groups)
    # Halves round up in the count of queries and down in that of hits: the adjustment never adds evidence.
    fewer, left = int(found / max(1.0, effect)), int(np.ceil(asked / max(1.0, effect)))
    flags = np.asarray(hits, dtype=np.bool_)
    return RepositoryTest(
        hits=found,
        queries=asked,
        p0=p0,
        p_value=binomial_tail(found, asked, p0.value),
        weighted_hits=float(normalised_weights(weights)[flags].sum()) if asked else 0.0,
        weighted_p_value=weighted_tail(hits, weights, p0.value),
        design_effect=effect,
        adjusted_p_value=binomial_tail(fewer, left, p0.value),
        detectable=detectable_rate(asked, p0.value),
    )


def judge_repositories(
    tests: Sequence[RepositoryTest], alpha: float = ALPHA
) -> list[tuple[PresenceVerdict, float]]:
    """Return the verdict and the q-value of each repository of one model.

    The weighted p-values are one family for false-discovery control (Benjamini-Hochberg). `not shown` needs
    queries enough to have shown a hit rate of 30%; fewer are too few to say anything.
    """
    adjusted: Floats = benjamini_hochberg([test.weighted_p_value for test in tests])
    return [(_verdict(test, float(q), alpha), float(q)) for test, q in zip(tests, adjusted, strict=True)]


def _verdict(test: RepositoryTest, q_value: float, alpha: float) -> PresenceVerdict:
    if q_value <= alpha:
        return PresenceVerdict.PRESENT
    if test.detectable is None or test.detectable > MOST_DETECTABLE:
        return PresenceVerdict.TOO_FEW
    return PresenceVerdict.NOT_SHOWN
