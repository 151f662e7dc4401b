"""The leaderboard: every submission before and after its contaminated samples are left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import date

import streamlit as st

from dashboard import comparison_cells as cells
from dashboard import downloads, filters, navigation, queries, standings, states, words
from dashboard.address import Address, link
from dashboard.database import snapshot
from dashboard.filters import ALL, Scope
from dashboard.links import Target
from dashboard.records import Agreement, Catalogue
from dashboard.table import Cell, Column, Dumbbell, Row, Sort, evidence_table, offer_pages, page_of
from engine.export.leaderboard import leaderboard_table, printed_leaderboard
from engine.leaderboard.board import Leaderboard, LeaderboardRow
from engine.statistics.verdict import Verdict
from engine.store.connection import Snapshot

_NARROWING = ("difficulty", "framework", "model", "since", "until", "weights", "page")
_WEIGHTS = {ALL: "All", "open": "Open weights", "closed": "Closed weights"}
_COLUMNS = (
    Column(
        "rank",
        "Rank",
        "Place before and after among the submissions with a known cutoff, with 95% intervals below.",
        whole=True,
    ),
    Column("submission", "Submission", "Day of submission and models below.", heading=True, width="24%"),
    Column(
        "cutoff", "Cutoff", "Last day of the training data of its models, and where it is from.", whole=True
    ),
    Column("bases", "Repositories", "What says that its models saw the samples' repositories.", whole=True),
    cells.DUMBBELL_COLUMN,
    cells.BEFORE_COLUMN,
    cells.AFTER_COLUMN,
    cells.CHANGE_COLUMN,
    cells.VERDICT_COLUMN,
)
_FIRST_ORDER = "rank"
_FALLING_FIRST = ("before", "after", "cutoff")


@dataclass(frozen=True, slots=True)
class _View:
    """Everything the address says about this page."""

    scope: Scope
    difficulty: str | None
    frameworks: tuple[str, ...]
    models: tuple[str, ...]
    since: date | None
    until: date | None
    open_weights: bool | None
    sort: Sort

    @property
    def narrowing(self) -> tuple[str, ...]:
        """The filters that leave submissions out, in words."""
        titles = dict(self.scope.benchmark.models)
        said = (
            self.open_weights is not None and ("open weights" if self.open_weights else "closed weights"),
            self.since and f"submitted from {self.since}",
            self.until and f"submitted up to {self.until}",
            self.frameworks and f"framework {' or '.join(self.frameworks)}",
            self.models and f"model {' or '.join(titles[model] for model in self.models)}",
        )
        return tuple(text for text in said if text)


def show() -> None:
    """Show the page."""
    database, address = snapshot(), Address()
    catalogue = queries.catalogue(database)
    st.title("How much of each score survives on clean samples?", anchor=False)
    if not catalogue.benchmarks or not catalogue.detectors:
        states.nothing_imported()
        return
    view = _read(address, catalogue)
    address.notice()
    states.not_judged(view.scope.detector)
    with st.skeleton(height=480):
        board = _board(database, view)
    if not board.rows:
        _nothing(view)
        return
    _summarise(board, view)
    _disagreement(database, board, view, catalogue)
    cells.show_legend()
    rows = standings.ordered(board.rows, view.sort.column, descending=view.sort.descending)
    bases = queries.repository_bases(database, board.benchmark)
    evidence_table(
        "leaderboard",
        f"Submissions to {view.scope.benchmark.title} before and after",
        _COLUMNS,
        [
            _row(row, view, dict(bases.get(row.submission.submission, ())))
            for row in rows[page_of(rows, address)]
        ],
        view.sort,
    )
    offer_pages(rows, address)
    shown = replace(board, rows=tuple(rows))
    downloads.offer(
        f"leaderboard-{board.benchmark}-{board.detector}",
        lambda: leaderboard_table(shown),
        lambda: printed_leaderboard(shown, view.scope.level_titles),
    )


def _board(database: Snapshot, view: _View) -> Leaderboard:
    return standings.board(
        database,
        view.scope.benchmark.benchmark,
        view.scope.detector.detector,
        view.scope.threshold,
        view.difficulty,
        view.frameworks,
        view.models,
        view.since,
        view.until,
        view.open_weights,
    )


def _read(address: Address, catalogue: Catalogue) -> _View:
    with st.grid(4, min_column_width=160):
        benchmark = filters.choose_benchmark(address, catalogue)
        detector = filters.choose_detector(address, catalogue)
        levels = {ALL: "All"} | {level.difficulty: level.title for level in benchmark.levels}
        difficulty = filters.choose(
            address,
            "difficulty",
            "Difficulty",
            levels,
            default=ALL,
            hint="Counts only the samples of this level.",
        )
        threshold = filters.choose_threshold(address, detector)
    narrowed = any(address.text(name) for name in _NARROWING if name not in ("difficulty", "page"))
    with st.expander("Which submissions?", expanded=narrowed), st.grid(3, min_column_width=160):
        weights = filters.choose(address, "weights", "Weights", _WEIGHTS, default=ALL)
        first, last = benchmark.first_submitted, benchmark.last_submitted
        since = filters.choose_day(address, "since", "Submitted from", first, last)
        until = filters.choose_day(address, "until", "Submitted up to", first, last)
        named = {framework: framework for framework in benchmark.frameworks}
        frameworks = filters.choose_many(address, "framework", "Framework", named, "All frameworks")
        models = filters.choose_many(address, "model", "Model", dict(benchmark.models), "All models")
    return _View(
        scope=Scope(benchmark, detector, threshold),
        difficulty=None if difficulty == ALL else difficulty,
        frameworks=frameworks,
        models=models,
        since=since,
        until=until,
        open_weights={ALL: None, "open": True, "closed": False}[weights],
        sort=_sort(address),
    )


def _sort(address: Address) -> Sort:
    signed = [f"{sign}{column}" for column in standings.ORDERS for sign in ("", "-")]
    asked = address.one_of("sort", signed, _FIRST_ORDER)
    chosen, descending = asked.removeprefix("-"), asked.startswith("-")
    links = {}
    for column in standings.ORDERS:
        falling = not descending if column == chosen else column in _FALLING_FIRST
        order = f"{'-' if falling else ''}{column}"
        links[column] = link({"sort": None if order == _FIRST_ORDER else order, "page": None})
    return Sort(chosen, descending, links)


def _nothing(view: _View) -> None:
    title = words.markdown(view.scope.benchmark.title)
    if view.narrowing:
        asked = "these filters together" if len(view.narrowing) > 1 else "this filter"
        why = f"No submission to {title} meets {asked}: {words.markdown('; '.join(view.narrowing))}."
        states.no_rows(why, "Clear these filters", lambda: filters.clear(_NARROWING))
    else:
        st.markdown(f"The database holds no submission to {title} yet.")
        states.commands("benchchecker import submissions --help")


def _summarise(board: Leaderboard, view: _View) -> None:
    judged = [comparison for row in board.rows if (comparison := standings.adjusted(row)) is not None]
    verdicts = Counter(comparison.judgement.verdict for comparison in judged)
    first = next((row.before for row in board.rows if row.before is not None), None)
    samples = "" if first is None else f" on {words.count(first.n, 'sample')}"
    without = len(board.rows) - len(judged)
    sentences = [
        f"**{words.count(len(board.rows), 'submission')}**{samples}. Do contaminated samples score higher? "
        f"Yes, beyond chance: **{verdicts[Verdict.HOLDS]}**. "
        f"No, not by {cells.MARGIN} points: **{verdicts[Verdict.DOES_NOT_HOLD]}**. "
        f"Cannot be said: **{verdicts[Verdict.INSUFFICIENT]}**."
    ]
    if without:
        sentences.append(f"No figure after: **{without}**, with the reason in the table.")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(" ".join(sentences), width="stretch")
        if view.narrowing:
            st.button("Clear filters", on_click=filters.clear, args=(_NARROWING,), icon=":material/close:")


def _disagreement(database: Snapshot, board: Leaderboard, view: _View, catalogue: Catalogue) -> None:
    """Say how far the other detector's labels differ at the cutoffs shown, and lead to the samples."""
    shown = {row.submission.cutoff for row in board.rows}
    first = (view.scope.detector.detector, view.scope.threshold)
    for other in catalogue.detectors:
        if other == view.scope.detector or not other.judged_samples:
            continue
        found = [
            agreement
            for agreement in queries.agreement(
                database, board.benchmark, first, (other.detector, other.threshold)
            )
            if agreement.cutoff in shown
        ]
        if not found:
            continue
        least, most = min(found, key=_differing), max(found, key=_differing)
        span = f"{least.differ} to {most.differ}" if least.differ < most.differ else str(most.differ)
        when = ", depending on the cutoff" if least.differ < most.differ else ""
        parameters = view.scope.parameters() | {"against": other.detector, "cutoff": most.cutoff.isoformat()}
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(
                f"The detector {words.markdown(other.title)} labels **{span}** of "
                f"{words.count(most.both_judge, 'sample')} differently{when}.",
                width="content",
            )
            st.page_link(navigation.pages()["detectors"], label="Which, and why", query_params=parameters)


def _differing(agreement: Agreement) -> int:
    return agreement.differ


def _row(row: LeaderboardRow, view: _View, bases: dict[str, int]) -> Row:
    entry, comparison = row.submission, row.overall
    about = " · ".join(filter(None, [words.optional(entry.submitted_on), ", ".join(entry.model_titles)]))
    target = Target("submission", {"submission": entry.submission, **view.scope.parameters()})
    content: dict[str, Cell | Dumbbell] = {
        "rank": cells.rank_cell(row.rank_before, row.rank_after),
        "submission": Cell(entry.title, detail=about, link=target),
        "cutoff": Cell(words.day(entry.cutoff), detail=entry.basis or ""),
        "bases": _bases_cell(bases, view.scope) if entry.cutoff is not None else Cell(""),
        "scores": cells.dumbbell(comparison, known=row.reason is None),
    }
    if comparison is None:
        content["before"] = Cell(
            words.percent(entry.reported_rate),
            detail="as reported" if entry.reported_rate is not None else "",
        )
    else:
        content["before"] = cells.rate_cell(comparison.before, comparison.before_interval)
    if comparison is None or row.reason is not None:
        content |= {"after": Cell(words.DASH), "change": Cell(words.DASH)}
        content["verdict"] = Cell("No figure after", detail=row.reason or "", tone="unknown")
    else:
        content |= {
            "after": cells.rate_cell(comparison.clean, comparison.clean_interval),
            "change": cells.change_cell(comparison),
            "verdict": cells.verdict_cell(comparison),
        }
    return Row(entry.submission, content, muted=row.reason is not None)


def _bases_cell(bases: dict[str, int], scope: Scope) -> Cell:
    labelling = filters.labelling(scope.detector, scope.threshold)
    return Cell(_bases(bases), link=Target("repository", labelling) if bases else None)


def _bases(bases: dict[str, int]) -> str:
    if len(bases) == 1:
        return next(iter(bases))
    return ", ".join(f"{basis} {count}" for basis, count in bases.items())
