"""How the chance of a fix changes with the time between its landing and the model's cutoff.

The cutoff of a submission minus the landing day of a sample is a difference of something of the submission
and something of the sample, so with an effect for each of them any straight line through the bins fits
equally well (the age-period-cohort problem). Two bins before the landing are therefore set to zero: the line
through them is the trend that would have gone on, and the other bins show departures from it. A step at the
landing is contamination's mark; a bend or a slope that begins before it is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from engine.statistics.effects.contamination import Effect, effective_clusters, term_effect
from engine.statistics.effects.panel import Panel
from engine.statistics.effects.two_way import fit_two_way
from engine.statistics.proportions import CONFIDENCE


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin of days from landing to cutoff.

    Attributes:
        low: First day, None without a lower end.
        high: Day after the last, None without an upper end.
        cells: Outcomes in the bin that are part of the fit.
        reference: Whether the bin was set to zero.
        clusters: Effective clusters that the departure rests on; 0 for a reference.
        effect: Departure from the reference trend, in logits; None for a reference and where too few clusters
            tell it from the effects.
    """

    low: float | None
    high: float | None
    cells: int
    reference: bool
    clusters: float
    effect: Effect | None


@dataclass(frozen=True, slots=True)
class EventStudy:
    """An event study.

    Attributes:
        bins: In order of days.
        trend_identified: Whether two bins before the landing could be set to zero. If not, a slope through
            the bins says nothing.
        converged: Whether the fit came to rest.
    """

    bins: tuple[Bin, ...]
    trend_identified: bool
    converged: bool


def event_study(
    panel: Panel,
    days: ArrayLike,
    edges: Sequence[float],
    *,
    clusters: ArrayLike | None = None,
    submission_clusters: ArrayLike | None = None,
    confidence: float = CONFIDENCE,
) -> EventStudy:
    """Estimate the profile over days from landing to cutoff.

    Args:
        panel: Outcomes; labels are used only for which cells are known.
        days: Cutoff minus landing day, shape (submissions, samples), or minus another day of the sample, such
            as that of the rewrite that made it clean; NaN where there is no such day: these samples are
            compared but are in no bin.
        edges: Increasing ends between bins, 0 among them; a bin holds its lower end. The outermost bins are
            open.
        clusters: Cluster of each sample.
        submission_clusters: Cluster of each submission.
        confidence: Coverage.

    Raises:
        ValueError: If the edges do not increase or leave out 0, or shapes do not fit.
    """
    ends = list(edges)
    if 0 not in ends or any(second <= first for first, second in pairwise(ends)):
        raise ValueError("edges must increase and contain 0, the day of landing")
    distance = np.asarray(days, dtype=np.float64)
    if distance.shape != panel.resolved.shape:
        raise ValueError(f"days {distance.shape} must have the shape of outcomes {panel.resolved.shape}")
    place = np.where(np.isnan(distance), -1, np.searchsorted(ends, distance, side="right"))
    member = place[..., None] == np.arange(len(ends) + 1)
    present = (member & panel.known[..., None]).any(axis=(0, 1))
    before = [index for index in range(ends.index(0) + 1) if present[index]]
    # The bin just before the landing and the one furthest from it.
    references = {before[-1], before[0]} if before else set()
    free = [index for index in range(len(ends) + 1) if index not in references]
    terms = member[..., free].astype(np.float64)
    fit = fit_two_way(panel.resolved, terms, panel.known, clusters, submission_clusters)
    cells = (member & fit.used[..., None]).sum(axis=(0, 1))
    bins = tuple(
        Bin(
            low=ends[index - 1] if index else None,
            high=ends[index] if index < len(ends) else None,
            cells=int(cells[index]),
            reference=index in references,
            clusters=effective_clusters(fit, free.index(index)) if index in free else 0.0,
            effect=term_effect(fit, free.index(index), confidence) if index in free else None,
        )
        for index in range(len(ends) + 1)
    )
    return EventStudy(bins, len(references) == 2, fit.converged)
