"""How well scores tell present from absent: ROC AUC, rates at a threshold, and the best threshold.

Intervals are 95% unless said otherwise. Cases of one sample are not independent, so read them as the least
uncertainty there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import rankdata

from engine.statistics.arrays import Floats
from engine.statistics.intervals import critical_value
from engine.statistics.proportions import CONFIDENCE, Interval, Proportion


@dataclass(frozen=True, slots=True)
class Discrimination:
    """Scores of one detector on cases with known answers.

    Attributes:
        present: Scores of the cases where the fix is there, shape (m,).
        absent: Scores of the others, shape (n,).
    """

    present: Floats
    absent: Floats

    @classmethod
    def of(cls, scores: Sequence[float], present: Sequence[bool]) -> Discrimination:
        """Split scores by their known answers."""
        values, truth = np.asarray(scores, dtype=np.float64), np.asarray(present, dtype=np.bool_)
        return cls(values[truth], values[~truth])

    @property
    def auc(self) -> float | None:
        """The chance that a present case scores above an absent one, ties half; None without both."""
        m, n = len(self.present), len(self.absent)
        if not m or not n:
            return None
        ranks = rankdata(np.concatenate([self.present, self.absent]))
        return float((ranks[:m].sum() - m * (m + 1) / 2) / (m * n))

    def auc_interval(self, confidence: float = CONFIDENCE) -> Interval | None:
        """Return the interval of the AUC by DeLong et al. (1988) on the logit scale.

        Where the two groups do not overlap DeLong's variance is zero; there Newcombe's (2006, method 5) is
        used. None without cases of both kinds.
        """
        auc = self.auc
        if auc is None:
            return None
        z = critical_value(confidence)
        variance = self._delong_variance()
        if variance <= 0 or auc in (0.0, 1.0):
            return _newcombe(auc, len(self.present), len(self.absent), z)
        half = z * variance**0.5 / (auc * (1 - auc))
        centre = logit(auc)
        return Interval(float(expit(centre - half)), float(expit(centre + half)))

    def _delong_variance(self) -> float:
        m, n = len(self.present), len(self.absent)
        if m < 2 or n < 2:
            return 0.0
        everything = rankdata(np.concatenate([self.present, self.absent]))
        of_present = (everything[:m] - rankdata(self.present)) / n
        of_absent = 1 - (everything[m:] - rankdata(self.absent)) / m
        return float(of_present.var(ddof=1) / m + of_absent.var(ddof=1) / n)

    def true_positives(self, threshold: float) -> Proportion:
        """Present cases called present at a threshold, of all present ones (TPR)."""
        return Proportion(int((self.present >= threshold).sum()), len(self.present))

    def false_positives(self, threshold: float) -> Proportion:
        """Absent cases called present at a threshold, of all absent ones (FPR)."""
        return Proportion(int((self.absent >= threshold).sum()), len(self.absent))


def best_threshold(groups: Sequence[Discrimination]) -> float | None:
    """Return the threshold with the largest mean TPR less mean FPR, each group counting the same.

    Of equally good ones the middle of the widest gap between scores is taken, where unseen cases are least
    likely to fall on the wrong side. None without cases of both kinds.
    """
    present = [group.present for group in groups if len(group.present)]
    absent = [group.absent for group in groups if len(group.absent)]
    if not present or not absent:
        return None
    scores = np.unique(np.concatenate([*present, *absent, [0.0, 1.0]]))
    gaps = np.diff(scores)
    cuts = scores[:-1] + gaps / 2
    gained = _mean_rate(present, cuts) - _mean_rate(absent, cuts)
    best = np.flatnonzero(np.isclose(gained, gained.max()))
    return float(cuts[best[np.argmax(gaps[best])]])


def _mean_rate(groups: Sequence[Floats], cuts: Floats) -> Floats:
    """Return the mean over groups of the share of scores at or above each cut, shape (cuts,)."""
    rates = [(scores[:, None] >= cuts).mean(axis=0) for scores in groups]
    mean: Floats = np.mean(rates, axis=0)
    return mean


def _newcombe(auc: float, m: int, n: int, z: float) -> Interval:
    """Return Newcombe's interval: the values whose own standard error reaches the observed AUC."""
    half = (m + n) / 2 - 1

    def excess(value: float) -> float:
        spread = 1 + half * ((1 - value) / (2 - value) + value / (1 + value))
        return float((value - auc) ** 2 - z**2 * value * (1 - value) * spread / (m * n))

    low = 0.0 if auc == 0.0 else float(brentq(excess, 1e-12, auc - 1e-12))
    high = 1.0 if auc == 1.0 else float(brentq(excess, auc + 1e-12, 1 - 1e-12))
    return Interval(low, high)
