"""Over time: do newer models, or better ones, lose less on clean samples?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from dashboard import comparison_cells as cells
from dashboard import downloads, filters, queries, standings, states, theme, words
from dashboard.address import Address
from dashboard.charts import frame, paired
from dashboard.database import snapshot
from dashboard.filters import Scope
from dashboard.landings import show_landings
from dashboard.links import Target
from dashboard.records import Catalogue
from dashboard.table import Cell, Column, Dumbbell, Row, evidence_table, offer_pages, page_of
from engine.export.leaderboard import leaderboard_table, printed_leaderboard
from engine.export.over_time import release_table
from engine.leaderboard.board import Leaderboard, LeaderboardRow
from engine.leaderboard.trends import FEWEST_SUBMISSIONS, DatedTrend
from engine.statistics.proportions import FEWEST_SAMPLES, Interval
from engine.store.connection import Snapshot

_SHOWN = {"best": "The best of each model", "all": "All submissions"}
_COLUMNS = (
    Column("released", "Released", "When the latest of its models was.", whole=True),
    Column("submission", "Model", "The submission below.", heading=True, width="26%"),
    cells.DUMBBELL_COLUMN,
    cells.BEFORE_COLUMN,
    cells.AFTER_COLUMN,
    cells.CHANGE_COLUMN,
)


@dataclass(frozen=True, slots=True)
class _View:
    """Everything the address says about this page."""

    scope: Scope
    difficulty: str | None
    one_a_model: bool

    @property
    def labelling(self) -> tuple[str, str, float]:
        """Benchmark, detector and threshold, as `standings` takes them."""
        return self.scope.benchmark.benchmark, self.scope.detector.detector, self.scope.threshold


def show() -> None:
    """Show the page."""
    database, address = snapshot(), Address()
    catalogue = queries.catalogue(database)
    st.title("Do newer models lose less on clean samples?", anchor=False)
    if not catalogue.benchmarks or not catalogue.detectors:
        states.nothing_imported()
        return
    view = _read(address, catalogue)
    address.notice()
    states.not_judged(view.scope.detector)
    board = standings.board(database, *view.labelling, view.difficulty)
    rows = standings.releases(database, *view.labelling, view.difficulty, view.one_a_model)
    if not rows:
        states.no_adjusted(view.scope.benchmark.title)
        return
    trends = standings.release_trends(database, *view.labelling, view.one_a_model)
    _say_trend(trends[view.difficulty], rows)
    _chart(database, view, board, rows)
    _by_level(view, trends)
    _reported(database, view)
    show_landings(database, view.scope)
    _table(address, view, board, rows)


def _read(address: Address, catalogue: Catalogue) -> _View:
    with st.grid(5, min_column_width=160):
        scope = filters.choose_scope(address, catalogue)
        levels = {filters.ALL: "All"} | scope.level_titles
        difficulty = filters.choose(address, "difficulty", "Difficulty", levels, default=filters.ALL)
        shown = filters.choose(
            address,
            "show",
            "Submissions",
            _SHOWN,
            default="best",
            clears=("page",),
            hint="The paper's Tables 8 and 9 have one row for each model.",
        )
    return _View(scope, None if difficulty == filters.ALL else difficulty, shown == "best")


def _say_trend(trend: DatedTrend | None, rows: Sequence[LeaderboardRow]) -> None:
    counted = words.count(len(rows), "submission")
    if trend is None:
        st.markdown(f"**{counted}** with a date of release have too few clean samples for a trend.")
        return
    line = trend.line
    st.markdown(
        f"Over {words.count(line.n, 'submission')} released from {trend.origin} to {trend.last} the change "
        f"from before to after moves by **{words.signed_points(line.slope)} points a year** "
        f"{words.points_interval(line.interval)}: {_reading(line.interval)}. "
        "Each point counts by its number of clean samples. Points of one model family are alike, which the "
        "interval does not know; another detector, threshold or cutoff moves every point."
    )


def _reading(bounds: Interval) -> str:
    if bounds.low > 0:
        return "newer models lose less, as the paper's Finding 4 says"
    if bounds.high < 0:
        return "newer models lose more, against the paper's Finding 4"
    return "the interval includes no trend, so Finding 4 is not confirmed here"


def _chart(database: Snapshot, view: _View, board: Leaderboard, rows: Sequence[LeaderboardRow]) -> None:
    st.header("Models by release, before and after", anchor=False)
    colours = theme.palette()
    pairs = [pair for row in rows if (pair := _pair(row)) is not None]
    chart = frame.canvas(
        colours,
        height=380,
        x={"type": "date", "title": {"text": "Release of the latest model"}},
        y={"range": [0, 102], "title": {"text": "Resolved, %"}},
    )
    paired.add_pairs(chart, pairs, colours)
    level = view.scope.level_titles.get(view.difficulty or "", "all levels")
    size = rows[0].before.n if rows[0].before is not None else 0
    frame.show(
        "releases",
        chart,
        told=f"Share resolved before and after for {len(pairs)} submissions by release date, {level}",
        caption=frame.caption(
            f"n = {len(pairs)} submissions, {size} samples ({level})", view.scope, database
        ),
        table=lambda: release_table(
            rows, view.scope.notes(database) | {"difficulty": view.difficulty or "all"}
        ),
        entries=paired.entries(colours),
    )


def _pair(row: LeaderboardRow) -> paired.Pair | None:
    found, released = row.overall, row.submission.released
    if found is None or found.before.rate is None or released is None:
        return None
    entry = row.submission
    lines = (
        entry.title,
        ", ".join(entry.model_titles),
        f"released {released}, cutoff {entry.cutoff}",
        f"before {words.percent(found.before.rate)} ({found.before.k}/{found.before.n})",
        f"after {words.percent(found.clean.rate)} ({found.clean.k}/{found.clean.n}) "
        f"{words.interval(found.clean_interval)}",
    )
    hover = "<br>".join(words.hover(line) for line in lines)
    return paired.Pair(released, found.before.rate, found.clean.rate, found.clean_interval, hover)


def _table(address: Address, view: _View, board: Leaderboard, rows: Sequence[LeaderboardRow]) -> None:
    st.header("The models one by one, oldest first", anchor=False)
    cells.show_legend()
    shown = [_row(row, view.scope) for row in rows[page_of(rows, address)]]
    evidence_table("models", "Models by release before and after", _COLUMNS, shown)
    offer_pages(rows, address)
    of_rows = Leaderboard(
        board.benchmark,
        board.detector,
        board.threshold,
        board.difficulty,
        board.levels,
        board.version,
        tuple(rows),
    )
    downloads.offer(
        f"models-by-release-{board.benchmark}",
        lambda: leaderboard_table(of_rows),
        lambda: printed_leaderboard(of_rows, view.scope.level_titles),
    )


def _row(row: LeaderboardRow, scope: Scope) -> Row:
    entry, found = row.submission, row.overall
    target = Target("submission", {"submission": entry.submission, **scope.parameters()})
    content: dict[str, Cell | Dumbbell] = {
        "released": Cell(words.day(entry.released), detail=f"cutoff {words.day(entry.cutoff)}"),
        "submission": Cell(", ".join(entry.model_titles), detail=entry.title, link=target),
        "scores": cells.dumbbell(found, known=True),
    }
    if found is not None:
        content |= {
            "before": cells.rate_cell(found.before, found.before_interval),
            "after": cells.rate_cell(found.clean, found.clean_interval),
            "change": cells.change_cell(found),
        }
    return Row(entry.submission, content)


def _by_level(view: _View, trends: Mapping[str | None, DatedTrend | None]) -> None:
    st.header("The trend at each level of difficulty", anchor=False)
    columns = (
        Column("level", "Difficulty", heading=True),
        Column(
            "n", "Submissions", f"With at least {FEWEST_SAMPLES} clean samples at this level.", align="end"
        ),
        Column("slope", "Points a year", "Positive: newer models lose less.", align="end", whole=True),
        Column("p", "p-value", "Of no trend, two-sided.", align="end", whole=True),
    )
    shown = []
    for level, trend in trends.items():
        title = "All levels" if level is None else view.scope.level_titles.get(level, level)
        content = {"level": Cell(title)}
        if trend is None:
            content |= {
                "n": Cell("too few", tone="unknown"),
                "slope": Cell(words.DASH),
                "p": Cell(words.DASH),
            }
        else:
            line = trend.line
            content |= {
                "n": Cell(str(line.n)),
                "slope": Cell(words.signed_points(line.slope), detail=words.points_interval(line.interval)),
                "p": Cell(words.probability(line.p_value)),
            }
        shown.append(Row(level or "all", content))
    evidence_table("trends", "Trend of the change by level", columns, shown)


def _reported(database: Snapshot, view: _View) -> None:
    st.header("Do better models lose less?", anchor=False)
    with st.spinner("Dealing the labels out anew …"):
        found = standings.reported(database, *view.labelling)
    if found.association is None:
        st.markdown(
            f"Fewer than {FEWEST_SUBMISSIONS} submissions have clean samples, so nothing can be said."
        )
        return
    rho = found.association
    said = (
        f"Over {words.count(rho.n, 'submission')}, the reported rate and the change go together with "
        f"Spearman's ρ = **{rho.rho:+.2f}** [{rho.interval.low:+.2f} to {rho.interval.high:+.2f}]."
    ).replace("-", words.MINUS)
    if found.expected is not None and found.p_value is not None:
        low, high = found.expected.low, found.expected.high
        chance = (
            f" Dealing the labels out anew within levels of difficulty, so that they mean nothing, gives "
            f"[{low:+.2f} to {high:+.2f}]"
        ).replace("-", words.MINUS)
        inside = found.association.rho in found.expected
        verdict = (
            "what is seen lies within that, so Finding 5 needs no contamination to explain it"
            if inside
            else "what is seen lies outside that, as Finding 5 says"
        )
        said += f"{chance} ({words.p_value(found.p_value)}): {verdict}."
    st.markdown(said)
