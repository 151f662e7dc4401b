"""Every way to make the ranking on clean samples: detector, threshold, cutoffs, and which models count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import product

import numpy as np

from engine.leaderboard.matrix import Matrix, labels_of
from engine.leaderboard.source import Submission
from engine.models.registry import estimated_cutoff
from engine.statistics.arrays import Bools, Counts
from engine.statistics.cells import CLEAN
from engine.statistics.effects.fragility import Scenario
from engine.statistics.proportions import FEWEST_SAMPLES
from engine.store.connection import Snapshot
from engine.store.labels import Exposure

THRESHOLDS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
OWN = "own"
"""Stands for a detector's own threshold: scores of two detectors do not mean the same."""

ASPECTS = ("detector", "threshold", "basis", "policy")


class Basis(StrEnum):
    """Where the cutoff of a model is from."""

    REGISTRY = "as registered"
    PUBLISHED = "published only"
    RULE = "release − 3 months"


class Policy(StrEnum):
    """Which cutoff counts for a submission with several models."""

    LATEST = "latest"
    EARLIEST = "earliest"
    SINGLE = "one model only"


@dataclass(frozen=True, slots=True)
class ModelDates:
    """The dates of a model that writes patches for a submission."""

    cutoff: date
    basis: str
    released: date


def read_model_dates(database: Snapshot, benchmark: str) -> dict[str, tuple[ModelDates, ...]]:
    """Return the models behind each submission; none where the cutoff of any is not known."""
    rows = database.rows(
        """
        SELECT submission, cutoff, basis, released FROM submission_model LEFT JOIN model USING (model)
        WHERE benchmark = ? AND coalesce(role, 'generator') = 'generator' ORDER BY submission, tag
        """,
        [benchmark],
    )
    found: dict[str, list[ModelDates]] = {}
    unknown: set[str] = set()
    for row in rows:
        if row["cutoff"] is None:
            unknown.add(row["submission"])
        else:
            dates = ModelDates(row["cutoff"], row["basis"], row["released"])
            found.setdefault(row["submission"], []).append(dates)
    return {name: tuple(dates) for name, dates in found.items() if name not in unknown}


def scenario_cutoff(models: Sequence[ModelDates], basis: Basis, policy: Policy) -> date | None:
    """Return the cutoff of a submission, None where these choices leave it without one."""
    if not models or (policy is Policy.SINGLE and len({*models}) > 1):
        return None
    if basis is Basis.PUBLISHED and any(model.basis != "published" for model in models):
        return None
    days = [estimated_cutoff(model.released) if basis is Basis.RULE else model.cutoff for model in models]
    return min(days) if policy is Policy.EARLIEST else max(days)


def scenarios(
    database: Snapshot, matrix: Matrix, labellings: Sequence[tuple[str, float]]
) -> tuple[Scenario, ...]:
    """Make every ranking of the submissions of a matrix, whose own labels play no part.

    A submission with fewer than `FEWEST_SAMPLES` clean samples is not rated in a scenario: its rate would be
    a draw of lots.

    Args:
        database: The facts.
        matrix: Submissions.
        labellings: Pairs of detector and threshold, the detector's own being called `OWN`. Each comes with
            every basis and policy, the ones that the leaderboard uses (as registered, latest) first.
    """
    models = read_model_dates(database, matrix.benchmark)
    ways = tuple(product(Basis, Policy))
    exposures = [
        _exposure(entry, models.get(entry.submission, ()), basis, policy)
        for basis, policy in ways
        for entry in matrix.submissions
    ]
    own = {row["detector"]: row["threshold"] for row in database.rows("SELECT * FROM detector")}
    found = []
    for detector, threshold in labellings:
        named = OWN if threshold == own.get(detector) else f"{threshold:g}"
        labels = labels_of(database, detector, threshold, exposures, matrix.samples)
        for (basis, policy), part in zip(ways, np.split(labels, len(ways)), strict=True):
            choices = (detector, named, basis.value, policy.value)
            counts = _clean_counts(matrix.resolved, part == CLEAN)
            found.append(Scenario(dict(zip(ASPECTS, choices, strict=True)), counts))
    return tuple(found)


def _exposure(
    entry: Submission, models: Sequence[ModelDates], basis: Basis, policy: Policy
) -> Exposure | None:
    cutoff = scenario_cutoff(models, basis, policy)
    return None if cutoff is None else Exposure(cutoff, entry.models)


def _clean_counts(resolved: Bools, clean: Bools) -> Counts:
    n = clean.sum(axis=1)
    rated = n >= FEWEST_SAMPLES
    return Counts(np.where(rated, (resolved & clean).sum(axis=1), 0), np.where(rated, n, 0))
