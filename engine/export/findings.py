"""The findings of the paper beside ours, as tables."""

from __future__ import annotations

from engine.export.table import Column, Table, from_records
from engine.report.findings import Finding, Findings
from engine.report.reading import Answer, Reading

_COLUMNS = (
    Column("finding", "integer", "Finding"),
    Column("statement", title="What it says"),
    Column("detector", title="Detector"),
    Column("threshold", "real", "Threshold", 2),
    Column("paper", title="Paper"),
    Column("ours", title="Ours"),
    Column("holds", title="Holds?"),
    Column("reason", title="Why"),
    Column("within", title="Within samples"),
    Column("within_holds", title="Holds?"),
    Column("within_reason", title="Why"),
)


def findings_table(found: Findings) -> Table:
    """Return a row for each finding and detector."""
    records = (
        {
            "finding": row.number,
            "statement": row.statement,
            "detector": detector,
            "threshold": threshold,
            "paper": row.paper,
            **_reading("ours", "", row.ours[detector]),
            **_reading("within", "within_", row.within[detector]),
        }
        for row in found.rows
        for detector, threshold in found.detectors.items()
    )
    return from_records(_COLUMNS, records, _notes(found))


def printed_findings(found: Findings) -> Table:
    """Return a row for each finding: whether it holds, by the default detector."""
    columns = (
        Column("finding", title="Finding"),
        Column("paper", title="Paper"),
        *(
            Column(f"ours_{detector}", title=f"Ours, {detector} at {threshold:g}")
            for detector, threshold in found.detectors.items()
        ),
        Column("holds", title=f"Holds with {found.default}?"),
        Column("within", title=f"Within samples, {found.default}"),
    )
    return from_records(columns, (_printed(row, found) for row in found.rows), _notes(found))


def _printed(row: Finding, found: Findings) -> dict[str, str | None]:
    ours, within = row.ours[found.default], row.within[found.default]
    return {
        "finding": f"{row.number}. {row.statement}" if row.number else row.statement,
        "paper": row.paper,
        **{f"ours_{detector}": row.ours[detector].figure or None for detector in found.detectors},
        "holds": f"{ours.answer.value}: {ours.reason}",
        "within": _answered(within),
    }


def _answered(reading: Reading) -> str:
    figure = f" ({reading.figure})" if reading.figure else ""
    reason = "" if reading.answer is Answer.NOT_ASKED else f": {reading.reason}"
    return f"{reading.answer.value}{reason}{figure}"


def _reading(figure: str, prefix: str, reading: Reading) -> dict[str, str | None]:
    return {
        figure: reading.figure or None,
        f"{prefix}holds": reading.answer.value,
        f"{prefix}reason": reading.reason,
    }


def _notes(found: Findings) -> tuple[tuple[str, str], ...]:
    detectors = ", ".join(f"{name} at {threshold:g}" for name, threshold in found.detectors.items())
    return (("detectors", detectors), ("data", found.data_sha256[:12]))
