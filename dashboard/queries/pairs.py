"""Two detectors side by side."""

from __future__ import annotations

from datetime import date

from dashboard.database import remembered
from dashboard.records import Agreement, PairVerdict
from engine.store.connection import Snapshot


@remembered
def pair_verdicts(
    database: Snapshot,
    benchmark: str,
    cutoff: date,
    first: tuple[str, float],
    second: tuple[str, float],
) -> tuple[PairVerdict, ...]:
    """Return what two detectors, each with its threshold, say about every sample at a cutoff."""
    rows = database.rows(
        """
        SELECT sample, sample.repository, difficulty, one.label, one.score, one.method, one.reason,
               two.label AS other_label, two.score AS other_score, two.method AS other_method,
               two.reason AS other_reason
        FROM membership JOIN sample USING (sample) LEFT JOIN difficulty USING (benchmark, difficulty)
        JOIN label_at($first, $cutoff, minimum_score := $first_minimum) AS one USING (sample)
        JOIN label_at($second, $cutoff, minimum_score := $second_minimum) AS two USING (sample)
        WHERE benchmark = $benchmark ORDER BY difficulty.rank, sample
        """,
        {"benchmark": benchmark, "cutoff": cutoff} | _pair(first, second),
    )
    return tuple(PairVerdict(**row) for row in rows)


@remembered
def agreement(
    database: Snapshot, benchmark: str, first: tuple[str, float], second: tuple[str, float]
) -> tuple[Agreement, ...]:
    """Return how far two detectors agree at every cutoff of a benchmark's submissions, earliest first."""
    cutoffs = database.rows(
        """
        SELECT cutoff, count(*) AS submissions FROM submission_cutoff
        WHERE benchmark = ? AND cutoff IS NOT NULL GROUP BY cutoff ORDER BY cutoff
        """,
        [benchmark],
    )
    exposures = [{"cutoff": row["cutoff"], "models": []} for row in cutoffs]
    rows = database.rows(
        """
        SELECT one.cutoff, count(*) AS both_judge,
               count(*) FILTER (WHERE one.label = 'clean') AS clean,
               count(*) FILTER (WHERE two.label = 'clean') AS other_clean,
               count(*) FILTER (WHERE one.label <> two.label) AS differ
        FROM label_at_each(
            $first, $first_minimum, CAST($exposures AS STRUCT(cutoff DATE, models VARCHAR[])[])
        ) AS one JOIN label_at_each(
            $second, $second_minimum, CAST($exposures AS STRUCT(cutoff DATE, models VARCHAR[])[])
        ) AS two USING (position, sample)
        JOIN membership USING (sample)
        WHERE benchmark = $benchmark AND one.label <> 'unknown' AND two.label <> 'unknown'
        GROUP BY one.cutoff ORDER BY one.cutoff
        """,
        {"benchmark": benchmark, "exposures": exposures} | _pair(first, second),
    )
    submissions = {row["cutoff"]: row["submissions"] for row in cutoffs}
    return tuple(Agreement(submissions=submissions[row["cutoff"]], **row) for row in rows)


def _pair(first: tuple[str, float], second: tuple[str, float]) -> dict[str, str | float]:
    return {
        "first": first[0],
        "first_minimum": first[1],
        "second": second[0],
        "second_minimum": second[1],
    }
