"""Estimates as the engine makes them, remembered for each version of the database: each takes a second."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard import queries, standings
from dashboard.database import remembered
from engine.leaderboard.contamination import (
    Identification,
    LabelChanges,
    Variant,
    effect_variants,
    identification,
    label_changes,
    with_cutoff,
)
from engine.leaderboard.contamination_checks import Match, Profiles, matches, placebos, profiles
from engine.leaderboard.covariates import Covariates, read_covariates
from engine.leaderboard.fragility import Standing, standing
from engine.leaderboard.matrix import Matrix, read_matrix
from engine.leaderboard.scenarios import THRESHOLDS, scenarios
from engine.statistics.effects.contamination import Placebo
from engine.statistics.effects.fragility import Scenario
from engine.store.connection import Snapshot


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """The submissions that can be compared within samples, and what that rests on."""

    known: Matrix
    covariates: Covariates
    changes: LabelChanges
    counts: Identification


@remembered
def compared(
    database: Snapshot, benchmark: str, detector: str, threshold: float, difficulty: str | None
) -> Compared:
    """Return the submissions with a known cutoff."""
    matrix = read_matrix(database, benchmark, detector, threshold)
    matrix = matrix if difficulty is None else matrix.at_level(difficulty)
    known = with_cutoff(matrix)
    covariates = read_covariates(database, known)
    changes = label_changes(database, known, covariates)
    return Compared(known, covariates, changes, identification(matrix, known, changes))


@remembered
def within(
    database: Snapshot, benchmark: str, detector: str, threshold: float, difficulty: str | None
) -> tuple[Variant, ...]:
    """Return the effect within samples, estimated in several ways."""
    found = compared(database, benchmark, detector, threshold, difficulty)
    return effect_variants(found.known, found.covariates, found.changes)


@remembered
def matched(
    database: Snapshot, benchmark: str, detector: str, threshold: float, difficulty: str | None
) -> tuple[Match, ...]:
    """Return clean against contaminated samples that are alike."""
    found = compared(database, benchmark, detector, threshold, difficulty)
    return matches(found.known, found.covariates)


@remembered
def over_days(
    database: Snapshot, benchmark: str, detector: str, threshold: float, difficulty: str | None
) -> Profiles:
    """Return how the chance of a fix changes around its landing and its vanishing."""
    found = compared(database, benchmark, detector, threshold, difficulty)
    return profiles(found.known, found.covariates)


@remembered
def at_wrong_cutoffs(
    database: Snapshot, benchmark: str, detector: str, threshold: float, difficulty: str | None
) -> tuple[Placebo, ...]:
    """Return the effects of labels at cutoffs that are not the submissions' own."""
    return placebos(database, compared(database, benchmark, detector, threshold, difficulty).known)


@remembered
def _grid(database: Snapshot, benchmark: str) -> tuple[Scenario, ...]:
    """Return the rankings with every detector that has judged something, at every threshold."""
    judged = [choice for choice in queries.catalogue(database).detectors if choice.judged_samples]
    labellings = [
        (choice.detector, threshold)
        for choice in judged
        for threshold in (choice.threshold, *(other for other in THRESHOLDS if other != choice.threshold))
    ]
    return scenarios(database, read_matrix(database, benchmark), labellings)


@remembered
def ranked(
    database: Snapshot, benchmark: str, detector: str, threshold: float, top: int | None, one_a_model: bool
) -> Standing:
    """Return the ranking of the `top` best submissions (by the rate before; all for None).

    Args:
        database: The facts.
        benchmark: Key of the benchmark.
        detector: Key of the detector.
        threshold: Score from which a fix counts as present.
        top: How many to rank.
        one_a_model: Take the best submission of each set of models only.
    """
    matrix = standings.matrix(database, benchmark, detector, threshold)
    shown = scenarios(database, matrix, [(detector, threshold)])
    own = shown[0].choices["detector"], shown[0].choices["threshold"]
    others = [
        way
        for way in _grid(database, benchmark)
        if (way.choices["detector"], way.choices["threshold"]) != own
    ]
    known = [row for row, entry in enumerate(matrix.submissions) if entry.cutoff is not None]
    known.sort(key=lambda row: (-int(matrix.resolved[row].sum()), matrix.submissions[row].submission))
    if one_a_model:
        first: dict[tuple[str, ...], int] = {}
        for row in known:
            first.setdefault(matrix.submissions[row].models, row)
        known = list(first.values())
    return standing(matrix, (*shown, *others), known[:top])
