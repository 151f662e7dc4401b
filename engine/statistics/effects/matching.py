"""Clean samples against contaminated samples that are alike in what was known before.

Exact matching on coarsened covariates (Iacus, King and Porro 2012): samples fall into strata of difficulty,
year, size and repository, and are compared within them only. Samples without a counterpart are left out and
counted, since a comparison that keeps few clean samples is about those few.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.statistics.arrays import Bools, Counts, Floats, Ints, ratio
from engine.statistics.effects.contamination import Points
from engine.statistics.effects.panel import Panel
from engine.statistics.proportions import CONFIDENCE, Interval
from engine.statistics.ranking import SEED, resample_weights
from engine.statistics.stratified import StratifiedColumns, mantel_haenszel_columns


@dataclass(frozen=True, slots=True)
class MatchedComparison:
    """Clean minus contaminated rate among samples that are alike.

    Attributes:
        difference: Mean over submissions of the common difference within strata; None without any match.
        interval: Percentile bootstrap over samples (or clusters of them).
        crude: Mean over the same submissions of the difference without matching.
        submissions: Submissions with a matched pair.
        strata: Strata that held both kinds for some submission.
        clean_matched: Share of clean cells that have a counterpart.
        contaminated_matched: Share of contaminated cells that have a counterpart.
        by_submission: Mantel-Haenszel estimates of each submission over the strata.
    """

    difference: float | None
    interval: Interval | None
    crude: float | None
    submissions: int
    strata: int
    clean_matched: float | None
    contaminated_matched: float | None
    by_submission: StratifiedColumns

    @property
    def points(self) -> Points | None:
        """The difference the other way round, contaminated minus clean, as effects are told."""
        if self.difference is None or self.interval is None:
            return None
        return Points(-self.difference, Interval(-self.interval.high, -self.interval.low))


def quantile_bins(values: ArrayLike, bins: int) -> list[int | None]:
    """Coarsen a covariate into bins of about equal numbers; None where the value is missing (NaN).

    Raises:
        ValueError: If `bins` is below 1.
    """
    if bins < 1:
        raise ValueError(f"need at least one bin, got {bins}")
    numbers = np.asarray(values, dtype=np.float64)
    present = numbers[~np.isnan(numbers)]
    if not present.size:
        return [None] * numbers.size
    inner = np.unique(np.quantile(present, np.arange(1, bins) / bins))
    places = np.searchsorted(inner, numbers, side="left")
    return [None if np.isnan(n) else int(p) for n, p in zip(numbers, places, strict=True)]


def matched_comparison(
    panel: Panel,
    covariates: Sequence[Sequence[Hashable]],
    *,
    clusters: ArrayLike | None = None,
    resamples: int = 500,
    confidence: float = CONFIDENCE,
    seed: int = SEED,
) -> MatchedComparison:
    """Compare clean with contaminated samples that agree in every covariate.

    Args:
        panel: Outcomes and labels.
        covariates: One sequence of values a covariate, each with a value per sample; coarsen numbers first
            (`quantile_bins`). None is a value like others.
        clusters: Cluster of each sample, drawn whole by the bootstrap.
        resamples: Number of resamples.
        confidence: Coverage.
        seed: Of the bootstrap.

    Raises:
        ValueError: If a covariate does not name every sample.
    """
    samples = panel.resolved.shape[1]
    if any(len(values) != samples for values in covariates):
        raise ValueError(f"every covariate needs a value for each of the {samples} samples")
    index: dict[tuple[Hashable, ...], int] = {}
    keys = zip(*covariates, strict=True) if covariates else [()] * samples
    stratum = np.array([index.setdefault(tuple(key), len(index)) for key in keys], dtype=np.int64)
    groups = (panel.known & ~panel.contaminated, panel.known & panel.contaminated)
    members = np.split(np.argsort(stratum, kind="stable"), np.cumsum(np.bincount(stratum))[:-1])
    clean, contaminated = (_by_stratum(panel.resolved, group, members) for group in groups)
    both = (clean.n > 0) & (contaminated.n > 0)
    matched = both.any(axis=1)
    weights = resample_weights(samples, clusters, resamples, np.random.default_rng(seed))
    drawn = _mean_differences(panel.resolved, groups, members, weights)
    columns = mantel_haenszel_columns(clean, contaminated, confidence)
    gaps = _total(clean).rate - _total(contaminated).rate
    found = bool(matched.any())
    return MatchedComparison(
        difference=float(np.nanmean(columns.risk_difference)) if found else None,
        interval=_percentiles(drawn, confidence) if found else None,
        crude=float(gaps[matched].mean()) if found else None,
        submissions=int(matched.sum()),
        strata=int(both.any(axis=0).sum()),
        clean_matched=_share(clean.n, both),
        contaminated_matched=_share(contaminated.n, both),
        by_submission=columns,
    )


def _total(counts: Counts) -> Counts:
    return Counts(counts.k.sum(axis=1), counts.n.sum(axis=1))


def _share(counts: Ints, both: Bools) -> float | None:
    total = int(counts.sum())
    return float(counts[both].sum() / total) if total else None


def _percentiles(drawn: Floats, confidence: float) -> Interval | None:
    defined = drawn[~np.isnan(drawn)]
    if not defined.size:
        return None
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))


def _by_stratum(resolved: Bools, group: Bools, members: Sequence[Ints]) -> Counts:
    """Counts of a group, shape (submissions, strata)."""
    k = [(group & resolved)[:, inside].sum(axis=1) for inside in members]
    n = [group[:, inside].sum(axis=1) for inside in members]
    return Counts(np.stack(k, axis=1), np.stack(n, axis=1))


def _mean_differences(
    resolved: Bools, groups: tuple[Bools, Bools], members: Sequence[Ints], weights: NDArray[np.float32]
) -> Floats:
    """Mantel-Haenszel difference averaged over submissions in each resample, shape (resamples,).

    Strata are added up one by one: all at once would take gigabytes.
    """
    clean, contaminated = groups
    top, bottom = np.zeros((2, len(weights), len(resolved)))
    for inside in members:
        drawn = weights[:, inside]
        k1, n1, k2, n2 = (
            (drawn @ part[:, inside].T.astype(np.float32)).astype(np.float64)
            for part in (clean & resolved, clean, contaminated & resolved, contaminated)
        )
        top += np.nan_to_num(ratio(k1 * n2 - k2 * n1, n1 + n2))
        bottom += np.nan_to_num(ratio(n1 * n2, n1 + n2))
    each = ratio(top, bottom)
    return ratio(np.nansum(each, axis=1), (~np.isnan(each)).sum(axis=1))
