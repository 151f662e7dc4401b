"""The cells of the paper's Tables 6 to 9: resolved before and after the contaminated samples are left out."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from engine.paths import DATA_DIR
from engine.problems import BenchCheckerError, Problem, Severity
from engine.statistics.proportions import Proportion, relative_change_as_printed
from engine.store.facts import replacing

CELL_TABLES = (6, 7, 8, 9)
OVERALL = "overall"

# Printed to one decimal place.
_ROUNDING = 0.05 + 1e-9


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of Tables 6 to 9, as printed.

    Attributes:
        table: Number of the table.
        row: Key of the row: framework and model (Tables 6, 7), or release month and model (8, 9).
        framework: Framework, or an empty string (8, 9).
        model: The paper's name of the model.
        release_month: `YYYY-MM` (8, 9), or an empty string.
        level: `overall`, or a difficulty of the benchmark.
        before_resolved: Samples resolved, of all.
        before_total: All samples.
        after_resolved: Samples resolved, of the clean ones.
        after_total: Clean samples.
        relative_change_pct: Printed change of the rate in percent, negative for a drop.
    """

    table: int
    row: str
    framework: str
    model: str
    release_month: str
    level: str
    before_resolved: int
    before_total: int
    after_resolved: int
    after_total: int
    relative_change_pct: float

    @property
    def recomputed_change_pct(self) -> float | None:
        """The change that follows from the printed counts, in percent."""
        before = Proportion(self.before_resolved, self.before_total)
        after = Proportion(self.after_resolved, self.after_total)
        change = relative_change_as_printed(before, after)
        return None if change is None else 100 * change


COLUMNS = tuple(field.name for field in fields(Cell))


def cells_path(data: Path, table: int) -> Path:
    """Return the file that holds the cells of `table`."""
    return data / "paper" / f"table{table}.csv"


def read_cells(table: int, data: Path = DATA_DIR) -> tuple[Cell, ...]:
    """Read the cells of one of Tables 6 to 9, in the order of the paper.

    Raises:
        BenchCheckerError: If the file is missing or a line cannot be read.
    """
    path = cells_path(data, table)
    if not path.is_file():
        raise BenchCheckerError(f"{path}: there are no cells of the paper here (check --data)")
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise BenchCheckerError(f"{path.name}: columns are {reader.fieldnames}, expected {list(COLUMNS)}")
        cells = []
        for line in reader:
            try:
                cells.append(_cell(line))
            except (TypeError, ValueError) as error:
                raise BenchCheckerError(f"{path.name}:{reader.line_num}: {error}") from error
    return tuple(cells)


def write_cells(table: int, cells: Iterable[Cell], data: Path = DATA_DIR) -> Path:
    """Write the cells of one table, atomically, and return its file."""
    path = cells_path(data, table)
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(cell) for cell in cells)
    return path


def misprints(cells: Iterable[Cell]) -> tuple[Problem, ...]:
    """Return where the printed cells contradict one another.

    The counts of a row's levels must add up to its overall counts, and the printed change must be the one
    that follows from the counts, to rounding.
    """
    rows: dict[tuple[int, str], list[Cell]] = defaultdict(list)
    for cell in cells:
        rows[cell.table, cell.row].append(cell)
    return tuple(problem for row in rows.values() for problem in (*_sums(row), *_changes(row)))


def _cell(line: dict[str, str]) -> Cell:
    return Cell(
        table=int(line["table"]),
        row=line["row"],
        framework=line["framework"],
        model=line["model"],
        release_month=line["release_month"],
        level=line["level"],
        before_resolved=int(line["before_resolved"]),
        before_total=int(line["before_total"]),
        after_resolved=int(line["after_resolved"]),
        after_total=int(line["after_total"]),
        relative_change_pct=float(line["relative_change_pct"]),
    )


def _sums(row: list[Cell]) -> Iterator[Problem]:
    overall = next((cell for cell in row if cell.level == OVERALL), None)
    if overall is None:
        yield _misprint(row[0], "has no overall cell")
        return
    for column in ("before_resolved", "before_total", "after_resolved", "after_total"):
        total = sum(getattr(cell, column) for cell in row if cell.level != OVERALL)
        if total != getattr(overall, column):
            message = f"{column} of the levels add up to {total}, printed is {getattr(overall, column)}"
            yield _misprint(overall, message)


def _changes(row: list[Cell]) -> Iterator[Problem]:
    for cell in row:
        change = cell.recomputed_change_pct
        if change is None or abs(change - cell.relative_change_pct) > _ROUNDING:
            follows = "nothing" if change is None else f"{change:+.1f}%"
            counts = (
                f"{cell.before_resolved}/{cell.before_total}, then {cell.after_resolved}/{cell.after_total}"
            )
            yield _misprint(cell, f"prints {cell.relative_change_pct:+.1f}%; from {counts} follows {follows}")


def _misprint(cell: Cell, message: str) -> Problem:
    return Problem(
        file=f"table{cell.table}.csv",
        line=None,
        subject=f"Table {cell.table}, {cell.row}, {cell.level}",
        message=message,
        remedy="compare with the paper; it is kept as printed",
        severity=Severity.WARNING,
    )
