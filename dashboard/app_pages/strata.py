"""By difficulty and by repository: where do scores drop, and where are there too few samples to say so?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from dashboard import comparison_cells as cells
from dashboard import downloads, filters, queries, standings, states, words
from dashboard.address import Address
from dashboard.charts import frame
from dashboard.database import snapshot
from dashboard.filters import Scope
from dashboard.links import Target
from dashboard.records import Catalogue
from dashboard.table import Cell, Column, Dumbbell, Row, evidence_table
from engine.export.leaderboard import leaderboard_table, printed_leaderboard
from engine.export.strata import strata_table
from engine.leaderboard.board import Leaderboard, LeaderboardRow
from engine.leaderboard.matrix import Matrix
from engine.statistics.proportions import FEWEST_SAMPLES
from engine.statistics.strata import Direction, Stratum, compare_strata
from engine.statistics.summary import Comparison
from engine.store.connection import Snapshot

_TOP = {"10": "The 10 best", "20": "The 20 best", "50": "The 50 best", "all": "All with a known cutoff"}
_SPLITS = {"difficulty": "Difficulty", "repository": "Repository"}
_POOLED_COLUMNS = (
    Column(
        "samples",
        "Samples",
        "Different samples that are contaminated, and that are clean, for at least one of the submissions.",
        whole=True,
    ),
    cells.DUMBBELL_COLUMN,
    Column(
        "before", "Before", "Share of all answers that resolved, with 95% interval.", align="end", whole=True
    ),
    Column("after", "After", "The same of the answers on clean samples.", align="end", whole=True),
    Column("change", "Change", cells.CHANGE_COLUMN.hint, align="end", whole=True),
)


def show() -> None:
    """Show the page."""
    database, address = snapshot(), Address()
    catalogue = queries.catalogue(database)
    st.title("On which samples do scores drop?", anchor=False)
    if not catalogue.benchmarks or not catalogue.detectors:
        states.nothing_imported()
        return
    scope, top, split = _read(address, catalogue)
    address.notice()
    states.not_judged(scope.detector)
    matrix = standings.matrix(database, scope.benchmark.benchmark, scope.detector.detector, scope.threshold)
    best = matrix.best(len(matrix.submissions) if top == "all" else int(top))
    if not best.submissions:
        states.no_adjusted(scope.benchmark.title)
        return
    found = _strata(best, split)
    _summarise(found, best, split)
    _pooled(database, scope, best, found, split)
    if split == "difficulty":
        _each(database, scope, best)


def _read(address: Address, catalogue: Catalogue) -> tuple[Scope, str, str]:
    with st.grid(5, min_column_width=160):
        scope = filters.choose_scope(address, catalogue)
        split = filters.choose(address, "by", "Split by", _SPLITS, default="difficulty")
        top = filters.choose(
            address,
            "top",
            "Submissions",
            _TOP,
            default="10",
            hint="By the rate before, among those with a known cutoff. The paper's Tables 6 and 7 take ten.",
        )
    return scope, top, split


def _strata(matrix: Matrix, split: str) -> tuple[Stratum, ...]:
    if split == "difficulty":
        order = (*matrix.samples.levels, *((None,) if None in matrix.samples.difficulty else ()))
        return compare_strata(matrix.panel, matrix.samples.difficulty, order)
    names = sorted(set(matrix.samples.repository), key=lambda name: -matrix.samples.repository.count(name))
    return compare_strata(matrix.panel, matrix.samples.repository, names)


def _summarise(found: Sequence[Stratum], matrix: Matrix, split: str) -> None:
    told = Counter(stratum.direction for stratum in found)
    kind = "levels" if split == "difficulty" else "repositories"
    st.markdown(
        f"**{words.count(len(matrix.submissions), 'submission')}** on "
        f"{words.count(len(matrix.samples.samples), 'sample')}, each labelled at its own cutoff. "
        f"Of {len(found)} {kind}, each taken by itself, clean samples score lower beyond chance in "
        f"**{told[Direction.LOWER]}** and higher in **{told[Direction.HIGHER]}**; in "
        f"**{told[Direction.OPEN]}** it could be either, and **{told[Direction.TOO_SMALL]}** have fewer than "
        f"{FEWEST_SAMPLES} samples on one side and say nothing."
    )
    st.markdown(
        "A drop is no proof of contamination: clean samples are those whose code was rewritten since, and "
        "they differ in difficulty too. Another detector or threshold moves samples between the two sides."
    )


def _pooled(database: Snapshot, scope: Scope, matrix: Matrix, found: Sequence[Stratum], split: str) -> None:
    st.header(f"All these submissions together, by {_SPLITS[split].casefold()}", anchor=False)
    cells.show_legend()
    titles = scope.level_titles if split == "difficulty" else {}
    rows = [_stratum_row(stratum, titles) for stratum in found]
    columns = (
        Column("stratum", _SPLITS[split], "Samples in it below.", heading=True, width="20%"),
        *_POOLED_COLUMNS,
    )
    evidence_table("strata", f"Scores before and after by {split}", columns, rows)
    counted = f"n = {len(matrix.submissions)} submissions, intervals clustered by sample"
    frame.say(frame.caption(counted, scope, database))
    notes = scope.notes(database) | {"submissions": str(len(matrix.submissions)), "by": split}
    downloads.offer(f"{split}-{matrix.benchmark}", lambda: strata_table(found, titles, notes))


def _stratum_row(stratum: Stratum, titles: dict[str, str]) -> Row:
    name = "no level" if stratum.name is None else titles.get(stratum.name, stratum.name)
    content: dict[str, Cell | Dumbbell] = {
        "stratum": Cell(name, detail=words.count(stratum.samples, "sample")),
        "samples": Cell(
            f"{stratum.contaminated_samples} / {stratum.clean_samples}", detail="contaminated / clean"
        ),
        "scores": cells.share_dumbbell(
            stratum.before, stratum.before_interval, stratum.clean, stratum.clean_interval
        ),
        "before": cells.rate_cell(stratum.before, stratum.before_interval),
        "after": cells.rate_cell(stratum.clean, stratum.clean_interval),
    }
    if stratum.too_small:
        content["change"] = Cell("Too few samples", detail="to say anything", tone="unknown")
    else:
        bounds = words.points_interval(stratum.difference_interval)
        content["change"] = Cell(
            words.signed_percent(stratum.relative_change),
            detail=f"{words.signed_points(stratum.difference)} pp {bounds}",
        )
    return Row(stratum.name or "none", content, muted=stratum.too_small)


def _each(database: Snapshot, scope: Scope, matrix: Matrix) -> None:
    st.header("Each submission, level by level", anchor=False)
    board = standings.board(database, scope.benchmark.benchmark, scope.detector.detector, scope.threshold)
    by_key = {row.submission.submission: row for row in board.rows}
    rows = [by_key[entry.submission] for entry in matrix.submissions]
    columns = (
        Column("submission", "Submission", heading=True, width="18%"),
        Column("overall", "All levels", kind="dumbbell"),
        *(Column(level, title, kind="dumbbell") for level, title in scope.level_titles.items()),
    )
    cells.show_legend()
    evidence_table(
        "levels",
        "Each submission before and after by level",
        columns,
        [_each_row(row, scope) for row in rows],
    )
    shown = Leaderboard(
        board.benchmark, board.detector, board.threshold, None, board.levels, board.version, tuple(rows)
    )
    downloads.offer(
        f"levels-{board.benchmark}",
        lambda: leaderboard_table(shown),
        lambda: printed_leaderboard(shown, scope.level_titles),
    )


def _each_row(row: LeaderboardRow, scope: Scope) -> Row:
    target = {"submission": row.submission.submission, **scope.parameters()}
    levels: dict[str, Comparison | None] = {"overall": row.overall, **row.levels}
    return Row(
        row.submission.submission,
        {
            "submission": Cell(row.submission.title, link=Target("submission", target)),
            **{name: cells.dumbbell(found, known=row.reason is None) for name, found in levels.items()},
        },
    )
