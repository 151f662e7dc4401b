"""Labels of all samples for many submissions at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from engine.problems import BenchCheckerError
from engine.store.connection import Snapshot
from engine.store.schema import LABELS


@dataclass(frozen=True, slots=True)
class Exposure:
    """What decides the labels of a submission.

    Attributes:
        cutoff: The last day of its models' training data.
        models: Models whose repository presence counts; none means that presence is assumed everywhere.
    """

    cutoff: date
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelMatrix:
    """Labels of samples for exposures.

    Attributes:
        samples: Sample ids, in the order of the columns.
        codes: Positions in `schema.LABELS`, shape (exposures, samples).
    """

    samples: tuple[str, ...]
    codes: NDArray[np.int8]


def choose_detector(
    database: Snapshot, detector: str | None = None, threshold: float | None = None
) -> tuple[str, float]:
    """Return the key of a detector and a threshold, those that are left out being the default ones.

    Raises:
        BenchCheckerError: If there is no such detector, or the threshold does not lie between 0 and 1.
    """
    known = database.rows("SELECT detector, threshold FROM detector ORDER BY is_default DESC, detector")
    thresholds = {row["detector"]: row["threshold"] for row in known}
    if not thresholds:
        raise BenchCheckerError("the facts name no detector: add one to detector.toml and build again")
    key = next(iter(thresholds)) if detector is None else detector
    if key not in thresholds:
        raise BenchCheckerError(f"no detector is called {key!r}: use one of {', '.join(sorted(thresholds))}")
    minimum = thresholds[key] if threshold is None else threshold
    if not 0 <= minimum <= 1:
        raise BenchCheckerError(f"a threshold lies between 0 and 1, got {minimum}")
    return key, minimum


def label_matrix(
    database: Snapshot,
    detector: str,
    threshold: float | None,
    exposures: Sequence[Exposure],
    *,
    benchmark: str | None = None,
) -> LabelMatrix:
    """Label every sample for every exposure, with one pass over the stored intervals.

    Equal exposures are labelled once: 182 submissions have 52 different cutoffs.

    Args:
        database: The facts.
        detector: Key of the detector.
        threshold: Score from which a fix counts as present; None for the detector's own.
        exposures: One for each row of the matrix.
        benchmark: Label its samples only, all samples if left out.

    Raises:
        BenchCheckerError: If there is no such detector, or the threshold does not lie between 0 and 1.
    """
    detector, minimum = choose_detector(database, detector, threshold)
    samples = tuple(
        row["sample"]
        for row in database.rows(
            "SELECT DISTINCT sample FROM sample LEFT JOIN membership USING (sample) "
            "WHERE $benchmark IS NULL OR benchmark = $benchmark ORDER BY sample",
            {"benchmark": benchmark},
        )
    )
    effective = _effective(database, exposures)
    distinct = list(dict.fromkeys(effective))
    if not distinct or not samples:
        return LabelMatrix(samples, np.zeros((len(exposures), len(samples)), dtype=np.int8))
    found = database.columns(
        """
        SELECT CAST(list_position($labels, label) - 1 AS TINYINT) AS code
        FROM label_at_each(
            $detector, $threshold, CAST($exposures AS STRUCT(cutoff DATE, models VARCHAR[])[])
        ) SEMI JOIN (SELECT unnest($samples) AS sample) USING (sample)
        ORDER BY position, sample
        """,
        {
            "labels": list(LABELS),
            "detector": detector,
            "threshold": minimum,
            "exposures": [{"cutoff": e.cutoff, "models": list(e.models)} for e in distinct],
            "samples": list(samples),
        },
    )
    codes = np.asarray(found["code"], dtype=np.int8).reshape(len(distinct), len(samples))
    row_of = {exposure: position for position, exposure in enumerate(distinct)}
    return LabelMatrix(samples, codes[[row_of[exposure] for exposure in effective]])


def _effective(database: Snapshot, exposures: Sequence[Exposure]) -> list[Exposure]:
    """Leave out models that cannot change a label: one model that saw everything outweighs all others."""
    rows = database.rows("SELECT DISTINCT model FROM repository_presence WHERE verdict <> 'present'")
    doubtful = {row["model"] for row in rows}
    historic = {row["model"] for row in database.rows("SELECT model FROM model WHERE commit_history")}
    return [
        exposure
        if doubtful.issuperset(exposure.models) or not historic.isdisjoint(exposure.models)
        else Exposure(exposure.cutoff)
        for exposure in exposures
    ]
