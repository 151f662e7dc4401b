"""A ranking and what it survives, as tables."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.export.table import Column, Table, Value, from_records
from engine.leaderboard.fragility import PairSurvival, Standing

_STANDING = (
    Column("submission", title="Submission"),
    Column("rank", "integer", "Rank"),
    Column("rank_low", "integer", "Low"),
    Column("rank_high", "integer", "High"),
    Column("best", "integer", "Best of all scenarios"),
    Column("worst", "integer", "Worst"),
    Column("surely_above", "integer", "Surely above"),
    Column("surely_below", "integer", "Surely below"),
    Column("clean_resolved", "integer", "Resolved"),
    Column("clean_total", "integer", "Clean samples"),
    Column("clean_rate", "real", "Rate"),
)
_PAIR = (
    Column("aspect", title="Choice of"),
    Column("choice", title="Chosen"),
    Column("above", "integer", "First above"),
    Column("tied", "integer", "Level"),
    Column("below", "integer", "Second above"),
)


def standing_table(found: Standing, notes: Mapping[str, str]) -> Table:
    """Return a ranking; rank intervals are 95% over samples drawn anew by repository."""
    sure, counts = found.sure, found.scenarios[0].counts
    records = []
    for place, entry in enumerate(found.matrix.submissions):
        rank, share = found.ranks.at(place), counts.at(place)
        records.append(
            {
                "submission": entry.submission,
                "rank": None if rank is None else rank.rank,
                "rank_low": None if rank is None else rank.low,
                "rank_high": None if rank is None else rank.high,
                "best": _place(found.fragility.best[place]),
                "worst": _place(found.fragility.worst[place]),
                "surely_above": int(sure[place].sum()),
                "surely_below": int(sure[:, place].sum()),
                "clean_resolved": share.k,
                "clean_total": share.n,
                "clean_rate": share.rate,
            }
        )
    return from_records(_STANDING, records, tuple(notes.items()))


def pair_table(found: PairSurvival, notes: Mapping[str, str]) -> Table:
    """Return in how many scenarios the first of two submissions is above the second, by choice."""
    rows: list[tuple[Value, ...]] = [
        (aspect, choice, tally.above, tally.tied, tally.below)
        for (aspect, choice), tally in ((("all", ""), found.whole), *found.parts.items())
    ]
    return Table(_PAIR, tuple(rows), tuple(notes.items()))


def _place(value: float) -> int | None:
    return None if np.isnan(value) else int(value)
