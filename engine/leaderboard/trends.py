"""Models in the order of their release, and whether newer or better ones lose less on clean samples.

Findings 4 and 5 of the paper, which reads them off its Tables 8 and 9.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from engine.leaderboard.board import LeaderboardRow
from engine.leaderboard.matrix import Matrix
from engine.statistics.effects.trend import RateAgainstChange, Trend, linear_trend, rate_against_change
from engine.statistics.proportions import FEWEST_SAMPLES

FEWEST_SUBMISSIONS = 8
"""With fewer submissions a trend or a correlation is not worth the name."""

_DAYS_IN_YEAR = 365.25
_RESAMPLES = 200


@dataclass(frozen=True, slots=True)
class DatedTrend:
    """A trend over days: `line` has years since `origin` as its x."""

    line: Trend
    origin: date
    last: date

    def at(self, day: date) -> float:
        """Return the value of the line on a day."""
        return self.line.intercept + self.line.slope * _years(day, self.origin)


def by_release(rows: Sequence[LeaderboardRow], *, one_a_model: bool) -> tuple[LeaderboardRow, ...]:
    """Return the rows with adjusted figures and a date of release, oldest models first.

    Args:
        rows: Best rate before first, as in a leaderboard.
        one_a_model: Keep the best row of each set of models, as the paper's Tables 8 and 9 do.
    """
    dated = [row for row in rows if row.reason is None and row.submission.released is not None]
    if one_a_model:
        first: dict[tuple[str, ...], LeaderboardRow] = {}
        for row in dated:
            first.setdefault(row.submission.models, row)
        dated = list(first.values())
    return tuple(sorted(dated, key=lambda row: (row.submission.released, row.submission.submission)))


def change_over_time(rows: Sequence[LeaderboardRow], difficulty: str | None = None) -> DatedTrend | None:
    """Return the trend of the relative change over release dates, weighted by the number of clean samples.

    Rows with fewer than `strata.FEWEST_SAMPLES` clean samples are left out.

    Args:
        rows: From `by_release`.
        difficulty: Look at the samples of this level; at all of them by default.

    Returns:
        None with fewer than `FEWEST_SUBMISSIONS` rows with a change, or if all came out on one day.
    """
    days, changes, weights = [], [], []
    for row in rows:
        comparison = row.overall if difficulty is None else row.levels.get(difficulty)
        released = row.submission.released
        if comparison is None or comparison.clean.n < FEWEST_SAMPLES or released is None:
            continue
        if comparison.relative_change is not None:
            days.append(released)
            changes.append(comparison.relative_change)
            weights.append(comparison.clean.n)
    if len(days) < FEWEST_SUBMISSIONS:
        return None
    origin = min(days)
    line = linear_trend([_years(day, origin) for day in days], changes, weights)
    return None if line is None else DatedTrend(line, origin, max(days))


def reported_against_change(matrix: Matrix) -> RateAgainstChange:
    """Return how the relative change goes with the reported rate, of submissions that have clean samples.

    There is no association with fewer than `FEWEST_SUBMISSIONS` of them.
    """
    usable = np.flatnonzero(matrix.clean.any(axis=1))
    if usable.size < FEWEST_SUBMISSIONS:
        return RateAgainstChange(None, None, None)
    taken = matrix.take(usable.tolist())
    return rate_against_change(
        taken.resolved, taken.clean, strata=taken.samples.difficulty, resamples=_RESAMPLES
    )


def _years(day: date, origin: date) -> float:
    return (day - origin).days / _DAYS_IN_YEAR
