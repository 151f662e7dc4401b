"""Contamination or difficulty: what is left of the gap once each sample is compared with itself.

Labels change within a sample for three reasons only (`LabelChanges`), and how many samples do so bounds what
the data can show.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logit

from engine.leaderboard.covariates import Covariates
from engine.leaderboard.matrix import Matrix, labels_of
from engine.statistics.arrays import Bools, Floats
from engine.statistics.cells import CLEAN, CONTAMINATED
from engine.statistics.effects.contamination import ContaminationEffect, contamination_effect
from engine.statistics.effects.panel import Panel
from engine.store.connection import Snapshot
from engine.store.labels import Exposure

_DAYS_IN_YEAR = 365.25


@dataclass(frozen=True, slots=True, eq=False)
class LabelChanges:
    """Why known cells are clean; matrices of shape (submissions, samples) that share no cell.

    Attributes:
        early: The cutoff is before the landing of the fix.
        unseen: The models were shown not to have seen the repository; the fix was there.
        gone: The fix had landed and was not found at the cutoff: taken out, or rewritten.
    """

    early: Bools
    unseen: Bools
    gone: Bools


@dataclass(frozen=True, slots=True)
class Identification:
    """What a within-sample comparison can rest on.

    Attributes:
        submissions: Submissions with a known cutoff: the ones compared.
        without_cutoff: Left out since a model's cutoff is not known.
        unusable: Left out since their results for single samples cannot be used.
        samples: Samples of the benchmark.
        unknown: Samples whose label is not known at any cutoff.
        always_contaminated: Samples contaminated at every cutoff at which they are known.
        always_clean: Samples clean likewise.
        changing: Samples clean for one submission and contaminated for another.
        by_landing: Of these, those that are clean somewhere because the fix had not landed.
        by_vanishing: Of these, those that are clean somewhere because the fix was gone.
        by_repository: Of these, those that are clean somewhere because the repository was not seen.
        early_submissions: Submissions whose cutoff is before the landing of some sample.
    """

    submissions: int
    without_cutoff: int
    unusable: int
    samples: int
    unknown: int
    always_contaminated: int
    always_clean: int
    changing: int
    by_landing: int
    by_vanishing: int
    by_repository: int
    early_submissions: int


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to estimate the effect within samples.

    Attributes:
        key: Name for programs.
        title: Name for readers.
        meaning: What differs from the main estimate, and what it guards against.
        effect: What came out.
    """

    key: str
    title: str
    meaning: str
    effect: ContaminationEffect


def with_cutoff(matrix: Matrix) -> Matrix:
    """Return the matrix of the submissions whose cutoff is known."""
    return matrix.take([row for row, entry in enumerate(matrix.submissions) if entry.cutoff is not None])


def within_sample_effect(matrix: Matrix) -> ContaminationEffect:
    """Return the effect of contamination with an effect for each submission and each sample.

    Intervals are clustered by sample and by cutoff. Submissions without a known cutoff take no part.
    """
    known = with_cutoff(matrix)
    return contamination_effect(known.panel, submission_clusters=cutoff_days(known))


def cutoff_days(matrix: Matrix) -> Floats:
    """Return the cutoff of each submission as a day number, NaN where it is not known."""
    days = [np.nan if entry.cutoff is None else entry.cutoff.toordinal() for entry in matrix.submissions]
    return np.array(days, dtype=np.float64)


def label_changes(database: Snapshot, matrix: Matrix, covariates: Covariates) -> LabelChanges:
    """Return why the clean cells of submissions with known cutoffs are clean."""
    clean = matrix.labels == CLEAN
    early = clean & (cutoff_days(matrix)[:, None] < covariates.landed[None, :])
    exposures = [None if entry.cutoff is None else Exposure(entry.cutoff) for entry in matrix.submissions]
    # As though every repository had been seen: what is contaminated then is clean for no other reason.
    present = labels_of(database, matrix.detector, matrix.threshold, exposures, matrix.samples)
    unseen = clean & ~early & (present == CONTAMINATED)
    return LabelChanges(early, unseen, clean & ~early & ~unseen)


def identification(matrix: Matrix, known: Matrix, changes: LabelChanges) -> Identification:
    """Count what a within-sample comparison can rest on.

    Args:
        matrix: All submissions.
        known: Those with a known cutoff.
        changes: From `label_changes` of `known`.
    """
    contaminated = (known.labels == CONTAMINATED).any(axis=0)
    clean = known.clean.any(axis=0)

    def changing(reason: Bools) -> int:
        return int(np.sum(reason.any(axis=0) & contaminated))

    return Identification(
        submissions=len(known.submissions),
        without_cutoff=len(matrix.submissions) - len(known.submissions),
        unusable=len(matrix.unusable),
        samples=len(matrix.samples.samples),
        unknown=int(np.sum(~contaminated & ~clean)),
        always_contaminated=int(np.sum(contaminated & ~clean)),
        always_clean=int(np.sum(clean & ~contaminated)),
        changing=int(np.sum(clean & contaminated)),
        by_landing=changing(changes.early),
        by_vanishing=changing(changes.gone),
        by_repository=changing(changes.unseen),
        early_submissions=int(np.sum(changes.early.any(axis=1))),
    )


def effect_variants(known: Matrix, covariates: Covariates, changes: LabelChanges) -> tuple[Variant, ...]:
    """Estimate the effect within samples in several ways, the main one first.

    Args:
        known: Submissions with a known cutoff.
        covariates: Of its samples.
        changes: From `label_changes` of `known`.
    """
    panel, days = known.panel, cutoff_days(known)

    def estimate(
        panel: Panel, *, clusters: Sequence[str] | None = None, controls: Floats | None = None
    ) -> ContaminationEffect:
        return contamination_effect(panel, controls=controls, clusters=clusters, submission_clusters=days)

    published = np.array([entry.basis == "published" for entry in known.submissions], dtype=np.bool_)
    ways: tuple[tuple[str, str, str, Callable[[], ContaminationEffect]], ...] = (
        (
            "within",
            "Each sample with itself",
            "An effect for each sample and each submission.",
            lambda: estimate(panel),
        ),
        (
            "repository",
            "The same, clustered by repository",
            "Allows for samples of one repository being alike.",
            lambda: estimate(panel, clusters=known.samples.repository),
        ),
        (
            "controls",
            "The same, with controls",
            "Later and stronger submissions may gain more on large or hard samples.",
            lambda: estimate(panel, controls=_controls(known, covariates)),
        ),
        (
            "vanished",
            "Only where a fix vanished",
            "Without cells from before the landing of a fix.",
            lambda: estimate(panel.only(~changes.early)),
        ),
        (
            "landed",
            "Only where a fix landed",
            "Without cells in which a fix was gone.",
            lambda: estimate(panel.only(~changes.gone & ~changes.unseen)),
        ),
        (
            "published",
            "Only published cutoffs",
            "Without submissions whose cutoff is an estimate.",
            lambda: estimate(panel.only(published[:, None])),
        ),
    )
    return tuple(Variant(key, title, meaning, fit()) for key, title, meaning, fit in ways)


def _controls(known: Matrix, covariates: Covariates) -> Floats:
    """Size and difficulty of samples times cutoff and strength of submissions."""
    years = cutoff_days(known) / _DAYS_IN_YEAR
    # Half a sample either way keeps the logit of a submission that resolves none finite.
    strength = logit((known.resolved.sum(axis=1) + 0.5) / (known.resolved.shape[1] + 1))
    lines = covariates.lines
    size = np.log(np.where(np.isnan(lines), np.nanmean(lines) if np.any(~np.isnan(lines)) else 1, lines) + 1)
    levels = [
        np.array([level == name for level in known.samples.difficulty], dtype=np.float64)
        for name in known.samples.levels
    ]
    of_submissions = [_centred(years), _centred(strength)]
    of_samples = [_centred(size), *levels]
    return np.stack([np.outer(one, other) for one in of_submissions for other in of_samples], axis=-1)


def _centred(values: Floats) -> Floats:
    return np.asarray(values - values.sum() / max(values.size, 1))
