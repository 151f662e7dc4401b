"""Models by release, and samples by the day of their fix, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from engine.export.columns import SEPARATOR
from engine.export.table import Column, Table, from_records
from engine.leaderboard.board import LeaderboardRow

_RELEASES = (
    Column("models", title="Models"),
    Column("submission", title="Submission"),
    Column("released", "day", "Released"),
    Column("cutoff", "day", "Cutoff"),
    Column("rate", "real", "Before"),
    Column("clean_rate", "real", "After"),
    Column("clean_rate_low", "real", "Low"),
    Column("clean_rate_high", "real", "High"),
    Column("clean_total", "integer", "Clean samples"),
    Column("relative_change", "real", "Change"),
)
_LANDINGS = (
    Column("sample", title="Sample"),
    Column("difficulty", title="Difficulty"),
    Column("landed_on", "day", "Fix landed"),
    Column("label", title="Label at the latest cutoff"),
)


def release_table(rows: Sequence[LeaderboardRow], notes: Mapping[str, str]) -> Table:
    """Return models by release; rates and changes are fractions, intervals 95%."""
    records = []
    for row in rows:
        found = row.overall
        bounds = None if found is None else found.clean_interval
        records.append(
            {
                "models": SEPARATOR.join(row.submission.model_titles),
                "submission": row.submission.submission,
                "released": row.submission.released,
                "cutoff": row.submission.cutoff,
                "rate": None if found is None else found.before.rate,
                "clean_rate": None if found is None else found.clean.rate,
                "clean_rate_low": None if bounds is None else bounds.low,
                "clean_rate_high": None if bounds is None else bounds.high,
                "clean_total": None if found is None else found.clean.n,
                "relative_change": None if found is None else found.relative_change,
            }
        )
    return from_records(_RELEASES, records, tuple(notes.items()))


def landing_table(
    rows: Iterable[tuple[str, str | None, date | None, str]], notes: Mapping[str, str]
) -> Table:
    """Return samples with level, day of landing and label, in that order."""
    return Table(_LANDINGS, tuple(rows), tuple(notes.items()))
