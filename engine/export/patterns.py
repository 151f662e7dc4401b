"""Patterns and flags as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.export.table import Column, Table, Value, from_records
from engine.leaderboard.patterns import FLAGS, PatternStudy

_RATES = (
    Column("pattern", title="Pattern"),
    Column("flag", title="Flag"),
    Column("k", "integer", "With the flag"),
    Column("n", "integer", "Samples"),
    Column("rate", "real", "Share"),
    Column("rate_low", "real", "Low"),
    Column("rate_high", "real", "High"),
    Column("other_k", "integer", "With the flag, others"),
    Column("other_n", "integer", "Samples, others"),
    Column("p_value", "real", "p"),
    Column("q_value", "real", "q"),
)


def pattern_table(study: PatternStudy, notes: Mapping[str, str]) -> Table:
    """Return how often each flag is set in each pattern; shares are fractions, intervals Wilson's at 95%."""
    records = []
    for flag in FLAGS:
        for pattern, found in study.rates[flag.key].items():
            bounds = found.inside.wilson()
            records.append(
                {
                    "pattern": pattern.value,
                    "flag": flag.key,
                    "k": found.inside.k,
                    "n": found.inside.n,
                    "rate": found.inside.rate,
                    "rate_low": None if bounds is None else bounds.low,
                    "rate_high": None if bounds is None else bounds.high,
                    "other_k": found.outside.k,
                    "other_n": found.outside.n,
                    "p_value": found.p_value,
                    "q_value": found.q_value,
                }
            )
    return from_records(_RATES, records, tuple(notes.items()))


def sample_flag_table(study: PatternStudy, places: Sequence[int], notes: Mapping[str, str]) -> Table:
    """Return the flags of samples, named by their places in the matrix."""
    samples = study.matrix.samples
    columns = (
        Column("sample", title="Sample"),
        Column("difficulty", title="Difficulty"),
        *(Column(flag.key, "boolean", flag.title) for flag in FLAGS),
    )
    rows: list[tuple[Value, ...]] = [
        (
            samples.samples[place],
            samples.difficulty[place],
            *(study.flags[flag.key][place] for flag in FLAGS),
        )
        for place in places
    ]
    return Table(columns, tuple(rows), tuple(notes.items()))
