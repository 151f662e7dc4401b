"""What speaks for or against an effect of contamination: profiles over time, placebos, matched samples."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from engine.leaderboard.contamination import cutoff_days
from engine.leaderboard.covariates import Covariates
from engine.leaderboard.matrix import Matrix, labels_of
from engine.statistics.cells import CONTAMINATED, UNKNOWN
from engine.statistics.effects.contamination import Placebo, placebo_effects
from engine.statistics.effects.event_study import EventStudy, event_study
from engine.statistics.effects.matching import MatchedComparison, matched_comparison, quantile_bins
from engine.store.connection import Snapshot
from engine.store.labels import Exposure

LANDING_EDGES = (-365, 0, 365, 730, 1095)
VANISHING_EDGES = (-365, -180, 0, 180, 365)
"""Days; the bin just before day 0 and the one furthest from it are the reference."""

SHIFTS = (-365, -180, -90, 90, 180, 365)
"""Days by which the placebo shifts cutoffs."""

_BINS = 3


@dataclass(frozen=True, slots=True)
class Profiles:
    """How the chance of a fix changes with the time to a cutoff, in days.

    Attributes:
        landing: From the landing of the fix.
        vanishing: From the day on which the fix was gone for good.
        landing_submissions: Submissions with a cutoff before the landing of some sample.
        vanishing_samples: Samples whose fix was gone on some day.
    """

    landing: EventStudy
    vanishing: EventStudy
    landing_submissions: int
    vanishing_samples: int


@dataclass(frozen=True, slots=True)
class Match:
    """Clean against contaminated samples that are alike in some ways.

    Attributes:
        key: Name for programs.
        title: What they are alike in, for readers.
        meaning: How that is measured.
        found: What came out; differences are clean minus contaminated.
    """

    key: str
    title: str
    meaning: str
    found: MatchedComparison


def profiles(known: Matrix, covariates: Covariates) -> Profiles:
    """Estimate the profiles of submissions with known cutoffs."""
    days = cutoff_days(known)
    since_landing = days[:, None] - covariates.landed[None, :]
    since_vanishing = days[:, None] - covariates.vanished[None, :]
    return Profiles(
        landing=event_study(known.panel, since_landing, LANDING_EDGES, submission_clusters=days),
        vanishing=event_study(known.panel, since_vanishing, VANISHING_EDGES, submission_clusters=days),
        landing_submissions=int(np.sum((since_landing < 0).any(axis=1))),
        vanishing_samples=int(np.sum(~np.isnan(covariates.vanished))),
    )


def placebos(database: Snapshot, known: Matrix, shifts: Sequence[int] = SHIFTS) -> tuple[Placebo, ...]:
    """Estimate the effect of labels at cutoffs that are not the submissions' own, by days of shift."""
    exposures = [
        None if entry.cutoff is None else Exposure(entry.cutoff + timedelta(days=shift), entry.models)
        for shift in shifts
        for entry in known.submissions
    ]
    labels = labels_of(database, known.detector, known.threshold, exposures, known.samples)
    shifted = {
        shift: (part == CONTAMINATED, part != UNKNOWN)
        for shift, part in zip(shifts, np.split(labels, len(shifts)), strict=True)
    }
    return placebo_effects(known.panel, shifted, submission_clusters=cutoff_days(known))


def matches(known: Matrix, covariates: Covariates) -> tuple[Match, ...]:
    """Compare clean with contaminated samples, at first all, then those ever more alike."""
    year = quantile_bins(covariates.created, _BINS)
    size = quantile_bins(covariates.lines, _BINS)
    level, repository = known.samples.difficulty, known.samples.repository
    ways: tuple[tuple[str, str, str, Sequence[Sequence[Hashable]]], ...] = (
        ("plain", "All samples, as they are", "Clean against contaminated, as the leaderboard does.", ()),
        ("difficulty", "Alike in difficulty", "The benchmark's levels.", (level,)),
        (
            "size",
            "… and in year and size",
            f"Year of the issue and lines of the patch, each in {_BINS} groups of about equal number.",
            (level, year, size),
        ),
        (
            "alike",
            "… and in repository",
            "Few have a counterpart in their own repository, so this is about fewer samples.",
            (level, year, size, repository),
        ),
    )
    return tuple(
        Match(key, title, meaning, matched_comparison(known.panel, covariates))
        for key, title, meaning, covariates in ways
    )
