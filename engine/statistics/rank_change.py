"""What leaving out the contaminated samples does to a ranking, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import kendalltau

from engine.statistics.ranking import Rank


@dataclass(frozen=True, slots=True)
class RankChange:
    """Ranks before and after, taken together.

    Attributes:
        ranked: Submissions with a rank both before and after.
        moved: Those whose place differs.
        surely_moved: Those whose intervals before and after have no place in common.
        largest_move: Most places that any submission moves.
        agreement: Kendall's tau-b; None with fewer than two submissions, or all tied.
        could_lead_before: Submissions whose interval before reaches the first place.
        could_lead_after: The same after.
    """

    ranked: int
    moved: int
    surely_moved: int
    largest_move: int
    agreement: float | None
    could_lead_before: int
    could_lead_after: int


def rank_change(places: Sequence[tuple[Rank | None, Rank | None]]) -> RankChange:
    """Summarise pairs of ranks before and after; a pair that lacks either takes no part."""
    known = [(before, after) for before, after in places if before is not None and after is not None]
    moves = [abs(before.rank - after.rank) for before, after in known]
    tau = float("nan")
    if len(known) > 1:
        tau = float(kendalltau([b.rank for b, _ in known], [a.rank for _, a in known]).statistic)
    return RankChange(
        ranked=len(known),
        moved=sum(move > 0 for move in moves),
        surely_moved=sum(b.high < a.low or a.high < b.low for b, a in known),
        largest_move=max(moves, default=0),
        agreement=None if np.isnan(tau) else tau,
        could_lead_before=sum(before.low == 1 for before, _ in known),
        could_lead_after=sum(after.low == 1 for _, after in known),
    )
