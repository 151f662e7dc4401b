"""Shares of contaminated samples by cutoff as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.export.table import Column, Table, from_records
from engine.leaderboard.exposures import ExposureShare

_COLUMNS = (
    Column("benchmark", title="Benchmark"),
    Column("detector", title="Detector"),
    Column("cutoff", "day", "Cutoff"),
    Column("contaminated", "integer", "Contaminated"),
    Column("judged", "integer", "Judged"),
    Column("rate", "real", "Share"),
    Column("rate_low", "real", "Low"),
    Column("rate_high", "real", "High"),
    Column("unknown", "integer", "Unknown"),
    Column("removed", "integer", "Removed earlier"),
)


def exposure_table(shares: Iterable[ExposureShare], notes: Mapping[str, str]) -> Table:
    """Return shares as a table; they are fractions, with Wilson's interval at 95%."""
    records = []
    for share in shares:
        bounds = share.contaminated.wilson()
        records.append(
            {
                "benchmark": share.benchmark,
                "detector": share.detector,
                "cutoff": share.cutoff,
                "contaminated": share.contaminated.k,
                "judged": share.contaminated.n,
                "rate": share.contaminated.rate,
                "rate_low": None if bounds is None else bounds.low,
                "rate_high": None if bounds is None else bounds.high,
                "unknown": share.unknown,
                "removed": share.removed,
            }
        )
    return from_records(_COLUMNS, records, tuple(notes.items()))
