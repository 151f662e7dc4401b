"""What is known of samples apart from their outcomes: days, size and repository."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.leaderboard.matrix import Matrix
from engine.statistics.arrays import Floats
from engine.store.connection import Snapshot


@dataclass(frozen=True, slots=True, eq=False)
class Covariates:
    """Numbers of samples, each of shape (samples,); NaN where one is not known.

    Attributes:
        landed: Day number (`date.toordinal`) of the landing of the fix, UTC.
        vanished: Day number of the first day on which the detector no longer finds it, for good.
        created: Year of the issue.
        lines: Lines that the gold patch adds and removes.
    """

    landed: Floats
    vanished: Floats
    created: Floats
    lines: Floats


def read_covariates(database: Snapshot, matrix: Matrix) -> Covariates:
    """Read the covariates of the samples of a matrix, for its detector and threshold."""
    found = database.rows(
        """
        SELECT sample, CAST(landed_at AT TIME ZONE 'UTC' AS DATE) AS landed, last_seen, judged_to,
               year(created_at) AS created, added_lines + removed_lines AS lines
        FROM sample LEFT JOIN landing USING (sample) LEFT JOIN (
            SELECT sample, max(valid_to) AS judged_to,
                   max(valid_to) FILTER (state = 'judged' AND score > 0 AND score >= $threshold) AS last_seen
            FROM presence WHERE detector = $detector GROUP BY sample
        ) USING (sample)
        """,
        {"detector": matrix.detector, "threshold": matrix.threshold},
    )
    by_sample = {row["sample"]: row for row in found}
    rows = [by_sample[sample] for sample in matrix.samples.samples]
    for row in rows:
        gone = row["last_seen"] is not None and row["last_seen"] < row["judged_to"]
        row["vanished"] = row["last_seen"].toordinal() + 1 if gone else None
        row["landed"] = None if row["landed"] is None else row["landed"].toordinal()

    def column(name: str) -> Floats:
        return np.array([np.nan if row[name] is None else row[name] for row in rows], dtype=np.float64)

    return Covariates(column("landed"), column("vanished"), column("created"), column("lines"))
