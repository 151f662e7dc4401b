"""A leaderboard as a table: every figure for programs, or the paper's form for people."""

from __future__ import annotations

from collections.abc import Mapping

from engine.export.columns import OVERALL_FIELDS, SEPARATOR, level_fields
from engine.export.printed import percent, with_interval
from engine.export.table import Column, Table, Value, from_records
from engine.leaderboard.board import Leaderboard, LeaderboardRow
from engine.statistics.proportions import FEWEST_SAMPLES, Proportion
from engine.statistics.summary import Comparison


def leaderboard_table(board: Leaderboard) -> Table:
    """Return a leaderboard with every figure, one row a submission.

    A submission without adjusted figures has empty cells there, and `reason` says why. Rates, changes and
    differences are fractions. Several models or reasons are joined by "; ".
    """
    levels = {level: level_fields(level) for level in (() if board.difficulty else board.levels)}
    fields = [*OVERALL_FIELDS, *(field for level in levels.values() for field in level)]
    rows = []
    for row in board.rows:
        overall, found = row.overall, row.levels
        values = [field.value(row, overall) for field in OVERALL_FIELDS]
        for level, of_level in levels.items():
            values += [field.value(row, found.get(level)) for field in of_level]
        rows.append(tuple(values))
    return Table(tuple(field.column for field in fields), tuple(rows), notes(board))


def printed_leaderboard(board: Leaderboard, level_titles: Mapping[str, str]) -> Table:
    """Return a leaderboard in the form of the paper's Table 6: `394/500 → 130/174 (−5.2%)`.

    Args:
        board: The leaderboard.
        level_titles: Title of each level of difficulty.
    """
    levels = () if board.difficulty else board.levels
    columns = (
        Column("submission", title="Submission"),
        Column("models", title="Models"),
        Column("cutoff", "day", title="Cutoff"),
        Column("overall", title="Overall"),
        *(Column(level, title=level_titles.get(level, level)) for level in levels),
        Column("unknown", "integer", title="Unknown"),
    )
    records = (
        {
            "submission": row.submission.title,
            "models": SEPARATOR.join(row.submission.model_titles),
            "cutoff": row.submission.cutoff,
            "overall": printed_change(row.overall, row.reason),
            "unknown": row.overall.unknown.n if row.overall else None,
            **{level: printed_change(found, row.reason) for level, found in row.levels.items()},
        }
        for row in board.rows
    )
    empty = dict.fromkeys(levels)
    return from_records(columns, (empty | record for record in records), notes(board))


def printed_ranking(board: Leaderboard) -> Table:
    """Return places and rates before and after with their intervals: few columns, for a page of a paper."""
    columns = (
        Column("rank", title="Rank"),
        Column("submission", title="Submission"),
        Column("before", title="Before, % (95% interval)"),
        Column("before_n", "integer", title="n"),
        Column("after", title="After, % (95% interval)"),
        Column("after_n", "integer", title="n clean"),
        Column("difference", title="Clean minus contaminated, points"),
        Column("verdict", title="Contaminated higher?"),
    )
    return from_records(columns, map(_ranked, board.rows), notes(board))


def _ranked(row: LeaderboardRow) -> dict[str, Value]:
    found = row.overall
    places = [None if place is None else place.rank for place in (row.rank_before, row.rank_after)]
    record: dict[str, Value] = dict.fromkeys(
        ("rank", "before", "before_n", "after", "after_n", "difference"), None
    )
    record |= {"submission": row.submission.title, "verdict": row.reason}
    if found is not None:
        record |= {"before": _rate(found.before), "before_n": found.before.n}
    if found is not None and row.reason is None:
        record |= {
            "rank": " → ".join("–" if place is None else str(place) for place in places),
            "after": _rate(found.clean),
            "after_n": found.clean.n,
            "difference": _points(found),
            "verdict": found.judgement.verdict.value,
        }
    return record


def _rate(share: Proportion) -> str | None:
    bounds = share.wilson()
    if share.rate is None or bounds is None:
        return None
    return f"{100 * share.rate:.1f} [{100 * bounds.low:.1f}–{100 * bounds.high:.1f}]"


def _points(found: Comparison) -> str | None:
    if found.difference is None or found.difference_interval is None:
        return None
    return with_interval(found.difference, found.difference_interval, scale=100)


def printed_change(comparison: Comparison | None, reason: str | None) -> str | None:
    """Return one cell of the paper's form; only the first half where nothing is known to be clean.

    Fewer samples than pages show a change of have none here either.
    """
    if comparison is None:
        return None
    before = f"{comparison.before.k}/{comparison.before.n}"
    if reason is not None or not comparison.clean.n:
        return before
    after = f"{comparison.clean.k}/{comparison.clean.n}"
    few = comparison.clean.n < FEWEST_SAMPLES
    return before_after(before, after, None if few else comparison.relative_change)


def before_after(before: str, after: str, change: float | None) -> str:
    """Return `394/500 → 130/174 (−5.2%)`; without the change where it is not defined."""
    shown = "" if change is None else f" ({percent(change)})"
    return f"{before} → {after}{shown}"


def notes(board: Leaderboard) -> tuple[tuple[str, str], ...]:
    """Return how a leaderboard was made."""
    return (
        ("benchmark", board.benchmark),
        ("detector", board.detector),
        ("threshold", f"{board.threshold:g}"),
        ("difficulty", board.difficulty or "all"),
        ("submissions", str(len(board.rows))),
        ("database", board.version),
    )
