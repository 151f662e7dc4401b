"""One sample: when its fix was in the repository, the evidence at a cutoff, and who resolved it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime

import streamlit as st

from dashboard import downloads, filters, legend, lifecycle, links, queries, states, theme, words
from dashboard.address import Address, write
from dashboard.cells import cutoff_cell, label_cell, outcome_cell, score_cell
from dashboard.code import show_code
from dashboard.collection import show_collection
from dashboard.database import snapshot
from dashboard.links import Target
from dashboard.opinions import show_second_opinions, show_state
from dashboard.records import (
    BlockEvidence,
    DetectorChoice,
    Evidence,
    PresenceInterval,
    SampleRecord,
    SubmissionOutcome,
)
from dashboard.table import Cell, Column, Row, evidence_table, offer_pages, page_of
from engine.statistics.proportions import Proportion
from engine.store.connection import Snapshot

_EXAMPLES = 5
_BLOCK_COLUMNS = (
    Column("scope", "Block of the fix", "The function, class or module that the fix changes.", heading=True),
    Column(
        "score", "Score", "How surely the block is in the snapshot, from 0 to 1.", align="end", whole=True
    ),
    Column("lines", "Scores of its lines", "One score for each logical line that the fix adds."),
    Column("place", "Found at", "Where in the snapshot."),
    Column("method", "How"),
)
_WHO_COLUMNS = (
    Column("submission", "Submission", heading=True),
    Column("outcome", "Result", "What the submission reported."),
    Column("label", "Label", "Whether the fix was in the repository at this submission's cutoff."),
    Column("cutoff", "Cutoff", "Last day of the training data of its models.", whole=True),
    Column("models", "Models"),
)


def show() -> None:
    """Show the page."""
    database, address = snapshot(), Address()
    catalogue = queries.catalogue(database)
    st.title("Was the fix in the repository?", anchor=False)
    if not catalogue.detectors:
        states.nothing_imported()
        return
    record = _find(database, address)
    if record is None:
        address.notice()
        return
    with st.grid(3, min_column_width=160):
        detector = filters.choose_detector(address, catalogue)
        threshold = filters.choose_threshold(address, detector)
        cutoff = filters.choose_cutoff(
            address,
            queries.cutoffs(database),
            hint="Last day of the training data, inclusive. The evidence below is for this day.",
        )
    address.notice()
    states.not_judged(detector)
    _describe(record)
    if cutoff is not None:
        evidence = queries.evidence(database, record.sample, detector.detector, cutoff)
        show_state(evidence, threshold, cutoff)
        others = [entry for entry in catalogue.detectors if entry != detector]
        show_second_opinions(database, record.sample, others, evidence, threshold, cutoff)
    panels = _panels(database, record, catalogue.detectors, detector, threshold)
    _life(panels, lifecycle.Marks(_day(record.landed_at), cutoff, queries.cutoffs(database)))
    notes = {"sample": record.sample, "database": database.version}
    intervals = queries.lifecycle(database, record.sample)
    downloads.offer(f"{record.sample}-life", lambda: downloads.table_of(intervals, PresenceInterval, notes))
    notes |= filters.labelling(detector, threshold)
    if cutoff is not None:
        _evidence(record, evidence, cutoff, notes)
        show_code(record, record.benchmark_keys[0] if record.benchmark_keys else None, detector, cutoff)
        show_collection(address, detector, threshold, intervals, _day(record.landed_at), cutoff)
    outcomes = queries.outcomes_of_sample(database, record.sample, detector.detector, threshold)
    _who(record, outcomes, notes)


def _find(database: Snapshot, address: Address) -> SampleRecord | None:
    known = queries.sample_ids(database)
    asked = address.text("sample")
    key = "search-sample"
    st.session_state[key] = asked if asked in known else None
    st.selectbox(
        "Sample",
        known,
        index=None,
        key=key,
        placeholder="Search by id",
        filter_mode="contains",
        on_change=lambda: write({"sample": st.session_state[key]}),
    )
    if asked is None:
        _invite(known)
        return None
    record = queries.sample(database, asked)
    if record is None:
        states.not_found("sample", asked, "Search for another one above.")
    return record


def _day(instant: datetime | None) -> date | None:
    return None if instant is None else instant.astimezone(UTC).date()


def _invite(known: Sequence[str]) -> None:
    st.markdown(
        "Choose a sample to see when its fix was in the repository, which models could have read it there, "
        "and which submissions resolved it."
    )
    # One of each repository, as far as they go.
    examples = list({sample.rpartition("-")[0]: sample for sample in known}.values())[:_EXAMPLES]
    rows = [
        Row(sample, {"sample": Cell(sample, link=Target("sample", {"sample": sample}))})
        for sample in examples
    ]
    evidence_table(
        "examples", "Some samples to start with", [Column("sample", "For example", heading=True)], rows
    )


def _describe(record: SampleRecord) -> None:
    if record.title:
        st.header(words.markdown(record.title), anchor=False)
    facts = [f"{words.markdown(record.repository)} \\#{record.number}"]
    facts += [
        f"{words.markdown(name)}" + (f", {words.markdown(level)}" if level else "")
        for name, level in record.benchmarks
    ]
    if record.files is not None:
        lines = f"+{record.added_lines or 0} {words.MINUS}{record.removed_lines or 0} lines"
        facts.append(f"{words.count(record.files, 'file')}, {lines}")
    st.markdown(" · ".join(facts))
    landed = (
        "The fix never landed" if record.landed_at is None else f"The fix landed on {_day(record.landed_at)}"
    )
    if record.landing_evidence:
        landed += f": {words.markdown(record.landing_evidence)}"
    st.markdown(landed + ".")
    for warning in _warnings(record):
        st.caption(warning)
    with st.container(horizontal=True):
        _button("Pull request", links.pull_request(record.repository, record.number))
        _button("Landed commit", links.commit(record.repository, record.landed_commit))
        _button("Base commit", links.commit(record.repository, record.base_commit))


def _warnings(record: SampleRecord) -> list[str]:
    found = []
    if record.gold_fails_own_tests:
        found.append("The gold patch fails the sample's own tests.")
    if record.duplicate_group:
        found.append(f"The same fix as other samples (group {words.markdown(record.duplicate_group)}).")
    return found


def _button(label: str, address: str | None) -> None:
    if address is not None:
        st.link_button(label, address, icon=":material/open_in_new:")


def _panels(
    database: Snapshot,
    record: SampleRecord,
    detectors: Sequence[DetectorChoice],
    chosen: DetectorChoice,
    threshold: float,
) -> list[lifecycle.Panel]:
    intervals = queries.lifecycle(database, record.sample)
    return [
        lifecycle.Panel(
            detector,
            threshold if detector == chosen else detector.threshold,
            tuple(interval for interval in intervals if interval.detector == detector.detector),
        )
        for detector in detectors
    ]


def _life(panels: Sequence[lifecycle.Panel], marks: lifecycle.Marks) -> None:
    st.header("When was the fix in the code?", anchor=False)
    colours = theme.palette()
    legend.show(
        legend.Entry("bar", colours.contaminated, "in the code (score at or above the threshold)"),
        legend.Entry("bar", colours.clean, "not in the code"),
        legend.Entry("dotted", colours.unknown, "unknown"),
        legend.Entry("line", colours.text, "the fix landed"),
        legend.Entry("dashed", colours.link, "chosen cutoff"),
        legend.Entry("tick", colours.muted, "cutoffs of models"),
    )
    st.plotly_chart(
        lifecycle.figure(panels, marks, colours),
        theme=None,
        key="lifecycle",
        config={"displayModeBar": False, "scrollZoom": False},
        alt=lifecycle.in_words(panels, marks),
    )


def _evidence(record: SampleRecord, evidence: Evidence, cutoff: date, notes: dict[str, str]) -> None:
    st.header(f"What the verdict at {cutoff} rests on", anchor=False)
    if evidence.commit is not None:
        where = links.commit(record.repository, evidence.commit)
        named = f"[{evidence.commit[:12]}]({where})" if where else words.markdown(evidence.commit[:12])
        st.markdown(f"Commit {named}, unchanged from {evidence.valid_from} to {evidence.valid_to}.")
    if not evidence.blocks:
        st.markdown(f"No block was compared: {words.markdown(evidence.reason)}.")
        return
    rows = [Row(str(block.block), _block_cells(record, evidence, block)) for block in evidence.blocks]
    evidence_table("blocks", f"Blocks of the fix at {cutoff}", _BLOCK_COLUMNS, rows)
    about = notes | {"cutoff": cutoff.isoformat(), "commit": evidence.commit or ""}
    downloads.offer(
        f"{record.sample}-blocks-{cutoff}",
        lambda: downloads.table_of(evidence.blocks, BlockEvidence, about),
    )


def _block_cells(record: SampleRecord, evidence: Evidence, block: BlockEvidence) -> dict[str, Cell]:
    place = links.place(record.repository, evidence.commit, block.path, block.line_start, block.line_end)
    lines = "" if block.line_start is None else f":{block.line_start}"
    return {
        "scope": Cell(block.scope),
        "score": score_cell(block.score),
        "lines": Cell(", ".join(f"{score:.2f}" for score in block.line_scores) or words.DASH),
        "place": Cell(f"{block.path}{lines}" if block.path else "not found", link=place),
        "method": Cell(block.method),
    }


def _rates(outcomes: Sequence[SubmissionOutcome]) -> str:
    """Say how many resolved the sample, by what their models could have read."""
    groups = [("Of all submissions", outcomes)]
    groups += [
        (f"of those whose models {could} have read the fix", [o for o in outcomes if o.label == label])
        for label, could in (("contaminated", "may"), ("clean", "cannot"))
    ]
    parts = []
    for name, group in groups:
        share = Proportion(sum(outcome.outcome == "resolved" for outcome in group), len(group))
        if share.n:
            rate = f"{words.percent(share.rate)} {words.interval(share.wilson())}"
            parts.append(f"{name} **{words.share_of(share.k, share.n)}** resolved it, {rate}")
    return "; ".join(parts) + "."


def _who(record: SampleRecord, outcomes: Sequence[SubmissionOutcome], notes: dict[str, str]) -> None:
    st.header("Who resolved it?", anchor=False)
    if not outcomes:
        st.markdown("No submission in the database was asked this sample.")
        return
    st.markdown(_rates(outcomes))
    address = Address()
    shown = page_of(outcomes, address)
    rows = [
        Row(
            f"{outcome.benchmark}/{outcome.submission}",
            {
                "submission": Cell(
                    outcome.title,
                    detail=outcome.framework or "",
                    link=Target(
                        "submission",
                        {
                            "benchmark": outcome.benchmark,
                            "submission": outcome.submission,
                            "detector": notes["detector"],
                            "threshold": notes["threshold"],
                        },
                    ),
                ),
                "outcome": outcome_cell(outcome.outcome),
                "label": label_cell(outcome.label),
                "cutoff": cutoff_cell(words.day(outcome.cutoff), outcome.basis),
                "models": Cell(", ".join(outcome.models) or words.DASH),
            },
        )
        for outcome in outcomes[shown]
    ]
    evidence_table("who", "Submissions and their results on this sample", _WHO_COLUMNS, rows)
    offer_pages(outcomes, address)
    downloads.offer(
        f"{record.sample}-submissions", lambda: downloads.table_of(outcomes, SubmissionOutcome, notes)
    )
