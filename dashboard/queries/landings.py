"""When the fixes of a benchmark landed."""

from __future__ import annotations

from dashboard.database import remembered
from dashboard.records import Landing
from engine.store.connection import Snapshot


@remembered
def landings(database: Snapshot, benchmark: str, detector: str, threshold: float) -> tuple[Landing, ...]:
    """Return every sample with the day of its fix, and its label at the latest cutoff of the registry.

    The repository counts as seen, so that only the fix decides.
    """
    rows = database.rows(
        """
        SELECT sample, difficulty, CAST(landed_at AT TIME ZONE 'UTC' AS DATE) AS landed_on,
               coalesce(label, 'unknown') AS label
        FROM membership LEFT JOIN landing USING (sample)
        LEFT JOIN label_at(
            $detector, (SELECT max(cutoff) FROM model), minimum_score := $threshold
        ) USING (sample)
        WHERE benchmark = $benchmark ORDER BY landed_on, sample
        """,
        {"benchmark": benchmark, "detector": detector, "threshold": threshold},
    )
    return tuple(Landing(**row) for row in rows)
