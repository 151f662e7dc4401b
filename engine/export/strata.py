"""Strata as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.export.table import Column, Table, from_records
from engine.statistics.proportions import Interval
from engine.statistics.strata import Stratum

_COLUMNS = (
    Column("stratum", title="Stratum"),
    Column("samples", "integer", "Samples"),
    Column("contaminated_samples", "integer", "Contaminated samples"),
    Column("clean_samples", "integer", "Clean samples"),
    Column("rate", "real", "Before"),
    Column("rate_low", "real", "Low"),
    Column("rate_high", "real", "High"),
    Column("clean_rate", "real", "After"),
    Column("clean_rate_low", "real", "Low"),
    Column("clean_rate_high", "real", "High"),
    Column("contaminated_rate", "real", "Contaminated"),
    Column("relative_change", "real", "Change"),
    Column("difference", "real", "Difference"),
    Column("difference_low", "real", "Low"),
    Column("difference_high", "real", "High"),
    Column("too_small", "boolean", "Too few samples"),
)


def strata_table(found: Sequence[Stratum], titles: Mapping[str, str], notes: Mapping[str, str]) -> Table:
    """Return strata as a table; rates, changes and differences are fractions, intervals 95%.

    Args:
        found: The strata.
        titles: Title by name, where it has one.
        notes: How they were made.
    """
    records = (
        {
            "stratum": None if stratum.name is None else titles.get(stratum.name, stratum.name),
            "samples": stratum.samples,
            "contaminated_samples": stratum.contaminated_samples,
            "clean_samples": stratum.clean_samples,
            "rate": stratum.before.rate,
            "clean_rate": stratum.clean.rate,
            "contaminated_rate": stratum.contaminated.rate,
            "relative_change": stratum.relative_change,
            "difference": stratum.difference,
            "too_small": stratum.too_small,
            **_ends("rate", stratum.before_interval),
            **_ends("clean_rate", stratum.clean_interval),
            **_ends("difference", stratum.difference_interval),
        }
        for stratum in found
    )
    return from_records(_COLUMNS, records, tuple(notes.items()))


def _ends(name: str, bounds: Interval | None) -> dict[str, float | None]:
    return {
        f"{name}_low": None if bounds is None else bounds.low,
        f"{name}_high": None if bounds is None else bounds.high,
    }
