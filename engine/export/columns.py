"""The columns of an exported leaderboard, each with where its value comes from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.export.table import Column, Kind, Value
from engine.leaderboard.board import LeaderboardRow
from engine.statistics.proportions import Interval
from engine.statistics.ranking import Rank
from engine.statistics.summary import Comparison

SEPARATOR = "; "


@dataclass(frozen=True, slots=True)
class Field:
    """A column and its value.

    Attributes:
        column: Name and type.
        value: From the row and its comparison (overall or of one level), None where it has none.
    """

    column: Column
    value: Callable[[LeaderboardRow, Comparison | None], Value]


def _row(name: str, kind: Kind, value: Callable[[LeaderboardRow], Value]) -> Field:
    """A field that describes the submission."""
    return Field(Column(name, kind), lambda row, _: value(row))


def _before(name: str, kind: Kind, value: Callable[[Comparison], Value]) -> Field:
    """A field that needs usable results."""
    return Field(Column(name, kind), lambda _, found: None if found is None else value(found))


def _after(name: str, kind: Kind, value: Callable[[Comparison], Value]) -> Field:
    """A field that needs usable results and a cutoff."""
    return Field(
        Column(name, kind),
        lambda row, found: None if found is None or row.reason is not None else value(found),
    )


def _low(interval: Interval | None) -> float | None:
    return None if interval is None else interval.low


def _high(interval: Interval | None) -> float | None:
    return None if interval is None else interval.high


def _ranks(name: str, rank: Callable[[LeaderboardRow], Rank | None]) -> tuple[Field, ...]:
    def place(suffix: str, value: Callable[[Rank], int]) -> Field:
        def of(row: LeaderboardRow) -> int | None:
            found = rank(row)
            return None if found is None else value(found)

        return _row(f"{name}{suffix}", "integer", of)

    return (
        place("", lambda found: found.rank),
        place("_low", lambda found: found.low),
        place("_high", lambda found: found.high),
    )


OVERALL_FIELDS: tuple[Field, ...] = (
    _row("submission", "text", lambda row: row.submission.submission),
    _row("framework", "text", lambda row: row.submission.framework),
    _row("models", "text", lambda row: SEPARATOR.join(row.submission.models)),
    _row("cutoff", "day", lambda row: row.submission.cutoff),
    _before("resolved", "integer", lambda found: found.before.k),
    _before("total", "integer", lambda found: found.before.n),
    _after("clean_resolved", "integer", lambda found: found.clean.k),
    _after("clean_total", "integer", lambda found: found.clean.n),
    _before("rate", "real", lambda found: found.before.rate),
    _after("clean_rate", "real", lambda found: found.clean.rate),
    _after("relative_change", "real", lambda found: found.relative_change),
    _before("rate_low", "real", lambda found: _low(found.before_interval)),
    _before("rate_high", "real", lambda found: _high(found.before_interval)),
    _after("clean_rate_low", "real", lambda found: _low(found.clean_interval)),
    _after("clean_rate_high", "real", lambda found: _high(found.clean_interval)),
    _after("contaminated_resolved", "integer", lambda found: found.contaminated.k),
    _after("contaminated_total", "integer", lambda found: found.contaminated.n),
    _after("unknown_resolved", "integer", lambda found: found.unknown.k),
    _after("unknown_total", "integer", lambda found: found.unknown.n),
    _after("difference", "real", lambda found: found.difference),
    _after("difference_low", "real", lambda found: _low(found.difference_interval)),
    _after("difference_high", "real", lambda found: _high(found.difference_interval)),
    _after("difference_clustered_low", "real", lambda found: _low(found.difference_clustered)),
    _after("difference_clustered_high", "real", lambda found: _high(found.difference_clustered)),
    _after("p_value", "real", lambda found: found.p_value),
    _after("q_value", "real", lambda found: found.q_value),
    _after("verdict", "text", lambda found: found.judgement.verdict.value),
    _after("verdict_reasons", "text", lambda found: SEPARATOR.join(found.judgement.sentences)),
    *_ranks("rank", lambda row: row.rank_before),
    *_ranks("clean_rank", lambda row: row.rank_after),
    _row("title", "text", lambda row: row.submission.title),
    _row("cutoff_basis", "text", lambda row: row.submission.basis),
    _row("submitted_on", "day", lambda row: row.submission.submitted_on),
    _row("open_weights", "boolean", lambda row: row.submission.open_weights),
    _row("reported_rate", "real", lambda row: row.submission.reported_rate),
    _row("reason", "text", lambda row: row.reason),
)


def level_fields(level: str) -> tuple[Field, ...]:
    """Return the fields of one level of difficulty."""
    return (
        _before(f"resolved_{level}", "integer", lambda found: found.before.k),
        _before(f"total_{level}", "integer", lambda found: found.before.n),
        _after(f"clean_resolved_{level}", "integer", lambda found: found.clean.k),
        _after(f"clean_total_{level}", "integer", lambda found: found.clean.n),
    )
