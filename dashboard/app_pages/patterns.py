"""Patterns: what do the samples have in common that the best submissions all solve, or all miss?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from dashboard import downloads, filters, queries, standings, states, words
from dashboard.address import Address
from dashboard.charts import frame
from dashboard.database import snapshot
from dashboard.filters import ALL, Scope
from dashboard.links import Target
from dashboard.records import Catalogue
from dashboard.table import Cell, Column, Dumbbell, Row, evidence_table, offer_pages, page_of
from engine.export.patterns import pattern_table, sample_flag_table
from engine.leaderboard.patterns import FLAGS, PatternStudy, PrintedBeside, beside_the_paper
from engine.paper.printed import read_findings
from engine.statistics.effects.patterns import FlagRate, Pattern
from engine.store.connection import Snapshot

_TOP = {"5": "The 5 best", "10": "The 10 best", "20": "The 20 best"}
_WEIGHTS = {ALL: "All", "open": "Open weights", "closed": "Closed weights"}
_PATTERNS = {pattern.name.lower(): pattern for pattern in Pattern}
_FIRST_PATTERN = Pattern.SEEN_UNSOLVED.name.lower()
_MEANINGS = {
    Pattern.SEEN_SOLVED: "every one had seen the fix, every one resolved it",
    Pattern.SEEN_UNSOLVED: "every one had seen the fix, none resolved it",
    Pattern.UNSEEN_SOLVED: "none had seen the fix, every one resolved it",
    Pattern.UNSEEN_UNSOLVED: "none had seen the fix, none resolved it",
}


@dataclass(frozen=True, slots=True)
class _View:
    """Everything the address says about this page."""

    scope: Scope
    top: int
    open_weights: bool | None
    frameworks: tuple[str, ...]
    models: tuple[str, ...]
    pattern: Pattern


def show() -> None:
    """Show the page."""
    database, address = snapshot(), Address()
    catalogue = queries.catalogue(database)
    st.title("What do solved and missed samples have in common?", anchor=False)
    if not catalogue.benchmarks or not catalogue.detectors:
        states.nothing_imported()
        return
    view = _read(address, catalogue)
    address.notice()
    states.not_judged(view.scope.detector)
    study = standings.patterns(
        database,
        view.scope.benchmark.benchmark,
        view.scope.detector.detector,
        view.scope.threshold,
        view.top,
        view.open_weights,
        view.frameworks,
        view.models,
    )
    if not study.matrix.submissions:
        why = "No submission with a known cutoff meets these filters."
        states.no_rows(
            why, "Clear these filters", lambda: filters.clear(("weights", "framework", "model", "page"))
        )
        return
    _say(study)
    _groups(study)
    _rates(database, view, study)
    _paper(study)
    _samples(database, address, view, study)


def _read(address: Address, catalogue: Catalogue) -> _View:
    with st.grid(4, min_column_width=160):
        scope = filters.choose_scope(address, catalogue)
        top = filters.choose(
            address,
            "top",
            "Submissions",
            _TOP,
            default="10",
            clears=("page",),
            hint="By the rate before, among those that the filters let through. The paper takes ten.",
        )
    narrowed = any(address.text(name) for name in ("weights", "framework", "model"))
    with st.expander("Which submissions?", expanded=narrowed), st.grid(3, min_column_width=160):
        weights = filters.choose(address, "weights", "Weights", _WEIGHTS, default=ALL)
        named = {framework: framework for framework in scope.benchmark.frameworks}
        frameworks = filters.choose_many(address, "framework", "Framework", named, "All frameworks")
        models = filters.choose_many(address, "model", "Model", dict(scope.benchmark.models), "All models")
    asked = address.one_of("pattern", _PATTERNS, _FIRST_PATTERN)
    return _View(
        scope,
        int(top),
        {ALL: None, "open": True, "closed": False}[weights],
        frameworks,
        models,
        _PATTERNS[asked],
    )


def _say(study: PatternStudy) -> None:
    submissions, samples = study.matrix.submissions, study.patterns
    placed = sum(pattern is not None for pattern in samples)
    st.markdown(
        f"**{words.count(len(submissions), 'submission')}** look alike on **{placed} of {len(samples)}** "
        "samples: all of them resolved it or none did, and all had seen the fix by their cutoff or none had. "
        "More submissions agree on fewer samples; another detector moves samples between seen and unseen."
    )
    with st.expander("Which submissions these are"):
        st.markdown("".join(f"- {words.markdown(entry.title)}\n" for entry in submissions))


def _groups(study: PatternStudy) -> None:
    columns = (
        Column("pattern", "Pattern", heading=True),
        Column("n", "Samples", align="end", whole=True),
        Column("meaning", "That is"),
    )
    rows = [
        Row(
            pattern.name.lower(),
            {
                "pattern": Cell(_title(pattern)),
                "n": Cell(str(len(study.samples_of(pattern)))),
                "meaning": Cell(_MEANINGS[pattern]),
            },
        )
        for pattern in Pattern
    ]
    evidence_table("groups", "Samples by what all submissions did with them", columns, rows)


def _rates(database: Snapshot, view: _View, study: PatternStudy) -> None:
    st.header("How often each flag is set", anchor=False)
    st.markdown(
        "Share of the samples with the flag, of those where it is known, with its 95% interval. A filled "
        "mark says that it differs from that of the other patterns beyond chance (Fisher's exact test, "
        "adjusted for all of them)."
    )
    columns = (
        Column("flag", "Flag", heading=True, width="20%"),
        *(Column(pattern.name.lower(), _title(pattern), align="end", whole=True) for pattern in Pattern),
    )
    rows = []
    for flag in FLAGS:
        content: dict[str, Cell | Dumbbell] = {"flag": Cell(flag.title, detail=flag.meaning)}
        for pattern, rate in study.rates[flag.key].items():
            content[pattern.name.lower()] = _rate_cell(rate)
        rows.append(Row(flag.key, content))
    evidence_table("flags", "How often each flag is set, by pattern", columns, rows)
    counted = f"n = {len(study.matrix.submissions)} submissions"
    frame.say(frame.caption(counted, view.scope, database))
    notes = _notes(database, view)
    downloads.offer(f"patterns-{study.matrix.benchmark}", lambda: pattern_table(study, notes))


def _rate_cell(rate: FlagRate) -> Cell:
    inside = rate.inside
    if not inside.n:
        return Cell(words.DASH, detail="no sample", tone="unknown")
    q = "no q" if rate.q_value is None else words.p_value(rate.q_value, "q")
    return Cell(
        words.percent(inside.rate),
        detail=f"{words.share_of(inside.k, inside.n)} {words.interval(inside.wilson())}",
        symbol="●" if rate.beyond_chance else "",
        hint=f"other patterns {words.share_of(rate.outside.k, rate.outside.n)}; {q}",
    )


def _paper(study: PatternStudy) -> None:
    beside = beside_the_paper(study, read_findings())
    if not beside:
        return
    st.header("Beside Findings 7 and 8 of the paper", anchor=False)
    columns = (
        Column("quantity", "Quantity", "Our rule below.", heading=True),
        Column("paper", "Paper, read by hand", align="end", whole=True),
        Column("ours", "Ours, by rule", align="end", whole=True),
    )
    rows = [Row(f"{row.figure.finding}-{row.figure.quantity}", _paper_cells(row)) for row in beside]
    evidence_table("paper", "Findings 7 and 8 beside ours", columns, rows)
    st.markdown(
        "Ours are of the submissions chosen above, on this page; the findings in the README are of those in "
        "the paper's tables. "
        "Finding 6, why seen fixes are missed, needs the patches that submissions wrote. They are not among "
        "these facts, so nothing is said about it."
    )


def _paper_cells(row: PrintedBeside) -> dict[str, Cell]:
    figure, ours = row.figure, row.ours
    known = bool(ours.n)
    return {
        "quantity": Cell(f"{figure.subject}: {figure.quantity}", detail=row.rule),
        "paper": Cell(words.share_of(int(figure.value), figure.of or 0), detail=f"Finding {figure.finding}"),
        "ours": Cell(
            words.share_of(ours.k, ours.n) if known else words.DASH,
            detail=f"{words.percent(ours.rate)} {words.interval(ours.wilson())}" if known else "no sample",
        ),
    }


def _samples(database: Snapshot, address: Address, view: _View, study: PatternStudy) -> None:
    st.header("The samples of a pattern", anchor=False)
    options = {key: _title(pattern) for key, pattern in _PATTERNS.items()}
    filters.choose(address, "pattern", "Pattern", options, default=_FIRST_PATTERN, clears=("page",))
    places = study.samples_of(view.pattern)
    if not places:
        st.markdown(f"No sample is {words.markdown(view.pattern.value)} by all these submissions.")
        return
    columns = (
        Column("sample", "Sample", heading=True, width="24%"),
        *(Column(flag.key, flag.title, flag.meaning, whole=True) for flag in FLAGS),
    )
    rows = [_sample_row(view, study, place) for place in places[page_of(places, address)]]
    evidence_table("samples", f"Samples {view.pattern.value} by all", columns, rows)
    offer_pages(places, address)
    notes = _notes(database, view) | {"pattern": view.pattern.value}
    name = f"{view.pattern.name.lower()}-{study.matrix.benchmark}"
    downloads.offer(name, lambda: sample_flag_table(study, places, notes))


def _sample_row(view: _View, study: PatternStudy, place: int) -> Row:
    samples = study.matrix.samples
    sample = samples.samples[place]
    target = {"sample": sample, **filters.labelling(view.scope.detector, view.scope.threshold)}
    level = view.scope.level_titles.get(samples.difficulty[place] or "", "")
    content: dict[str, Cell | Dumbbell] = {
        "sample": Cell(sample, detail=level, link=Target("sample", target))
    }
    for flag in FLAGS:
        content[flag.key] = _flag_cell(study.flags[flag.key][place])
    return Row(sample, content)


def _flag_cell(value: bool | None) -> Cell:
    if value is None:
        return Cell("not known", tone="unknown")
    return Cell("yes", symbol="✓") if value else Cell("no", tone="unknown")


def _title(pattern: Pattern) -> str:
    return pattern.value.capitalize()


def _notes(database: Snapshot, view: _View) -> dict[str, str]:
    filtered: Sequence[tuple[str, str]] = (
        ("submissions", f"{view.top} best"),
        ("frameworks", "; ".join(view.frameworks)),
        ("models", "; ".join(view.models)),
    )
    return view.scope.notes(database) | {name: value for name, value in filtered if value}
