"""Models under several frameworks as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.export.columns import SEPARATOR
from engine.export.table import Column, Table, from_records
from engine.leaderboard.frameworks import ModelAcrossFrameworks

_COLUMNS = (
    Column("models", title="Models"),
    Column("framework", title="Framework"),
    Column("submission", title="Submission"),
    Column("resolved", "integer", "Resolved"),
    Column("total", "integer", "Samples"),
    Column("clean_resolved", "integer", "Clean resolved"),
    Column("clean_total", "integer", "Clean samples"),
    Column("relative_change", "real", "Change"),
    Column("spread", "real", "Spread of the model"),
)


def frameworks_table(groups: Sequence[ModelAcrossFrameworks], notes: Mapping[str, str]) -> Table:
    """Return one row for each model and framework; changes are fractions."""
    records = []
    for group in groups:
        for row in group.rows:
            found = row.overall
            records.append(
                {
                    "models": SEPARATOR.join(group.models),
                    "framework": row.submission.framework,
                    "submission": row.submission.submission,
                    "resolved": None if found is None else found.before.k,
                    "total": None if found is None else found.before.n,
                    "clean_resolved": None if found is None else found.clean.k,
                    "clean_total": None if found is None else found.clean.n,
                    "relative_change": None if found is None else found.relative_change,
                    "spread": group.spread,
                }
            )
    return from_records(_COLUMNS, records, tuple(notes.items()))
