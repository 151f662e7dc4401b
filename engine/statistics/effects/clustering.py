"""Standard errors of a two-way fit, clustered by samples and by submissions at once, when few change.

A label says something only where it changes, so that a handful of samples, or of cutoffs, can carry an
estimate among hundreds. The usual sandwich then gives intervals that are far too narrow. Three things keep
them honest:

- Each cluster's score is divided by the information of all others: what the estimate would move by without
  that cluster (the jackknife, CR3, to first order; MacKinnon, Nielsen and Webb 2023).
- Clusters of samples and clusters of submissions both count (Cameron, Gelbach and Miller 2011): outcomes of
  one sample are alike, and so are those of models with one cutoff. The larger of the two and of their
  combination is taken, since the combination can come out too small.
- Student's quantiles have the degrees of freedom of the effective number of clusters: as many as would share
  the information evenly (Carter, Schnepel and Steigerwald 2017).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.statistics.arrays import Floats, Ints, ratio

_WHOLE = 1 - 1e-9


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """How far each term's estimate can be trusted, arrays of shape (terms,).

    Attributes:
        error: Standard error; infinite where one cluster holds all that is known of a term.
        samples: Effective number of clusters of samples; 0 where nothing is known.
        submissions: The same of submissions.
    """

    error: Floats
    samples: Floats
    submissions: Floats


def two_way_uncertainty(
    direction: Floats, weight: Floats, outcome: Floats, cluster_of: tuple[Ints, Ints]
) -> Uncertainty:
    """Return the uncertainty of terms.

    Args:
        direction: Each term net of the effects and of the other terms, shape (submissions, samples, terms).
        weight: Weight of each cell in the information, 0 for cells that take no part.
        outcome: Observed minus fitted outcome, 0 likewise.
        cluster_of: Cluster of each submission and of each sample, numbers from 0.
    """
    information = direction**2 * weight[..., None]
    score = direction * outcome[..., None]
    total = information.sum(axis=(0, 1))
    variances, numbers = [], []
    of_pairs = _sums(_sums(score, cluster_of[0], 0), cluster_of[1], 1)
    for axis, clusters in enumerate(cluster_of):
        share = ratio(_sums(information.sum(axis=1 - axis), clusters, 0), total)
        moved = ratio(_sums(score.sum(axis=1 - axis), clusters, 0), total)
        rest = np.where(share < _WHOLE, 1 - share, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            variances.append(np.sum((moved / rest) ** 2, axis=0))
        numbers.append(np.nan_to_num(ratio(1.0, np.sum(share**2, axis=0))))
    overlap = np.sum(ratio(of_pairs, total) ** 2, axis=(0, 1))
    by_submission, by_sample = variances
    both = np.maximum(by_submission + by_sample - overlap, np.maximum(by_submission, by_sample))
    return Uncertainty(np.where(np.isnan(both), np.inf, np.sqrt(both)), numbers[1], numbers[0])


def _sums(values: Floats, clusters: Ints, axis: int) -> Floats:
    """Sums of `values` over the clusters of one axis."""
    moved = np.moveaxis(values, axis, 0)
    total = np.zeros((int(clusters.max(initial=-1)) + 1, *moved.shape[1:]))
    np.add.at(total, clusters, moved)
    return np.moveaxis(total, 0, axis)
