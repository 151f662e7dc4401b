"""One repository: which models saw it and how that is known, and the lives of its fixes."""

from __future__ import annotations

from dashboard.database import remembered
from dashboard.records import RepositoryFix, RepositoryPresence
from engine.store.connection import Snapshot


@remembered
def repository_presence(database: Snapshot, repository: str) -> tuple[RepositoryPresence, ...]:
    """Return every model with what is known of it and the repository; evidence first, then by release."""
    rows = database.rows(
        """
        SELECT model, title, cutoff, coalesce(found.basis, 'assumed') AS basis,
               coalesce(verdict, 'present') AS verdict, hits, queries, unanswered, weighted_hits, p0,
               p0_basis, p_value, weighted_p_value, q_value, design_effect, detectable, found.source
        FROM model LEFT JOIN (FROM repository_presence WHERE repository = ?) AS found USING (model)
        ORDER BY list_position(['probed', 'published', 'assumed'], coalesce(found.basis, 'assumed')),
                 released DESC, model
        """,
        [repository],
    )
    return tuple(RepositoryPresence(**row) for row in rows)


@remembered
def repository_fixes(
    database: Snapshot, repository: str, detector: str, threshold: float
) -> tuple[RepositoryFix, ...]:
    """Return the samples of a repository with the days from and to which a detector finds their fix."""
    rows = database.rows(
        """
        SELECT sample, landed_at, min(valid_from) FILTER (WHERE seen) AS first_seen,
               max(valid_to) FILTER (WHERE seen) AS last_seen, max(valid_to) AS judged_to
        FROM sample LEFT JOIN landing USING (sample) LEFT JOIN (
            SELECT sample, valid_from, valid_to,
                   state = 'judged' AND score > 0 AND score >= $threshold AS seen
            FROM presence WHERE detector = $detector
        ) USING (sample)
        WHERE repository = $repository GROUP BY sample, landed_at ORDER BY landed_at NULLS LAST, sample
        """,
        {"repository": repository, "detector": detector, "threshold": threshold},
    )
    return tuple(RepositoryFix(**row) for row in rows)
