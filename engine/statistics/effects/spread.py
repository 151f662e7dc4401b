"""Are drops alike across submissions, or further apart than labels without meaning would put them?"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from engine.statistics.arrays import Bools, Ints, ratio
from engine.statistics.proportions import CONFIDENCE, Interval
from engine.statistics.ranking import SEED


@dataclass(frozen=True, slots=True)
class Spread:
    """How far the relative changes of submissions lie apart.

    Attributes:
        least: Smallest relative change.
        greatest: Largest.
        expected: Interval of their distance when labels are dealt out anew within strata.
        p_value: Share of such deals with a distance at least as large.
    """

    least: float
    greatest: float
    expected: Interval
    p_value: float

    @property
    def distance(self) -> float:
        """Largest minus smallest."""
        return self.greatest - self.least


def change_spread(
    resolved: ArrayLike,
    clean: ArrayLike,
    strata: Sequence[Hashable],
    *,
    resamples: int = 2000,
    confidence: float = CONFIDENCE,
    seed: int = SEED,
) -> Spread | None:
    """Compare the spread of relative changes with that of labels dealt out at random.

    Args:
        resolved: Booleans of shape (submissions, samples).
        clean: Which samples are clean for each submission, same shape.
        strata: Difficulty of each sample: labels change places within each level only.
        resamples: Deals.
        confidence: Coverage.
        seed: Of the deals.

    Returns:
        None unless two submissions at least have a change.
    """
    solved, member = np.asarray(resolved, dtype=np.bool_), np.asarray(clean, dtype=np.bool_)
    if solved.ndim != 2 or solved.shape != member.shape or len(strata) != solved.shape[1]:
        raise ValueError("outcomes, labels and strata do not fit together")
    changes = ratio(ratio((solved & member).sum(1), member.sum(1)), solved.mean(axis=1)) - 1
    if np.sum(~np.isnan(changes)) < 2:
        return None
    groups = [np.flatnonzero([stratum == name for stratum in strata]) for name in dict.fromkeys(strata)]
    generator = np.random.default_rng(seed)
    dealt = np.array([_dealt(solved, member, groups, generator) for _ in range(resamples)])
    low, high = np.nanquantile(dealt, [(1 - confidence) / 2, (1 + confidence) / 2])
    least, greatest = float(np.nanmin(changes)), float(np.nanmax(changes))
    far = np.sum(dealt >= greatest - least - 1e-12)
    return Spread(least, greatest, Interval(float(low), float(high)), float((1 + far) / (1 + resamples)))


def _dealt(solved: Bools, member: Bools, groups: Sequence[Ints], generator: np.random.Generator) -> float:
    place = np.arange(solved.shape[1])
    for group in groups:
        place[group] = generator.permutation(group)
    moved = member[:, place]
    changes = ratio(ratio((solved & moved).sum(1), moved.sum(1)), solved.mean(axis=1))
    return float(np.nanmax(changes) - np.nanmin(changes))
