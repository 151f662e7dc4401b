"""Our version of the paper's Tables 6 to 9: its printed cells, ours, and the difference."""

from __future__ import annotations

from typing import Any

from engine.export.leaderboard import before_after
from engine.export.paper_comparison import ComparedCell, ComparedTable
from engine.export.printed import MINUS
from engine.export.table import Column, Table, from_records
from engine.statistics.proportions import Proportion, relative_change_as_printed

COMPARED_COLUMNS = (
    Column("table", "integer", title="Table"),
    Column("row", title="Row"),
    Column("level", title="Level"),
    Column("submission", title="Submission"),
    Column("cutoff", "day", title="Cutoff"),
    Column("paper_resolved", "integer"),
    Column("paper_total", "integer"),
    Column("resolved", "integer"),
    Column("total", "integer"),
    Column("resolved_difference", "integer"),
    Column("total_difference", "integer"),
    Column("paper_clean_resolved", "integer"),
    Column("paper_clean_total", "integer"),
    Column("clean_resolved", "integer"),
    Column("clean_total", "integer"),
    Column("clean_resolved_difference", "integer"),
    Column("clean_total_difference", "integer"),
    Column("paper_clean_rate", "real"),
    Column("clean_rate", "real"),
    Column("clean_rate_difference", "real"),
    Column("paper_relative_change", "real"),
    Column("relative_change", "real"),
    Column("relative_change_difference", "real"),
    Column("unknown_total", "integer"),
    Column("reason"),
)

PRINTED_COLUMNS = (
    Column("row", title="Row"),
    Column("level", title="Level"),
    Column("paper", title="Paper"),
    Column("ours", title="BenchChecker"),
    Column("resolved", title="Resolved"),
    Column("clean_resolved", title="Clean resolved"),
    Column("clean_total", title="Clean total"),
    Column("change", title="Change (points)"),
)


def paper_table(compared: ComparedTable) -> Table:
    """Return every figure of a comparison, one row a printed cell.

    Differences are ours minus the paper's. Rates and changes are fractions; as in the paper, a change is 0
    where nothing was resolved before and after.
    """
    return from_records(COMPARED_COLUMNS, map(_record, compared.cells), compared.notes)


def printed_paper_table(compared: ComparedTable) -> Table:
    """Return a comparison in the paper's form: its cell, ours, and ours minus the paper's."""
    return from_records(PRINTED_COLUMNS, map(_printed, compared.cells), compared.notes)


def _record(compared: ComparedCell) -> dict[str, Any]:
    cell, before, clean = compared.cell, compared.before, compared.clean
    paper_clean = Proportion(cell.after_resolved, cell.after_total)
    change = relative_change_as_printed(before, clean) if before and clean else None
    return {
        "table": cell.table,
        "row": cell.row,
        "level": cell.level,
        "submission": compared.submission,
        "cutoff": compared.cutoff,
        **_beside("resolved", cell.before_resolved, before.k if before else None),
        **_beside("total", cell.before_total, before.n if before else None),
        **_beside("clean_resolved", cell.after_resolved, clean.k if clean else None),
        **_beside("clean_total", cell.after_total, compared.clean_total),
        **_beside("clean_rate", paper_clean.rate, clean.rate if clean else None),
        **_beside("relative_change", cell.relative_change_pct / 100, change),
        "unknown_total": compared.unknown_total,
        "reason": compared.reason,
    }


def _beside(name: str, paper: float | None, ours: float | None) -> dict[str, float | None]:
    difference = None if paper is None or ours is None else ours - paper
    return {f"paper_{name}": paper, name: ours, f"{name}_difference": difference}


def _printed(compared: ComparedCell) -> dict[str, Any]:
    record, cell = _record(compared), compared.cell
    printed = before_after(
        f"{cell.before_resolved}/{cell.before_total}",
        f"{cell.after_resolved}/{cell.after_total}",
        cell.relative_change_pct / 100,
    )
    counts = ("resolved", "clean_resolved", "clean_total")
    return {
        "row": cell.row,
        "level": cell.level,
        "paper": printed,
        "ours": _printed_ours(record),
        **{name: _signed(record[f"{name}_difference"], "+d") for name in counts},
        "change": _signed(record["relative_change_difference"], "+.1f", 100),
    }


def _printed_ours(record: dict[str, Any]) -> str:
    if record["resolved"] is None:
        clean = "" if record["clean_total"] is None else f"{record['clean_total']} clean; "
        return f"{clean}{record['reason']}"
    before = f"{record['resolved']}/{record['total']}"
    if record["clean_total"] is None:
        return f"{before} ({record['reason']})"
    if record["clean_total"] == 0:
        return f"{before} ({record['unknown_total']} unknown)"
    after = f"{record['clean_resolved']}/{record['clean_total']}"
    return before_after(before, after, record["relative_change"])


def _signed(number: float | None, form: str, scale: int = 1) -> str | None:
    return None if number is None else format(scale * number, form).replace("-", MINUS)
