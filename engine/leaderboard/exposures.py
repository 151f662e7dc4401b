"""How much of a benchmark is contaminated at each training cutoff, by each detector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from engine.statistics.proportions import Proportion
from engine.store.connection import Snapshot


@dataclass(frozen=True, slots=True)
class ExposureShare:
    """The samples of a benchmark at a cutoff, the repositories being taken as seen.

    Attributes:
        benchmark: Key of the benchmark.
        detector: Key of the detector.
        cutoff: The cutoff.
        contaminated: Contaminated of the samples that are either contaminated or clean.
        unknown: Samples that are neither.
        removed: Of the clean ones, those whose fix was in the code on an earlier day (Figure 1, category 3).
    """

    benchmark: str
    detector: str
    cutoff: date
    contaminated: Proportion
    unknown: int
    removed: int


def exposure_shares(
    database: Snapshot, detector: str, threshold: float | None, cutoffs: Sequence[date]
) -> tuple[ExposureShare, ...]:
    """Return the share of contaminated samples of each benchmark at each cutoff, earliest first.

    Args:
        database: The facts.
        detector: Key of the detector.
        threshold: Score from which a fix counts as present; None for the detector's own.
        cutoffs: The days to look at.
    """
    rows = database.rows(
        """
        WITH bar AS (
            SELECT coalesce($threshold, threshold) AS minimum FROM detector WHERE detector = $detector
        ), first_seen AS (
            SELECT sample, min(valid_from) AS seen_from FROM presence CROSS JOIN bar
            WHERE detector = $detector AND score >= minimum AND score > 0 GROUP BY sample
        )
        SELECT benchmark, found.cutoff,
               count(*) FILTER (WHERE label = 'contaminated') AS contaminated,
               count(*) FILTER (WHERE label = 'clean') AS clean,
               count(*) FILTER (WHERE label = 'unknown') AS unknown,
               count(*) FILTER (WHERE label = 'clean' AND seen_from <= found.cutoff) AS removed
        FROM membership JOIN label_at_each(
            $detector, $threshold, CAST($exposures AS STRUCT(cutoff DATE, models VARCHAR[])[])
        ) AS found USING (sample)
        LEFT JOIN first_seen USING (sample)
        GROUP BY benchmark, found.cutoff ORDER BY benchmark, found.cutoff
        """,
        {
            "detector": detector,
            "threshold": threshold,
            "exposures": [{"cutoff": cutoff, "models": []} for cutoff in cutoffs],
        },
    )
    return tuple(
        ExposureShare(
            row["benchmark"],
            detector,
            row["cutoff"],
            Proportion(row["contaminated"], row["contaminated"] + row["clean"]),
            row["unknown"],
            row["removed"],
        )
        for row in rows
    )
