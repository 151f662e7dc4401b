"""Clean against contaminated within strata (levels of difficulty, repositories), over many submissions.

Every cell of the matrix counts once. The cells of one sample are anything but independent (all submissions
are asked the same question), so intervals treat samples as clusters: twenty samples stay twenty observations,
however many submissions answered them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from engine.statistics.arrays import Bools, Counts, Ints
from engine.statistics.clustered import clustered_differences, clustered_rates
from engine.statistics.effects.panel import Panel
from engine.statistics.proportions import CONFIDENCE, FEWEST_SAMPLES, Interval, Proportion, relative_change


class Direction(StrEnum):
    """What the interval of a stratum's difference says, taken by itself."""

    LOWER = "clean lower"
    HIGHER = "clean higher"
    OPEN = "could be either"
    TOO_SMALL = "too few samples"


@dataclass(frozen=True, slots=True)
class Stratum:
    """One stratum. Rates are over cells (submission, sample); intervals are clustered by sample.

    Attributes:
        name: Name of the stratum, None for samples that have none.
        samples: Samples in it.
        clean_samples: Those that are clean for at least one submission.
        contaminated_samples: Those that are contaminated for at least one.
        before: Resolved of all cells whose label is known.
        clean: Resolved of the clean cells.
        contaminated: Resolved of the contaminated cells.
        before_interval: None with fewer than two samples or without variation, like the others.
        clean_interval: Of the clean rate.
        contaminated_interval: Of the contaminated rate.
        relative_change: Clean rate / rate before - 1.
        difference_interval: Of the clean minus the contaminated rate.
    """

    name: str | None
    samples: int
    clean_samples: int
    contaminated_samples: int
    before: Proportion
    clean: Proportion
    contaminated: Proportion
    before_interval: Interval | None
    clean_interval: Interval | None
    contaminated_interval: Interval | None
    relative_change: float | None
    difference_interval: Interval | None

    @property
    def difference(self) -> float | None:
        """Clean minus contaminated rate, None where either group is empty."""
        if self.clean.rate is None or self.contaminated.rate is None:
            return None
        return self.clean.rate - self.contaminated.rate

    @property
    def too_small(self) -> bool:
        """Whether there are too few different samples on either side to say anything."""
        return min(self.clean_samples, self.contaminated_samples) < FEWEST_SAMPLES

    @property
    def direction(self) -> Direction:
        """Which way clean samples differ; not adjusted for looking at several strata."""
        if self.too_small:
            return Direction.TOO_SMALL
        bounds = self.difference_interval
        if bounds is None or 0 in bounds:
            return Direction.OPEN
        return Direction.LOWER if bounds.high < 0 else Direction.HIGHER


def compare_strata(
    panel: Panel,
    strata: Sequence[str | None],
    order: Sequence[str | None] | None = None,
    confidence: float = CONFIDENCE,
) -> tuple[Stratum, ...]:
    """Compare clean with contaminated cells in each stratum.

    Args:
        panel: Outcomes and labels; cells without a known label take no part.
        strata: Stratum of each sample.
        order: The strata wanted, in order; by default as they occur.
        confidence: Coverage.

    Raises:
        ValueError: If `strata` does not name every sample.
    """
    if len(strata) != panel.resolved.shape[1]:
        raise ValueError(f"strata name {len(strata)} samples, the panel has {panel.resolved.shape[1]}")
    names = list(dict.fromkeys(strata if order is None else order))
    clean, contaminated = panel.known & ~panel.contaminated, panel.known & panel.contaminated
    return tuple(
        _stratum(name, panel.resolved, clean, contaminated, np.array([s == name for s in strata]), confidence)
        for name in names
    )


def _stratum(
    name: str | None,
    resolved: Bools,
    clean: Bools,
    contaminated: Bools,
    inside: Bools,
    confidence: float,
) -> Stratum:
    groups = {
        "clean": _by_sample(resolved, clean, inside),
        "dirty": _by_sample(resolved, contaminated, inside),
    }
    both = groups["clean"] + groups["dirty"]
    shares = {key: Proportion(int(c.k.sum()), int(c.n.sum())) for key, c in {**groups, "all": both}.items()}
    bounds = {
        key: clustered_rates(c, confidence).at(0)
        for key, c in {**groups, "all": both}.items()
        if inside.any()
    }
    gap = clustered_differences(groups["clean"], groups["dirty"], confidence).at(0) if inside.any() else None
    return Stratum(
        name=name,
        samples=int(inside.sum()),
        clean_samples=_occupied(groups["clean"].n),
        contaminated_samples=_occupied(groups["dirty"].n),
        before=shares["all"],
        clean=shares["clean"],
        contaminated=shares["dirty"],
        before_interval=bounds.get("all"),
        clean_interval=bounds.get("clean"),
        contaminated_interval=bounds.get("dirty"),
        relative_change=relative_change(shares["all"], shares["clean"]),
        difference_interval=gap,
    )


def _by_sample(resolved: Bools, member: Bools, inside: Bools) -> Counts:
    """Counts of shape (1, samples of the stratum)."""
    solved, counted = resolved[:, inside], member[:, inside]
    return Counts((solved & counted).sum(axis=0)[None], counted.sum(axis=0)[None])


def _occupied(cells: Ints) -> int:
    return int((cells > 0).sum())
