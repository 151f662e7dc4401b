"""The fix beside the snapshot, line by line, where the reader's own data set and clones are at hand."""

from __future__ import annotations

import os
import shlex
from datetime import date
from pathlib import Path

import streamlit as st

from dashboard import links, states, words
from dashboard.address import Address, write
from dashboard.records import DetectorChoice, SampleRecord
from dashboard.table import Cell, Column, Row, evidence_table
from engine.paths import CACHE_DIR, DATA_DIR
from engine.presence.explanation import ExplainedBlock, ExplainedLine, Explanation
from engine.presence.own_sources import OwnSources, own_sources
from engine.problems import BenchCheckerError

SAMPLES_VARIABLE = "BENCHCHECKER_SAMPLES"
REPOS_VARIABLE = "BENCHCHECKER_REPOS"
MAPPING_VARIABLE = "BENCHCHECKER_MAPPING"
_COLUMNS = (
    Column("fix", "The fix adds", "Tokens that the line beside it lacks are marked.", width="44%"),
    Column("likeness", "Likeness", "Of the two lines, token by token, 0 to 1.", align="end", whole=True),
    Column("near", "Nearest line of the snapshot", "Tokens that the fix lacks are marked.", width="44%"),
)
_REMEMBERED = 32


def show_code(record: SampleRecord, benchmark: str | None, detector: DetectorChoice, cutoff: date) -> None:
    """Offer the lines of the fix beside those of the snapshot, or say how to get them."""
    st.header("The fix beside the snapshot", anchor=False)
    try:
        sources = _sources()
    except BenchCheckerError as error:
        st.warning(f"The code cannot be read: {words.markdown(error)}.", icon=":material/folder_off:")
        return
    if sources is None:
        _how_to_get_it(record, benchmark, detector, cutoff)
        return
    address = Address()
    shown = address.one_of("code", ("1",), "") == "1"
    st.session_state["show-code"] = shown
    st.toggle("Judge anew and show the lines", key="show-code", on_change=_toggled)
    if not shown:
        return
    try:
        with st.spinner("Reading the repository …"):
            explanation = _explained(sources, record.sample, detector.detector, cutoff)
    except BenchCheckerError as error:
        st.warning(
            f"The sample cannot be judged at this cutoff: {words.markdown(error)}.", icon=":material/error:"
        )
        return
    _summarise(explanation)
    for explained in explanation.blocks:
        _block(record, explanation, explained)


def _toggled() -> None:
    write({"code": "1" if st.session_state["show-code"] else None})


def _sources() -> OwnSources | None:
    samples, repos = os.environ.get(SAMPLES_VARIABLE), os.environ.get(REPOS_VARIABLE)
    if not samples or not repos:
        return None
    mapping = os.environ.get(MAPPING_VARIABLE)
    return own_sources(
        samples.split(os.pathsep), Path(repos), Path(mapping) if mapping else None, DATA_DIR, CACHE_DIR
    )


# Text of patches and repositories stays in this process's memory; the database never holds it.
@st.cache_resource(show_spinner=False, max_entries=_REMEMBERED, hash_funcs={OwnSources: repr})
def _explained(sources: OwnSources, sample: str, detector: str, cutoff: date) -> Explanation:
    return sources.explain(sample, detector, cutoff)


def _how_to_get_it(
    record: SampleRecord, benchmark: str | None, detector: DetectorChoice, cutoff: date
) -> None:
    st.markdown(
        "The database holds places and scores, but no code: that comes from your own copy of the data set "
        "and your own clone. With both, this prints every line of the fix beside the nearest one of the "
        "snapshot:"
    )
    sample, key = shlex.quote(record.sample), shlex.quote(benchmark or "BENCHMARK")
    states.commands(
        f"benchchecker explain {sample} --cutoff {cutoff} --detector {shlex.quote(detector.detector)} \\\n"
        f"    --samples {key}=DATASET.jsonl --repos CLONES"
    )
    st.markdown("This shows it here:")
    states.commands(f"scripts/run --samples {key}=DATASET.jsonl --repos CLONES")


def _summarise(explanation: Explanation) -> None:
    verdict = explanation.verdict
    st.markdown(
        f"Judged anew at commit `{explanation.commit[:12]}`: score {verdict.score:.2f}; "
        f"{words.markdown(verdict.reason)}."
    )
    if not explanation.blocks:
        st.markdown("The fix had not landed, so there is nothing to compare.")


def _block(record: SampleRecord, explanation: Explanation, explained: ExplainedBlock) -> None:
    block, verdict = explained.block, explained.verdict
    where = words.markdown(f"{block.scope or 'module level'} of {block.path}")
    place = links.place(record.repository, explanation.commit, verdict.path, verdict.start, verdict.end)
    lines = "" if verdict.start is None else f":{verdict.start}{words.DASH}{verdict.end}"
    found = words.markdown(f"{verdict.path}{lines}")
    linked = f"[{found}]({place})" if place else found
    note = f"; {words.markdown(verdict.note)}" if verdict.note else ""
    st.markdown(f"**{where}**: {verdict.method.value}, score {verdict.score:.2f}, {linked}{note}")
    if not explained.lines:
        gone = "; ".join(line.text for line in block.removed)
        st.markdown(f"The fix only takes code away: {words.markdown(gone)}")
        return
    rows = [Row(str(index), _cells(line)) for index, line in enumerate(explained.lines)]
    evidence_table(f"code-{block.index}", f"Lines of the fix in {block.path}", _COLUMNS, rows)


def _cells(line: ExplainedLine) -> dict[str, Cell]:
    likeness = Cell(words.DASH if line.likeness is None else f"{line.likeness:.2f}")
    near = Cell("no code at this place", tone="unknown")
    if line.near_start is not None:
        near = Cell(line.near, detail=f"line {line.near_start}", marks=line.near_differing, code=True)
    fix = Cell(line.text, detail=f"line {line.start} after the fix", marks=line.differing, code=True)
    return {"fix": fix, "likeness": likeness, "near": near}
