"""Where the facts are from."""

from __future__ import annotations

from typing import Any

from dashboard.database import remembered
from engine.store.connection import Snapshot

Table = tuple[dict[str, Any], ...]


@remembered
def models(database: Snapshot) -> Table:
    """Return the registry of models, newest first."""
    return tuple(
        database.rows(
            """
            SELECT model, title, vendor, released, cutoff, basis, source, open_weights,
                   count(DISTINCT (benchmark, submission)) FILTER (WHERE submission IS NOT NULL)
                       AS submissions
            FROM model LEFT JOIN submission_model USING (model)
            GROUP BY ALL ORDER BY released DESC, model
            """
        )
    )


@remembered
def repositories(database: Snapshot) -> Table:
    """Return the repositories and how far their histories were read."""
    return tuple(
        database.rows(
            """
            SELECT repository, language, first_day, head_day, head_commit, count(sample) AS samples
            FROM repository LEFT JOIN sample USING (repository) GROUP BY ALL ORDER BY repository
            """
        )
    )


@remembered
def runs(database: Snapshot) -> Table:
    """Return the commands that made the facts, newest first."""
    return tuple(
        database.rows(
            """
            SELECT run, command, started_at, finished_at, CAST(versions AS VARCHAR) AS versions,
                   CAST(configuration AS VARCHAR) AS configuration, CAST(inputs AS VARCHAR) AS inputs
            FROM run ORDER BY finished_at DESC, run
            """
        )
    )
