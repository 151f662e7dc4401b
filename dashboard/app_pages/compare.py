"""Compare: two to six submissions on the same samples, and one model under several frameworks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from dashboard import comparison_cells as cells
from dashboard import downloads, filters, pair_words, queries, standings, states, words
from dashboard.address import Address, write
from dashboard.cells import label_cell
from dashboard.charts import frame
from dashboard.database import snapshot
from dashboard.filters import Scope
from dashboard.frameworks import show_frameworks
from dashboard.links import Target
from dashboard.table import Cell, Column, Dumbbell, Row, evidence_table, offer_pages, page_of
from engine.export.pairs import differing_table, pair_table
from engine.leaderboard.matrix import Matrix
from engine.statistics.arrays import Bools
from engine.statistics.cells import CLEAN, CONTAMINATED
from engine.statistics.effects.paired import Pair, compare_all, solved_alone
from engine.store.connection import Snapshot
from engine.store.schema import LABELS

MOST = 6
_PAIR_COLUMNS = (
    Column("pair", "Pair", heading=True, width="30%"),
    Column("n", "Samples", "That count for both.", align="end", whole=True),
    Column(
        "apart", "Only the first / second", "Samples that one resolved and the other did not.", whole=True
    ),
    Column(
        "difference",
        "Difference",
        "Of the rates in points, with 95% interval (Newcombe, paired).",
        align="end",
        whole=True,
    ),
    Column(
        "p",
        "p-value",
        "McNemar's exact test; below it after adjustment for all pairs.",
        align="end",
        whole=True,
    ),
    Column(
        "kappa", "Agreement", "Cohen's kappa: 0 is what the two rates alone give.", align="end", whole=True
    ),
)


@dataclass(frozen=True, slots=True)
class _View:
    """Everything the address says about this page."""

    scope: Scope
    on: str
    chosen: tuple[str, ...]


def show() -> None:
    """Show the page."""
    database, address = snapshot(), Address()
    catalogue = queries.catalogue(database)
    st.title("Is one submission better than another, and on which samples?", anchor=False)
    if not catalogue.benchmarks or not catalogue.detectors:
        states.nothing_imported()
        return
    with st.grid(4, min_column_width=160):
        scope = filters.choose_scope(address, catalogue)
        on = filters.choose(address, "on", "Compare on", pair_words.SCOPES, default="all", clears=("page",))
    matrix = standings.matrix(database, scope.benchmark.benchmark, scope.detector.detector, scope.threshold)
    titles = {entry.submission: entry.title for entry in matrix.submissions}
    chosen = filters.choose_many(address, "submission", "Submissions", titles, "Choose two to six", most=MOST)
    address.notice()
    states.not_judged(scope.detector)
    view = _View(scope, on, chosen)
    if len(view.chosen) < 2:
        _nothing_chosen(matrix)
    else:
        _compare(database, address, view, matrix)
    show_frameworks(database, scope)


def _nothing_chosen(matrix: Matrix) -> None:
    best = [entry.submission for entry in matrix.best(3).submissions]
    if len(best) < 2:
        states.no_adjusted(matrix.benchmark)
        return
    states.no_rows(
        "Choose two to six submissions above. They are compared sample by sample.",
        f"Compare the {len(best)} best",
        lambda: write({"submission": best, "page": None}),
    )


def _compare(database: Snapshot, address: Address, view: _View, matrix: Matrix) -> None:
    place = {entry.submission: row for row, entry in enumerate(matrix.submissions)}
    taken = matrix.take([place[key] for key in view.chosen])
    member = _member(taken, view.on)
    pairs = compare_all(taken.resolved, member)
    _say(taken, view, pairs)
    _pairs(database, view, taken, pairs)
    _alone(database, view, matrix, taken, member)
    _differing(database, address, view, taken, member)


def _member(matrix: Matrix, on: str) -> Bools:
    if on == "all":
        return np.ones(matrix.labels.shape, dtype=np.bool_)
    return np.asarray(matrix.labels == (CLEAN if on == "clean" else CONTAMINATED))


def _say(matrix: Matrix, view: _View, pairs: Sequence[Pair]) -> None:
    titles = [entry.title for entry in matrix.submissions]
    st.markdown(pair_words.verdict(pairs, titles, view.on))
    if view.on != "clean":
        clean = compare_all(matrix.resolved, _member(matrix, "clean"))
        st.markdown(pair_words.verdict(clean, titles, "clean"))
    st.markdown(
        "Only samples that one resolved and the other did not say which is better; each is one question put "
        "to both. Another detector, threshold or cutoff changes which samples are clean."
    )


def _pairs(database: Snapshot, view: _View, matrix: Matrix, pairs: Sequence[Pair]) -> None:
    st.header("Pair by pair", anchor=False)
    titles = [entry.title for entry in matrix.submissions]
    evidence_table(
        "pairs",
        "Pairs of submissions on the same samples",
        _PAIR_COLUMNS,
        [_pair_row(p, titles) for p in pairs],
    )
    counted = f"n = {len(titles)} submissions, {pair_words.SCOPES[view.on].casefold()}"
    frame.say(frame.caption(counted, view.scope, database))
    notes = view.scope.notes(database) | {"on": view.on}
    downloads.offer(f"pairs-{matrix.benchmark}", lambda: pair_table(pairs, titles, notes))


def _pair_row(pair: Pair, titles: Sequence[str]) -> Row:
    found = pair.result
    kappa = found.agreement
    bounds = "" if kappa is None or kappa.interval is None else _span(kappa.interval.low, kappa.interval.high)
    return Row(
        f"{pair.first}-{pair.second}",
        {
            "pair": Cell(titles[pair.first], detail=f"against {titles[pair.second]}"),
            "n": Cell(str(found.n), detail=f"both {found.both}, neither {found.neither}"),
            "apart": Cell(f"{found.first_only} / {found.second_only}"),
            "difference": Cell(
                words.signed_points(found.difference),
                detail=words.points_interval(found.difference_interval),
            ),
            "p": Cell(words.probability(found.p_value), detail=words.p_value(pair.q_value, "q")),
            "kappa": Cell(words.DASH if kappa is None else f"{kappa.kappa:.2f}", detail=bounds),
        },
    )


def _span(low: float, high: float) -> str:
    return f"[{low:.2f}{words.DASH}{high:.2f}]"


def _alone(database: Snapshot, view: _View, matrix: Matrix, taken: Matrix, member: Bools) -> None:
    st.header("Who solves what nobody else does?", anchor=False)
    among_chosen = (solved_alone(taken.resolved) & member).sum(axis=1)
    by_few = matrix.resolved.sum(axis=0) == 1
    among_all = (taken.resolved & by_few & member).sum(axis=1)
    board = {
        row.submission.submission: row
        for row in standings.board(
            database, view.scope.benchmark.benchmark, view.scope.detector.detector, view.scope.threshold
        ).rows
    }
    columns = (
        Column("submission", "Submission", heading=True, width="26%"),
        cells.DUMBBELL_COLUMN,
        cells.BEFORE_COLUMN,
        cells.AFTER_COLUMN,
        Column(
            "chosen", "Alone here", "Samples that none of the others compared here resolves.", align="end"
        ),
        Column(
            "every",
            "Alone of all",
            "Samples that no other submission to the benchmark resolves.",
            align="end",
        ),
    )
    rows = []
    for index, entry in enumerate(taken.submissions):
        row = board[entry.submission]
        target = Target("submission", {"submission": entry.submission, **view.scope.parameters()})
        content: dict[str, Cell | Dumbbell] = {
            "submission": Cell(entry.title, detail=f"cutoff {words.day(entry.cutoff)}", link=target),
            "scores": cells.dumbbell(row.overall, known=row.reason is None),
            "chosen": Cell(str(among_chosen[index])),
            "every": Cell(str(among_all[index])),
        }
        if row.overall is not None:
            content["before"] = cells.rate_cell(row.overall.before, row.overall.before_interval)
            if row.reason is None:
                content["after"] = cells.rate_cell(row.overall.clean, row.overall.clean_interval)
        rows.append(Row(entry.submission, content))
    st.markdown(
        "Before and after are of each submission's own samples, by its own cutoff: they are not one set, as "
        "above."
    )
    cells.show_legend()
    evidence_table("alone", "The submissions compared, and what each alone resolves", columns, rows)


def _differing(database: Snapshot, address: Address, view: _View, matrix: Matrix, member: Bools) -> None:
    st.header("The samples on which they differ", anchor=False)
    counted = member.all(axis=0)
    solved = matrix.resolved.sum(axis=0)
    places = np.flatnonzero(counted & (solved > 0) & (solved < len(matrix.submissions))).tolist()
    if not places:
        st.markdown("There is no such sample among those that count for all of them.")
        return
    columns = (
        Column("sample", "Sample", heading=True, width="24%"),
        *(
            Column(f"s{index}", entry.title, "Result, and its label at this submission's cutoff.")
            for index, entry in enumerate(matrix.submissions)
        ),
    )
    st.markdown(f"**{words.count(len(places), 'sample')}**, those that fewest resolve first.")
    places.sort(key=lambda place: (int(solved[place]), matrix.samples.samples[place]))
    rows = [_sample_row(view, matrix, place) for place in places[page_of(places, address)]]
    evidence_table("differ", "Samples on which the submissions differ", columns, rows)
    offer_pages(places, address)
    notes = view.scope.notes(database) | {"on": view.on}
    downloads.offer(f"differ-{matrix.benchmark}", lambda: differing_table(matrix, places, notes))


def _sample_row(view: _View, matrix: Matrix, place: int) -> Row:
    sample = matrix.samples.samples[place]
    level = view.scope.level_titles.get(matrix.samples.difficulty[place] or "", "")
    target = Target(
        "sample", {"sample": sample, **filters.labelling(view.scope.detector, view.scope.threshold)}
    )
    content: dict[str, Cell | Dumbbell] = {"sample": Cell(sample, detail=level, link=target)}
    for index, entry in enumerate(matrix.submissions):
        known = entry.cutoff is not None
        label = label_cell(LABELS[matrix.labels[index, place]] if known else None)
        resolved = bool(matrix.resolved[index, place])
        content[f"s{index}"] = Cell(
            words.OUTCOME_TITLES["resolved" if resolved else "unresolved"],
            detail=label.text if known else label.detail,
            symbol="✓" if resolved else "✕",
            tone="neutral" if resolved else "unknown",
        )
    return Row(sample, content)
