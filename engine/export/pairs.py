"""Paired comparisons as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.export.table import Column, Table, Value, from_records
from engine.leaderboard.matrix import Matrix
from engine.statistics.effects.paired import Pair
from engine.store.schema import LABELS

_PAIRS = (
    Column("first", title="First"),
    Column("second", title="Second"),
    Column("samples", "integer", "Samples"),
    Column("both", "integer", "Both"),
    Column("first_only", "integer", "First only"),
    Column("second_only", "integer", "Second only"),
    Column("neither", "integer", "Neither"),
    Column("difference", "real", "Difference"),
    Column("difference_low", "real", "Low"),
    Column("difference_high", "real", "High"),
    Column("p_value", "real", "p"),
    Column("q_value", "real", "q"),
    Column("kappa", "real", "Kappa"),
)


def pair_table(pairs: Sequence[Pair], titles: Sequence[str], notes: Mapping[str, str]) -> Table:
    """Return pairs of submissions; differences are fractions, intervals 95%.

    Args:
        pairs: From `compare_all`.
        titles: Title of each submission, in its order.
        notes: How they were made.
    """
    records = (
        {
            "first": titles[pair.first],
            "second": titles[pair.second],
            "samples": pair.result.n,
            "both": pair.result.both,
            "first_only": pair.result.first_only,
            "second_only": pair.result.second_only,
            "neither": pair.result.neither,
            "difference": pair.result.difference,
            "difference_low": bounds.low if (bounds := pair.result.difference_interval) else None,
            "difference_high": bounds.high if bounds else None,
            "p_value": pair.result.p_value,
            "q_value": pair.q_value,
            "kappa": pair.result.agreement.kappa if pair.result.agreement else None,
        }
        for pair in pairs
    )
    return from_records(_PAIRS, records, tuple(notes.items()))


def differing_table(matrix: Matrix, places: Sequence[int], notes: Mapping[str, str]) -> Table:
    """Return samples by their columns in `matrix`, with result and label for each submission."""
    columns = [Column("sample", title="Sample"), Column("difficulty", title="Difficulty")]
    for entry in matrix.submissions:
        columns += [
            Column(f"{entry.submission}_resolved", "boolean", entry.title),
            Column(f"{entry.submission}_label", title="Label"),
        ]
    rows: list[tuple[Value, ...]] = []
    for place in places:
        values: list[Value] = [matrix.samples.samples[place], matrix.samples.difficulty[place]]
        for index, entry in enumerate(matrix.submissions):
            known = entry.cutoff is not None
            values += [
                bool(matrix.resolved[index, place]),
                LABELS[matrix.labels[index, place]] if known else None,
            ]
        rows.append(tuple(values))
    return Table(tuple(columns), tuple(rows), tuple(notes.items()))
