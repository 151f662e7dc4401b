"""The same model under several frameworks (the paper's Finding 3)."""

from __future__ import annotations

import streamlit as st

from dashboard import comparison_cells as cells
from dashboard import downloads, standings, words
from dashboard.charts import frame
from dashboard.filters import Scope
from dashboard.links import Target
from dashboard.table import Cell, Column, Row, evidence_table
from engine.export.frameworks import frameworks_table
from engine.leaderboard.board import LeaderboardRow
from engine.leaderboard.frameworks import ModelAcrossFrameworks, across_frameworks
from engine.store.connection import Snapshot

_COLUMNS = (
    Column("framework", "Model and framework", heading=True, width="30%"),
    cells.DUMBBELL_COLUMN,
    cells.BEFORE_COLUMN,
    cells.AFTER_COLUMN,
    cells.CHANGE_COLUMN,
)


def show_frameworks(database: Snapshot, scope: Scope) -> None:
    """Show each model that two or more frameworks ran, with how far their drops lie apart."""
    st.header("Does the same model drop alike under different frameworks?", anchor=False)
    board = standings.board(database, scope.benchmark.benchmark, scope.detector.detector, scope.threshold)
    groups = across_frameworks(board.rows)
    if not groups:
        st.markdown("No model was run by two or more frameworks here, so Finding 3 cannot be looked at.")
        return
    widest = max(groups, key=_spread)
    st.markdown(
        f"**{words.count(len(groups), 'model')}** ran under two or more frameworks; the best submission of "
        f"each is shown. The change differs most for {words.markdown(', '.join(widest.models))}: by "
        f"**{words.signed_points(widest.spread).lstrip('+')} points**. Each interval below is that of one "
        "submission's clean minus contaminated rate: where they overlap, the frameworks need not differ."
    )
    rows = [row for group in groups for row in _group_rows(group, scope)]
    evidence_table("frameworks", "Models under several frameworks", _COLUMNS, rows)
    submissions = sum(len(group.rows) for group in groups)
    frame.say(frame.caption(f"n = {len(groups)} models, {submissions} submissions", scope, database))
    notes = scope.notes(database)
    downloads.offer(f"frameworks-{board.benchmark}", lambda: frameworks_table(groups, notes))


def _spread(group: ModelAcrossFrameworks) -> float:
    return group.spread


def _group_rows(group: ModelAcrossFrameworks, scope: Scope) -> list[Row]:
    apart = f"changes lie {words.signed_points(group.spread).lstrip('+')} points apart"
    title = Cell(", ".join(group.models), detail=f"{len(group.rows)} frameworks; {apart}")
    head = Row("/".join(group.rows[0].submission.models), {"framework": title})
    return [head, *(_row(row, scope) for row in group.rows)]


def _row(row: LeaderboardRow, scope: Scope) -> Row:
    entry, found = row.submission, row.overall
    target = Target("submission", {"submission": entry.submission, **scope.parameters()})
    if found is None:
        raise AssertionError(f"{entry.submission} has no figures")
    return Row(
        entry.submission,
        {
            "framework": Cell(entry.framework or words.DASH, detail=entry.title, link=target),
            "scores": cells.dumbbell(found, known=True),
            "before": cells.rate_cell(found.before, found.before_interval),
            "after": cells.rate_cell(found.clean, found.clean_interval),
            "change": cells.change_cell(found),
        },
    )
