"""Every table and figure of the product, one after another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from plotly.graph_objects import Figure

from engine.export.exposures import exposure_table
from engine.export.findings import findings_table, printed_findings
from engine.export.paper import paper_table, printed_paper_table
from engine.export.paper_comparison import compare_with_paper
from engine.leaderboard.exposures import ExposureShare, exposure_shares
from engine.report import drawing
from engine.report.benchmark_parts import benchmark_parts
from engine.report.effect_parts import effect_parts, rank_part
from engine.report.findings import findings
from engine.report.part import Part, file_name
from engine.report.scope import Scope
from engine.store.connection import Snapshot


def parts(database: Snapshot, data: Path, detectors: Sequence[str] = ()) -> Iterator[Part]:
    """Yield the parts of a report, those of the whole first.

    Args:
        database: The facts.
        data: Folder with the paper's figures; what needs them is left out where they are not there.
        detectors: Keys of the detectors; all that have judged samples if empty.

    Raises:
        BenchCheckerError: If the facts are incomplete.
    """
    judged = database.rows(
        "SELECT detector, title, threshold FROM detector SEMI JOIN presence USING (detector) "
        "ORDER BY is_default DESC NULLS LAST, detector"
    )
    chosen = [row for row in judged if not detectors or row["detector"] in detectors]
    if (data / "paper").is_dir():
        yield from _of_the_paper(database, data, [row["detector"] for row in chosen])
    benchmarks = database.rows("SELECT benchmark, title FROM benchmark ORDER BY size DESC, benchmark")
    for entry in benchmarks:
        yield _exposures(database, entry["benchmark"], entry["title"], chosen)
        for row in chosen:
            scope = Scope(
                database, entry["benchmark"], entry["title"], row["detector"], row["title"], row["threshold"]
            )
            yield from benchmark_parts(scope)
            yield from effect_parts(scope)
            if (ranks := rank_part(scope)) is not None:
                yield ranks


def _of_the_paper(database: Snapshot, data: Path, detectors: Sequence[str]) -> Iterator[Part]:
    found = findings(database, data)
    counted = f"n = {len(found.rows)} findings"
    yield Part(
        "findings",
        "The paper",
        "Findings of the paper beside ours",
        counted,
        findings_table(found),
        printed_findings(found),
    )
    for detector in detectors:
        for table in (6, 7, 8, 9):
            compared = compare_with_paper(database, data, table, detector)
            yield Part(
                file_name("table", str(table), detector),
                "The paper",
                f"Table {table} of the paper beside ours",
                f"n = {len(compared.cells)} cells",
                paper_table(compared),
                printed_paper_table(compared),
            )


def _exposures(
    database: Snapshot, benchmark: str, title: str, detectors: Sequence[Mapping[str, Any]]
) -> Part:
    days = database.rows("SELECT DISTINCT cutoff FROM model WHERE cutoff IS NOT NULL ORDER BY cutoff")
    cutoffs = [row["cutoff"] for row in days]
    found: dict[str, list[ExposureShare]] = {
        row["title"]: [
            share
            for share in exposure_shares(database, row["detector"], None, cutoffs)
            if share.benchmark == benchmark
        ]
        for row in detectors
    }
    shares = [share for each in found.values() for share in each]
    size = max((share.contaminated.n + share.unknown for share in shares), default=0)
    notes = {"benchmark": benchmark, "detectors": _listed(detectors), "database": database.version}
    return Part(
        file_name(benchmark, "exposure"),
        title,
        f"Share of contaminated samples of {title} by training cutoff, repositories taken as seen",
        f"n = {size} samples",
        exposure_table(shares, notes),
        draw=partial(_draw_exposures, found),
    )


def _listed(detectors: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(f"{row['detector']} at {row['threshold']:g}" for row in detectors)


def _draw_exposures(found: Mapping[str, Sequence[ExposureShare]]) -> Figure:
    return drawing.shares_over_days(
        [
            (
                title,
                [
                    (share.cutoff, share.contaminated.rate, bounds)
                    for share in shares
                    if share.contaminated.rate is not None and (bounds := share.contaminated.wilson())
                ],
            )
            for title, shares in found.items()
        ]
    )
