"""Our version of the paper's Tables 6 to 9: its printed cells, ours, and the difference."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.export.leaderboard import before_after, notes
from engine.export.table import Column, Table, from_records
from engine.leaderboard.board import LeaderboardRow, leaderboard
from engine.paper.cells import OVERALL, Cell, read_cells
from engine.paper.rows import read_rows
from engine.problems import BenchCheckerError
from engine.statistics.proportions import Proportion, relative_change_as_printed
from engine.statistics.summary import Comparison
from engine.store.connection import Snapshot

NO_SUBMISSION = "its submission is not in the data"

COMPARED_COLUMNS = (
    Column("table", "integer", title="Table"),
    Column("row", title="Row"),
    Column("level", title="Level"),
    Column("submission", title="Submission"),
    Column("cutoff", "day", title="Our cutoff"),
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
    Column("before_difference", title="Resolved"),
    Column("clean_difference", title="Clean"),
    Column("change_difference", title="Change (points)"),
)


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """A printed cell and ours.

    Attributes:
        cell: As the paper prints it.
        row: The row of our leaderboard for the same submission, None where we have none.
        ours: Its comparison at the cell's level, None where there is none.
        adjusted: Whether ours has figures after contaminated samples are left out.
        reason: Why something is missing, None where nothing is.
    """

    cell: Cell
    row: LeaderboardRow | None
    ours: Comparison | None
    adjusted: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class ComparedTable:
    """All cells of one of the paper's tables, and how ours were made."""

    cells: tuple[ComparedCell, ...]
    notes: tuple[tuple[str, str], ...]


def compare_with_paper(
    database: Snapshot, data: Path, table: int, detector: str = "paper", threshold: float | None = None
) -> ComparedTable:
    """Set our figures beside each printed cell of one of Tables 6 to 9.

    Ours are those of the same submission at our own cutoff for its models.

    Args:
        database: The facts.
        data: Folder with the paper's cells.
        table: 6, 7, 8 or 9.
        detector: Key of the detector.
        threshold: Score from which a fix counts as present; the detector's own if left out.

    Raises:
        BenchCheckerError: If the paper's cells are not in `data`, or a key is not known.
    """
    behind = {row.row: row for row in read_rows(data) if row.table == table}
    boards = {
        benchmark: leaderboard(database, benchmark, detector, threshold)
        for benchmark in dict.fromkeys(row.benchmark for row in behind.values())
    }
    found = {
        (benchmark, row.submission.submission): row
        for benchmark, board in boards.items()
        for row in board.rows
    }
    cells = []
    for cell in read_cells(table, data):
        if cell.row not in behind:
            raise BenchCheckerError(f"row.csv: Table {table} has no row {cell.row!r} (add it)")
        row = behind[cell.row]
        cells.append(_compared(cell, found.get((row.benchmark, row.submission or ""))))
    made = [note for board in boards.values() for note in notes(board) if note[0] != "submissions"]
    return ComparedTable(tuple(cells), (("paper", f"Table {table}"), *made))


def _compared(cell: Cell, row: LeaderboardRow | None) -> ComparedCell:
    if row is None:
        return ComparedCell(cell, None, None, adjusted=False, reason=NO_SUBMISSION)
    ours = row.overall if cell.level == OVERALL else row.levels.get(cell.level)
    return ComparedCell(cell, row, ours, adjusted=row.reason is None, reason=row.reason)


def paper_table(compared: ComparedTable) -> Table:
    """Return every figure of a comparison, one row a printed cell.

    Differences are ours minus the paper's. Rates and changes are fractions; as in the paper, a change is 0
    where nothing was resolved before and after.
    """
    return from_records(COMPARED_COLUMNS, map(_record, compared.cells), compared.notes)


def printed_paper_table(compared: ComparedTable) -> Table:
    """Return a comparison in the paper's form: its cell, ours, and what differs."""
    return from_records(PRINTED_COLUMNS, map(_printed, compared.cells), compared.notes)


def _record(compared: ComparedCell) -> dict[str, Any]:
    cell, ours = compared.cell, compared.ours
    paper_before = Proportion(cell.before_resolved, cell.before_total)
    paper_clean = Proportion(cell.after_resolved, cell.after_total)
    before = ours.before if ours else None
    clean = ours.clean if ours and compared.adjusted else None
    change = relative_change_as_printed(before, clean) if before and clean else None
    submission = compared.row.submission if compared.row else None
    return {
        "table": cell.table,
        "row": cell.row,
        "level": cell.level,
        "submission": submission.submission if submission else None,
        "cutoff": submission.cutoff if submission else None,
        **_counts("", paper_before, before),
        **_counts("clean_", paper_clean, clean),
        **_beside("clean_rate", paper_clean.rate, clean.rate if clean else None),
        **_beside("relative_change", cell.relative_change_pct / 100, change),
        "unknown_total": ours.unknown.n if ours and clean else None,
        "reason": compared.reason,
    }


def _counts(prefix: str, paper: Proportion, ours: Proportion | None) -> dict[str, float | None]:
    return {
        **_beside(f"{prefix}resolved", paper.k, ours.k if ours else None),
        **_beside(f"{prefix}total", paper.n, ours.n if ours else None),
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
    change = record["relative_change_difference"]
    return {
        "row": cell.row,
        "level": cell.level,
        "paper": printed,
        "ours": _printed_ours(record),
        "before_difference": _printed_difference(record, ""),
        "clean_difference": _printed_difference(record, "clean_"),
        "change_difference": None if change is None else _signed(f"{100 * change:+.1f}"),
    }


def _printed_ours(record: dict[str, Any]) -> str:
    if record["resolved"] is None:
        return f"{record['reason']}"
    before = f"{record['resolved']}/{record['total']}"
    if record["clean_resolved"] is None:
        return f"{before} ({record['reason']})"
    if not record["clean_total"]:
        return f"{before} ({record['unknown_total']} unknown)"
    after = f"{record['clean_resolved']}/{record['clean_total']}"
    return before_after(before, after, record["relative_change"])


def _printed_difference(record: dict[str, Any], prefix: str) -> str | None:
    resolved, total = record[f"{prefix}resolved_difference"], record[f"{prefix}total_difference"]
    return None if resolved is None else _signed(f"{resolved:+d}/{total:+d}")


def _signed(text: str) -> str:
    return text.replace("-", "\N{MINUS SIGN}")
