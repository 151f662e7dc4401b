"""What the experiment shows: AUC, TPR and FPR of Stage I and of the baselines, by training and dose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.evaluation.discrimination import Discrimination
from engine.evaluation.membership.cases import Case, Key
from engine.statistics.arrays import Floats
from engine.statistics.intervals import wilson_bounds
from engine.statistics.proportions import CONFIDENCE, Interval, Proportion

DRAWS = 2_000


@dataclass(frozen=True, slots=True)
class Row:
    """One method on the models of one training and dose.

    Attributes:
        training: Kind of training.
        dose: Epochs.
        method: Stage I, less a criterion or not, or a baseline.
        auc: Chance that a member scores above another repository under the same model: mean over seeds.
        auc_interval: Its 95% interval, clustered by repository; see `auc_interval`.
        members: Members called present, of all under all seeds (TPR).
        members_interval: Its 95% interval; see `rate_interval`.
        others: Others called present, of all under all seeds (FPR).
        others_interval: Its 95% interval.
    """

    training: str
    dose: int
    method: str
    auc: float | None
    auc_interval: Interval | None
    members: Proportion
    members_interval: Interval | None
    others: Proportion
    others_interval: Interval | None


def tables(found: Mapping[Key, Sequence[Case]]) -> list[Row]:
    """Return a row for each training, dose and method."""
    return [_row(*key, rows) for key, rows in found.items()]


def mean_auc(rows: Sequence[Case], copies: Mapping[str, int] | None = None) -> float | None:
    """Return the mean over seeds of the AUC; scores of two models are never compared.

    Args:
        rows: Cases of one method.
        copies: How often each repository counts; None for once. A seed without both kinds is left out.
    """
    seeds = sorted({row.seed for row in rows})
    aucs = [_auc([row for row in rows if row.seed == seed], copies) for seed in seeds]
    known = [auc for auc in aucs if auc is not None]
    return float(np.mean(known)) if known else None


def auc_interval(rows: Sequence[Case]) -> Interval | None:
    """Return the interval of the mean AUC, repositories being what was drawn from a population.

    A repository is measured under several seeds, and these measurements are not independent: whole
    repositories are resampled, and percentiles taken. Where every resample gives the same, as with an AUC of
    1, Newcombe's interval for as many cases as there are repositories takes the place of the bootstrap's.
    """
    names = sorted({row.repository for row in rows})
    generator = np.random.default_rng(0)
    drawn = (Counter(generator.choice(names, len(names)).tolist()) for _ in range(DRAWS))
    aucs = [auc for copies in drawn if (auc := mean_auc(rows, copies)) is not None]
    if not aucs:
        return None
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(aucs, [tail, 100 - tail])
    if low < high:
        return Interval(float(low), float(high))
    half = len(names) // 2
    constant: Floats = np.full(half, float(low))
    return Discrimination(constant, np.full(half, 0.5)).auc_interval()


def rate_interval(rows: Sequence[Case]) -> Interval | None:
    """Return Wilson's interval of the share called present, with repositories in place of cases.

    The same repository under another seed adds no independent case: this is the widest that holds.
    """
    if not rows:
        return None
    repositories = len({row.repository for row in rows})
    share = sum(row.called for row in rows) / len(rows)
    low, high = wilson_bounds(share * repositories, repositories, CONFIDENCE)
    return Interval(float(low), float(high))


def _auc(rows: Sequence[Case], copies: Mapping[str, int] | None) -> float | None:
    weights = np.array([1 if copies is None else copies.get(row.repository, 0) for row in rows])
    scores = np.array([row.score for row in rows])
    member = np.array([row.member for row in rows])
    total = weights[member].sum() * weights[~member].sum()
    if not total:
        return None
    apart = scores[member][:, None] - scores[~member]
    won = (apart > 0) + 0.5 * (apart == 0)
    return float(weights[member] @ won @ weights[~member] / total)


def _row(training: str, dose: int, method: str, rows: Sequence[Case]) -> Row:
    members = [row for row in rows if row.member]
    others = [row for row in rows if not row.member]
    return Row(
        training,
        dose,
        method,
        mean_auc(rows),
        auc_interval(rows),
        Proportion(sum(row.called for row in members), len(members)),
        rate_interval(members),
        Proportion(sum(row.called for row in others), len(others)),
        rate_interval(others),
    )
