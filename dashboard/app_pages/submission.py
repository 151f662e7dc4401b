"""One submission: its score before and after by difficulty, its models and cutoff, and every sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import streamlit as st

from dashboard import comparison_cells as cells
from dashboard import downloads, filters, navigation, queries, standings, states, words
from dashboard.address import Address
from dashboard.cells import label_cell, outcome_cell, score_cell
from dashboard.database import snapshot
from dashboard.filters import ALL, Scope
from dashboard.links import Target
from dashboard.records import Catalogue, ModelUse, SampleResult, SubmissionRecord
from dashboard.table import Cell, Column, Dumbbell, Row, evidence_table, offer_pages, page_of
from engine.export.leaderboard import leaderboard_table, printed_leaderboard
from engine.leaderboard.board import Leaderboard, LeaderboardRow
from engine.statistics.proportions import Proportion
from engine.statistics.summary import Comparison
from engine.store.connection import Snapshot

_LEVEL_COLUMNS = (
    Column("level", "Difficulty", heading=True),
    cells.DUMBBELL_COLUMN,
    Column(
        "before", "Before", "Share of all samples resolved, with its 95% interval.", align="end", whole=True
    ),
    Column(
        "contaminated", "Contaminated", "Share of the contaminated samples resolved.", align="end", whole=True
    ),
    Column(
        "after",
        "After",
        "Share of the clean samples resolved, with its 95% interval.",
        align="end",
        whole=True,
    ),
    Column("change", "Change", cells.CHANGE_COLUMN.hint, align="end", whole=True),
    Column("verdict", "Contamination test", cells.VERDICT_COLUMN.hint),
)
_COLUMNS_BEFORE = 3
_MODEL_COLUMNS = (
    Column("model", "Model", heading=True),
    Column("cutoff", "Cutoff", "Last day of its training data.", whole=True),
    Column("source", "Source of the cutoff"),
    Column("evidence", "How the submission names it"),
)
_SAMPLE_COLUMNS = (
    Column("sample", "Sample", heading=True),
    Column("outcome", "Result", "What the submission reported."),
    Column("label", "Label", "Whether the models could have read the fix in the repository."),
    Column(
        "score",
        "Score",
        "How surely the fix is in the repository at the cutoff, from 0 to 1.",
        align="end",
        whole=True,
    ),
    Column("difficulty", "Difficulty", whole=True),
    Column("landed", "Fix landed", "UTC day.", whole=True),
    Column("reason", "Why"),
)


def show() -> None:
    """Show the page."""
    database, address = snapshot(), Address()
    catalogue = queries.catalogue(database)
    if not catalogue.benchmarks or not catalogue.detectors:
        states.nothing_imported()
        return
    keys = [choice.benchmark for choice in catalogue.benchmarks]
    benchmark = catalogue.benchmark(address.one_of("benchmark", keys, keys[0]))
    asked = address.text("submission")
    record = None if asked is None else queries.submission(database, benchmark.benchmark, asked)
    if record is None:
        _missing(asked, address)
        return
    _back(address)
    st.title(words.markdown(record.title), anchor=False)
    _describe(record, benchmark.title)
    scope = _scope(address, catalogue, benchmark.benchmark)
    address.notice()
    states.not_judged(scope.detector)
    with st.skeleton(height=320):
        board = standings.board(database, benchmark.benchmark, scope.detector.detector, scope.threshold)
    row = next(row for row in board.rows if row.submission.submission == record.submission)
    _verdict(row)
    _levels(row, replace(board, rows=(row,)), scope)
    bases = dict(queries.repository_bases(database, benchmark.benchmark).get(record.submission, ()))
    _models(record, row, bases)
    results = queries.sample_results(
        database, benchmark.benchmark, record.submission, scope.detector.detector, scope.threshold
    )
    _samples(results, record, row.submission.cutoff, scope, database)


def _missing(asked: str | None, address: Address) -> None:
    st.title("Which submission?", anchor=False)
    address.notice()
    if asked is not None:
        states.not_found("submission", asked, "It may have been renamed since this link was made.")
    st.markdown("Choose a submission on the leaderboard.")
    st.page_link(
        navigation.pages()["leaderboard"], label="Open the leaderboard", icon=":material/arrow_back:"
    )


def _back(address: Address) -> None:
    kept = {name: value for name in ("benchmark", "detector", "threshold") if (value := address.text(name))}
    st.page_link(
        navigation.pages()["leaderboard"],
        label="Leaderboard",
        icon=":material/arrow_back:",
        query_params=kept,
        help="",
    )


def _scope(address: Address, catalogue: Catalogue, benchmark: str) -> Scope:
    with st.grid(3, min_column_width=160):
        detector = filters.choose_detector(address, catalogue)
        threshold = filters.choose_threshold(address, detector)
    return Scope(catalogue.benchmark(benchmark), detector, threshold)


def _describe(record: SubmissionRecord, benchmark: str) -> None:
    weights = {True: "open weights", False: "closed weights", None: None}[record.open_weights]
    checked = "checked by the makers of the board" if record.checked else None
    submitted = None if record.submitted_on is None else f"submitted on {record.submitted_on}"
    facts = [benchmark, record.framework, submitted, weights, checked]
    st.markdown(" · ".join(words.markdown(fact) for fact in facts if fact))
    if record.quality:
        st.warning(words.markdown(record.quality), icon=":material/report:")
    if record.outside:
        listed = ", ".join(words.markdown(reported) for reported in record.outside)
        number = words.count(len(record.outside), "reported id")
        st.info(f"{number} outside the benchmark, listed but not counted: {listed}")


def _verdict(row: LeaderboardRow) -> None:
    st.header("How much of the score survives on clean samples?", anchor=False)
    comparison = row.overall
    if comparison is None:
        st.markdown(f"No figures: {words.markdown(row.reason)}.")
        return
    before = f"**{words.percent(comparison.before.rate)}** of {comparison.before.n} samples before"
    if row.reason is not None:
        st.markdown(
            f"{before}; no figure after: **{words.markdown(row.reason)}**. Without the cutoff of every model "
            "that writes patches nobody can say which fixes they could have read."
        )
        return
    places = ""
    if row.rank_before is not None and row.rank_after is not None:
        places = (
            f" Rank {row.rank_before.rank} [{row.rank_before.low}{words.DASH}{row.rank_before.high}] becomes "
            f"{row.rank_after.rank} [{row.rank_after.low}{words.DASH}{row.rank_after.high}] among the "
            "submissions with a known cutoff."
        )
    st.markdown(
        f"{before}, **{words.percent(comparison.clean.rate)}** of {comparison.clean.n} clean samples after: "
        f"**{words.signed_percent(comparison.relative_change)}** of the rate.{places}"
    )
    st.markdown(
        f"Clean: {_share(comparison.clean)}. Contaminated: {_share(comparison.contaminated)}. Clean minus "
        f"contaminated: **{words.signed_points(comparison.difference)} points** "
        f"{words.points_interval(comparison.difference_interval)}."
    )
    title = cells.verdict_title(comparison.judgement.verdict)
    reasons = "".join(f"\n- {words.markdown(sentence)}" for sentence in comparison.judgement.sentences)
    st.markdown(f"That contaminated samples score higher: **{title.lower()}**.{reasons}")


def _share(share: Proportion) -> str:
    counted = words.share_of(share.k, share.n)
    return f"**{words.percent(share.rate)}** ({counted}) {words.interval(share.wilson())}".rstrip()


def _levels(row: LeaderboardRow, alone: Leaderboard, scope: Scope) -> None:
    titles = scope.level_titles
    if row.overall is None:
        return
    cells.show_legend()
    known = row.reason is None
    rows = [_level_row("all", "All samples", row.overall, known=known)]
    rows += [
        _level_row(key, titles.get(key, key), comparison, known=known)
        for key, comparison in row.levels.items()
    ]
    columns = _LEVEL_COLUMNS if known else _LEVEL_COLUMNS[:_COLUMNS_BEFORE]
    evidence_table("levels", "The score before and after by difficulty", columns, rows)
    downloads.offer(
        f"{row.submission.submission}-by-difficulty",
        lambda: leaderboard_table(alone),
        lambda: printed_leaderboard(alone, titles),
    )


def _level_row(key: str, title: str, comparison: Comparison, *, known: bool) -> Row:
    content: dict[str, Cell | Dumbbell] = {
        "level": Cell(title),
        "scores": cells.dumbbell(comparison, known=known),
        "before": cells.rate_cell(comparison.before, comparison.before_interval),
    }
    if known:
        content |= {
            "contaminated": cells.rate_cell(comparison.contaminated, comparison.contaminated_interval),
            "after": cells.rate_cell(comparison.clean, comparison.clean_interval),
            "change": cells.change_cell(comparison),
            "verdict": cells.verdict_cell(comparison),
        }
    return Row(key, content)


def _models(record: SubmissionRecord, row: LeaderboardRow, bases: dict[str, int]) -> None:
    st.header("What had its models read?", anchor=False)
    if not record.models:
        st.markdown("The submission names no model.")
        return
    cutoff = row.submission.cutoff
    if cutoff is not None:
        counted = ", ".join(f"{basis} for {words.count(count, 'sample')}" for basis, count in bases.items())
        st.markdown(
            f"Its cutoff is the latest of its models, **{cutoff}** ({row.submission.basis}). What says "
            f"that they saw the repositories: {counted}."
        )
    evidence_table("models", "Models and cutoffs", _MODEL_COLUMNS, [_model_row(use) for use in record.models])


def _model_row(use: ModelUse) -> Row:
    known = use.model is not None
    role = "" if use.role in (None, "generator") else f" · {use.role}: does not count for the cutoff"
    return Row(
        use.tag,
        {
            "model": Cell(use.title or use.tag, detail=(use.vendor or "not in the registry") + role),
            "cutoff": Cell(
                words.day(use.cutoff), detail=(use.basis or "not known") if known else "unknown model"
            ),
            "source": Cell(use.source or words.DASH),
            "evidence": Cell(use.tag, detail=use.evidence),
        },
        muted=not known,
    )


def _samples(
    results: Sequence[SampleResult],
    record: SubmissionRecord,
    cutoff: date | None,
    scope: Scope,
    database: Snapshot,
) -> None:
    address, levels = Address(), scope.level_titles
    st.header("Which samples, and why?", anchor=False)
    with st.grid(3, min_column_width=160):
        label = filters.choose(address, "label", "Label", {ALL: "All"} | words.LABEL_TITLES, default=ALL)
        outcomes = {ALL: "All", "resolved": "Resolved", "unresolved": "Not resolved"}
        outcome = filters.choose(address, "outcome", "Result", outcomes, default=ALL)
        level = filters.choose(address, "level", "Difficulty", {ALL: "All"} | levels, default=ALL)
    shown = [
        result
        for result in results
        if label in (ALL, result.label)
        and (outcome == ALL or (outcome == "resolved") == (result.outcome == "resolved"))
        and level in (ALL, result.difficulty)
    ]
    if not shown:
        why = f"No sample of {words.markdown(scope.benchmark.title)} meets these filters."
        states.no_rows(
            why, "Clear these filters", lambda: filters.clear(("label", "outcome", "level", "page"))
        )
        return
    st.markdown(_tally(shown))
    _unknown(shown)
    rows = [_sample_row(result, scope, cutoff) for result in shown[page_of(shown, address)]]
    evidence_table("samples", "Samples with label and result", _SAMPLE_COLUMNS, rows)
    offer_pages(shown, address)
    address.notice()
    notes = scope.notes(database) | {"submission": record.submission}
    downloads.offer(f"{record.submission}-samples", lambda: downloads.table_of(shown, SampleResult, notes))


def _tally(shown: Sequence[SampleResult]) -> str:
    resolved = sum(result.outcome == "resolved" for result in shown)
    counts = Counter(result.label for result in shown)
    labels = [f"{counts[label]} {label}" for label in words.LABEL_TITLES if counts[label]]
    return " · ".join([words.count(len(shown), "sample"), f"{resolved} resolved", *labels])


def _unknown(shown: Sequence[SampleResult]) -> None:
    reasons = Counter(result.reason or "not judged" for result in shown if result.label == "unknown")
    if reasons:
        with st.expander(f"Why {words.count(reasons.total(), 'sample is', 'samples are')} unknown"):
            st.markdown(
                "".join(f"- {words.markdown(why)}: {number}\n" for why, number in reasons.most_common())
            )


def _sample_row(result: SampleResult, scope: Scope, cutoff: date | None) -> Row:
    seen = {
        "not shown": "not shown to have seen the repository",
        "too few queries": "too few queries to tell",
    }
    reason = seen.get(result.repository_verdict or "", result.reason or "no known cutoff")
    labelling = filters.labelling(scope.detector, scope.threshold)
    # At the submission's own cutoff: at another the label may be another.
    at = {} if cutoff is None else {"cutoff": cutoff.isoformat()}
    target = {"sample": result.sample, **labelling, **at}
    basis = result.repository_basis
    seen_by = Target("repository", {"repository": result.repository, **labelling}) if basis else None
    return Row(
        result.sample,
        {
            "sample": Cell(result.sample, link=Target("sample", target)),
            "outcome": outcome_cell(result.outcome),
            "label": label_cell(result.label),
            "score": score_cell(result.score),
            "difficulty": Cell(scope.level_titles.get(result.difficulty or "", words.DASH)),
            "landed": Cell(words.utc_day(result.landed_at)),
            "reason": Cell(reason, detail=f"repository: {basis}" if basis else "", link=seen_by),
        },
    )
