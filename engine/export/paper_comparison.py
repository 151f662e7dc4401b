"""Our figures for each printed cell of the paper's Tables 6 to 9."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

import numpy as np

from engine.leaderboard.board import UNKNOWN_MODEL
from engine.leaderboard.matrix import labels_of
from engine.leaderboard.source import Submission, read_resolved, read_samples, read_submissions
from engine.paper.cells import OVERALL, Cell, read_cells
from engine.paper.rows import PaperRow, read_rows
from engine.problems import BenchCheckerError
from engine.statistics.arrays import Counts
from engine.statistics.cells import CLEAN, UNKNOWN, Cells, count_cells
from engine.statistics.proportions import Proportion
from engine.store.connection import Snapshot
from engine.store.labels import Exposure, choose_detector

Cutoffs = Literal["ours", "paper"]
NO_SUBMISSION = "its submission is not in the data"
NOT_IMPLIED = "the printed total does not tell the paper's cutoff"


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """A printed cell and ours.

    Attributes:
        cell: As the paper prints it.
        submission: The submission behind its row, None where we do not have its results.
        cutoff: The cutoff that ours is for, None where there is none.
        before: Resolved of all samples; None without results.
        clean: Resolved of the clean samples; None without results or cutoff.
        clean_total: Clean samples, also where there are no results; None without cutoff.
        unknown_total: Samples neither clean nor contaminated; None without cutoff.
        reason: Why something is missing, None where nothing is.
    """

    cell: Cell
    submission: str | None
    cutoff: date | None
    before: Proportion | None
    clean: Proportion | None
    clean_total: int | None
    unknown_total: int | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class ComparedTable:
    """All cells of one of the paper's tables, and how ours were made."""

    cells: tuple[ComparedCell, ...]
    notes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Line:
    """What ours of one row is made from."""

    submission: Submission | None
    exposure: Exposure | None
    reason: str | None


def compare_with_paper(
    database: Snapshot,
    data: Path,
    table: int,
    detector: str = "paper",
    threshold: float | None = None,
    *,
    cutoffs: Cutoffs = "ours",
) -> ComparedTable:
    """Set our figures beside each printed cell of one of Tables 6 to 9.

    Args:
        database: The facts.
        data: Folder with the paper's cells.
        table: 6, 7, 8 or 9.
        detector: Key of the detector.
        threshold: Score from which a fix counts as present; the detector's own if left out.
        cutoffs: `ours` takes the cutoff of the submission's models in our registry, or of the row's model
            where we do not have the submission. `paper` takes the one that the printed clean total implies,
            so that only the detectors differ.

    Raises:
        BenchCheckerError: If the paper's cells are not in `data`, or a key is not known.
    """
    key, minimum = choose_detector(database, detector, threshold)
    rows = [row for row in read_rows(data) if row.table == table]
    cells = read_cells(table, data)
    found: dict[tuple[str, str], ComparedCell] = {}
    for benchmark in dict.fromkeys(row.benchmark for row in rows):
        of_benchmark = [row for row in rows if row.benchmark == benchmark]
        found |= _compare(database, benchmark, of_benchmark, cells, (key, minimum), cutoffs)
    missing = [cell.row for cell in cells if (cell.row, cell.level) not in found]
    if missing:
        raise BenchCheckerError(f"row.csv: Table {table} has no row {missing[0]!r} (add it)")
    notes = (
        ("paper", f"Table {table}"),
        ("detector", key),
        ("threshold", f"{minimum:g}"),
        ("cutoffs", "of our registry" if cutoffs == "ours" else "implied by the paper's clean totals"),
        ("database", database.version),
    )
    return ComparedTable(tuple(found[cell.row, cell.level] for cell in cells), notes)


def _compare(
    database: Snapshot,
    benchmark: str,
    rows: Sequence[PaperRow],
    cells: Sequence[Cell],
    detector: tuple[str, float],
    cutoffs: Cutoffs,
) -> dict[tuple[str, str], ComparedCell]:
    """Compare the rows of one benchmark, by row and level."""
    samples = read_samples(database, benchmark)
    submissions = {entry.submission: entry for entry in read_submissions(database, benchmark)}
    registry = {row["model"]: row["cutoff"] for row in database.rows("SELECT model, cutoff FROM model")}
    lines = [_line(row, submissions, registry, cutoffs) for row in rows]
    behind = tuple(dict.fromkeys(line.submission for line in lines if line.submission is not None))
    outcomes = read_resolved(database, benchmark, behind, samples)
    resolved = np.zeros((len(lines), len(samples.samples)), dtype=np.bool_)
    for position, line in enumerate(lines):
        if line.submission is not None:
            resolved[position] = outcomes[behind.index(line.submission)]
    labels = labels_of(database, *detector, [line.exposure for line in lines], samples)
    counted = count_cells(resolved, labels, samples.difficulty, samples.levels)
    place = {row.row: position for position, row in enumerate(rows)}
    return {
        (cell.row, cell.level): _compared(cell, lines[place[cell.row]], counted, place[cell.row])
        for cell in cells
        if cell.row in place
    }


def _line(
    row: PaperRow, submissions: dict[str, Submission], registry: dict[str, date | None], cutoffs: Cutoffs
) -> _Line:
    found = submissions.get(row.submission or "")
    submission = found if found is not None and found.use_results else None
    reason = None if submission is not None else NO_SUBMISSION
    models = submission.models if submission is not None else (row.registry_model,)
    if cutoffs == "paper":
        cutoff, no_cutoff = row.implied_to, NOT_IMPLIED
    else:
        cutoff = submission.cutoff if submission is not None else registry.get(row.registry_model)
        no_cutoff = UNKNOWN_MODEL
    if cutoff is None:
        return _Line(submission, None, reason or no_cutoff)
    return _Line(submission, Exposure(cutoff, models), reason)


def _compared(cell: Cell, line: _Line, counted: Cells, position: int) -> ComparedCell:
    if cell.level == OVERALL:
        chosen = slice(None)
    elif cell.level in counted.levels:
        chosen = slice(counted.levels.index(cell.level), counted.levels.index(cell.level) + 1)
    else:
        raise BenchCheckerError(f"table{cell.table}.csv: {cell.row}: its benchmark has no level {cell.level}")

    def proportion(counts: Counts) -> Proportion:
        k, n = counts.k[position, ..., chosen, :], counts.n[position, ..., chosen, :]
        return Proportion(int(k.sum()), int(n.sum()))

    labelled, known = line.exposure is not None, line.submission is not None
    clean = proportion(counted.label(CLEAN))
    return ComparedCell(
        cell=cell,
        submission=line.submission.submission if line.submission is not None else None,
        cutoff=line.exposure.cutoff if line.exposure is not None else None,
        before=proportion(counted.counts) if known else None,
        clean=clean if known and labelled else None,
        clean_total=clean.n if labelled else None,
        unknown_total=proportion(counted.label(UNKNOWN)).n if labelled else None,
        reason=line.reason,
    )
