"""The paper's Table 1 beside ours."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard import downloads, queries, words
from dashboard.charts import frame
from dashboard.filters import Scope
from dashboard.table import Cell, Column, Row, evidence_table
from engine.export.exposures import exposure_table
from engine.leaderboard.exposures import ExposureShare
from engine.paper.printed import TABLE_1_CUTOFF, read_statistics
from engine.statistics.proportions import Proportion
from engine.store.connection import Snapshot

_COLUMNS = (
    Column("benchmark", "Benchmark", heading=True, width="26%"),
    Column("repositories", "Repositories", align="end", whole=True),
    Column("samples", "Samples", align="end", whole=True),
    Column(
        "present", "Patches present", "Still in the code on the day of the cutoff.", align="end", whole=True
    ),
    Column(
        "removed", "Removed earlier", "Gone by the cutoff, but in the code before.", align="end", whole=True
    ),
)


def show_table_1(database: Snapshot, scopes: Sequence[Scope], shares: Sequence[ExposureShare]) -> None:
    """Show a row of the paper over one of ours for each benchmark that the paper has too."""
    st.header("The paper's Table 1 beside ours", anchor=False)
    printed = read_statistics()
    counts = queries.repository_counts(database)
    by_key = {share.benchmark: share for share in shares}
    rows: list[Row] = []
    for scope in scopes:
        key, title = scope.benchmark.benchmark, scope.benchmark.title
        name = next((name for name in printed if title.startswith(name)), None)
        if name is not None:
            rows.append(Row(f"{key}-paper", _paper_cells(name, printed[name])))
            rows.append(Row(key, _our_cells(scope, counts.get(key, 0), by_key.get(key))))
    if not rows:
        st.markdown("The paper has none of these benchmarks.")
        return
    evidence_table("table-1", "Table 1 of the paper beside ours", _COLUMNS, rows)
    scope = scopes[0]
    frame.say(
        f"At {TABLE_1_CUTOFF}, the cutoff of The Stack v2 · detector {words.markdown(scope.detector.title)}, "
        f"threshold {scope.threshold:g} · data {frame.data_hash(database)}. The paper looked patches up in "
        "The Stack v2 itself, by hand, and counts as removed earlier what that holds from an older snapshot; "
        "ours are found in the repositories' histories."
    )
    notes = scope.notes(database) | {"cutoff": TABLE_1_CUTOFF.isoformat()}
    notes.pop("benchmark")
    downloads.offer("table-1", lambda: exposure_table(shares, notes))


def _paper_cells(name: str, figures: dict[str, float]) -> dict[str, Cell]:
    def count(measure: str) -> Cell:
        return Cell(f"{figures[measure]:.0f}" if measure in figures else words.DASH)

    def share(measure: str) -> Cell:
        return Cell(f"{figures[measure]:.1f}%" if measure in figures else words.DASH)

    return {
        "benchmark": Cell(name, detail="the paper"),
        "repositories": count("repositories"),
        "samples": count("samples"),
        "present": share("patches_present_pct"),
        "removed": share("patches_removed_earlier_pct"),
    }


def _our_cells(scope: Scope, repositories: int, share: ExposureShare | None) -> dict[str, Cell]:
    content = {
        "benchmark": Cell(scope.benchmark.title, detail="this database"),
        "repositories": Cell(str(repositories)),
        "samples": Cell(str(scope.benchmark.size)),
    }
    if share is not None and share.contaminated.n:
        for key, found in (
            ("present", share.contaminated),
            ("removed", Proportion(share.removed, share.contaminated.n)),
        ):
            content[key] = Cell(
                words.percent(found.rate),
                detail=f"{words.share_of(found.k, found.n)} {words.interval(found.wilson())}",
            )
    return content
