"""The leaderboard as the engine computes it, remembered by its filters."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from dashboard.database import remembered
from engine.leaderboard.board import Leaderboard, LeaderboardRow, leaderboard_of
from engine.leaderboard.exposures import ExposureShare, exposure_shares
from engine.leaderboard.filters import Filters
from engine.leaderboard.matrix import Matrix, read_matrix
from engine.leaderboard.patterns import PatternStudy, study_patterns
from engine.leaderboard.trends import DatedTrend, by_release, change_over_time, reported_against_change
from engine.statistics.effects.trend import RateAgainstChange
from engine.statistics.rank_change import RankChange, rank_change
from engine.statistics.summary import Comparison
from engine.statistics.verdict import Verdict
from engine.store.connection import Snapshot

VERDICT_ORDER = (Verdict.HOLDS, Verdict.INSUFFICIENT, Verdict.DOES_NOT_HOLD)


@remembered
def board(
    database: Snapshot,
    benchmark: str,
    detector: str,
    threshold: float,
    difficulty: str | None = None,
    frameworks: tuple[str, ...] = (),
    models: tuple[str, ...] = (),
    since: date | None = None,
    until: date | None = None,
    open_weights: bool | None = None,
) -> Leaderboard:
    """Return the leaderboard of the submissions that meet every filter."""
    filters = Filters(frameworks, models, since, until, open_weights)
    whole = matrix(database, benchmark, detector, threshold)
    return leaderboard_of(whole, difficulty=difficulty, filters=filters)


@remembered
def matrix(database: Snapshot, benchmark: str, detector: str, threshold: float) -> Matrix:
    """Return the outcomes and labels of all submissions to a benchmark."""
    return read_matrix(database, benchmark, detector, threshold)


@remembered
def reported(database: Snapshot, benchmark: str, detector: str, threshold: float) -> RateAgainstChange:
    """Return how the change goes with the reported rate; remembered, since it deals labels out many times."""
    return reported_against_change(matrix(database, benchmark, detector, threshold))


@remembered
def releases(
    database: Snapshot,
    benchmark: str,
    detector: str,
    threshold: float,
    difficulty: str | None,
    one_a_model: bool,
) -> tuple[LeaderboardRow, ...]:
    """Return the rows with a date of release, oldest models first."""
    rows = board(database, benchmark, detector, threshold, difficulty).rows
    return by_release(rows, one_a_model=one_a_model)


@remembered
def release_trends(
    database: Snapshot, benchmark: str, detector: str, threshold: float, one_a_model: bool
) -> dict[str | None, DatedTrend | None]:
    """Return the trend of the change at each level of difficulty, None being the key of all levels."""
    found = board(database, benchmark, detector, threshold)
    rows = by_release(found.rows, one_a_model=one_a_model)
    return {level: change_over_time(rows, level) for level in (None, *found.levels)}


@remembered
def patterns(
    database: Snapshot,
    benchmark: str,
    detector: str,
    threshold: float,
    top: int,
    open_weights: bool | None,
    frameworks: tuple[str, ...],
    models: tuple[str, ...],
) -> PatternStudy:
    """Return the patterns of the `top` best submissions that meet every filter."""
    every = matrix(database, benchmark, detector, threshold)
    filters = Filters(frameworks, models, open_weights=open_weights)
    return study_patterns(database, every.meeting(filters).best(top))


@remembered
def exposures(
    database: Snapshot, detector: str, threshold: float, cutoffs: tuple[date, ...]
) -> tuple[ExposureShare, ...]:
    """Return the share of contaminated samples of each benchmark at each cutoff, earliest first."""
    return exposure_shares(database, detector, threshold, cutoffs)


@remembered
def moves(database: Snapshot, benchmark: str, detector: str, threshold: float) -> RankChange:
    """Return what leaving out the contaminated samples does to the ranking."""
    rows = board(database, benchmark, detector, threshold).rows
    return rank_change([(row.rank_before, row.rank_after) for row in rows])


def adjusted(row: LeaderboardRow) -> Comparison | None:
    """Return the comparison of a row that has adjusted figures, None for the others."""
    return row.overall if row.reason is None else None


def _rank_after(row: LeaderboardRow) -> float | None:
    return None if row.rank_after is None else row.rank_after.rank


def _after(row: LeaderboardRow) -> float | None:
    return None if row.after is None else row.after.rate


def _before(row: LeaderboardRow) -> float | None:
    return None if row.before is None else row.before.rate


def _change(row: LeaderboardRow) -> float | None:
    comparison = adjusted(row)
    return None if comparison is None else comparison.relative_change


def _cutoff(row: LeaderboardRow) -> float | None:
    cutoff = row.submission.cutoff
    return None if cutoff is None else cutoff.toordinal()


def _verdict(row: LeaderboardRow) -> float | None:
    comparison = adjusted(row)
    return None if comparison is None else VERDICT_ORDER.index(comparison.judgement.verdict)


def _title(row: LeaderboardRow) -> str:
    return row.submission.title.casefold()


ORDERS: dict[str, Callable[[LeaderboardRow], float | str | None]] = {
    "rank": _rank_after,
    "submission": _title,
    "cutoff": _cutoff,
    "before": _before,
    "after": _after,
    "change": _change,
    "verdict": _verdict,
}
"""What the leaderboard can be sorted by."""


def ordered(rows: tuple[LeaderboardRow, ...], column: str, *, descending: bool) -> list[LeaderboardRow]:
    """Return `rows` sorted by one of `ORDERS`; those without a value come last either way."""
    value_of = ORDERS[column]
    values = [(value_of(row), row) for row in rows]
    known = [(value, row) for value, row in values if value is not None]
    known.sort(key=lambda pair: pair[0], reverse=descending)
    return [row for _, row in known] + [row for value, row in values if value is None]
