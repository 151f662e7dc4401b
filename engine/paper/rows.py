"""The model and submission behind each row of Tables 6 to 9, and the cutoff its clean total implies."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from engine.paths import DATA_DIR
from engine.problems import BenchCheckerError

_ROW_COLUMNS = ["table", "row", "benchmark", "submission"]
_MODEL_COLUMNS = [
    "table",
    "row",
    "model",
    "registry_model",
    "clean_total",
    "implied_from",
    "implied_to",
    "note",
]


@dataclass(frozen=True, slots=True)
class PaperRow:
    """One row of Tables 6 to 9.

    Attributes:
        table: Number of the table.
        row: Key of the row, as in its cells.
        benchmark: Key of the benchmark.
        submission: Key of the submission whose "before" cells equal the row's, or None if we have none.
        model: The paper's name of the model.
        registry_model: Key of that model in our registry.
        clean_total: Printed number of clean samples.
        implied_from: First day of the cutoffs that give this total, or None if the total does not tell.
        implied_to: Last day of those.
        note: What is odd about the row, or an empty string.
    """

    table: int
    row: str
    benchmark: str
    submission: str | None
    model: str
    registry_model: str
    clean_total: int
    implied_from: date | None
    implied_to: date | None
    note: str


def read_rows(data: Path = DATA_DIR) -> tuple[PaperRow, ...]:
    """Read the rows of `data/paper/row.csv` and `model_cutoff.csv`, in the order of the paper.

    The implied cutoffs are the paper's and never flow into ours.

    Raises:
        BenchCheckerError: If a file is missing, a line cannot be read, or the two do not have the same rows.
    """
    folder = data / "paper"
    behind = {(line["table"], line["row"]): line for line in _lines(folder / "row.csv", _ROW_COLUMNS)}
    rows = []
    for line in _lines(folder / "model_cutoff.csv", _MODEL_COLUMNS):
        try:
            rows.append(_paper_row(line, behind.pop((line["table"], line["row"]))))
        except (KeyError, ValueError) as error:
            where = f"Table {line['table']}, {line['row']}"
            raise BenchCheckerError(f"model_cutoff.csv: {where}: {error} (compare with row.csv)") from error
    if behind:
        raise BenchCheckerError(f"row.csv: {sorted(behind)} are not in model_cutoff.csv (add them)")
    return tuple(rows)


def _lines(path: Path, columns: list[str]) -> Iterator[dict[str, str]]:
    if not path.is_file():
        raise BenchCheckerError(f"{path}: there are no rows of the paper here (check --data)")
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        if reader.fieldnames != columns:
            raise BenchCheckerError(f"{path.name}: columns are {reader.fieldnames}, expected {columns}")
        yield from reader


def _paper_row(line: dict[str, str], behind: dict[str, str]) -> PaperRow:
    return PaperRow(
        table=int(line["table"]),
        row=line["row"],
        benchmark=behind["benchmark"],
        submission=behind["submission"] or None,
        model=line["model"],
        registry_model=line["registry_model"],
        clean_total=int(line["clean_total"]),
        implied_from=_day(line["implied_from"]),
        implied_to=_day(line["implied_to"]),
        note=line["note"],
    )


def _day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None
