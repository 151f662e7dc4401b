"""Figures that the paper prints outside Tables 5 to 9: Table 1, and the numbers in its findings."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from engine.paths import DATA_DIR
from engine.problems import BenchCheckerError

TABLE_1_CUTOFF = date(2023, 9, 30)
"""The cutoff of The Stack v2 ("September 2023", Section 5.1), which Table 1 is about."""

_STATISTIC_COLUMNS = ["benchmark", "measure", "value"]
_FINDING_COLUMNS = ["finding", "subject", "quantity", "value", "of", "unit"]


@dataclass(frozen=True, slots=True)
class PrintedFigure:
    """One number of a finding.

    Attributes:
        finding: Number of the finding; 0 for what is said before them.
        subject: What it is about.
        quantity: What was counted or measured.
        value: The number.
        of: What it was counted out of, None where it is no count.
        unit: Its unit.
    """

    finding: int
    subject: str
    quantity: str
    value: float
    of: int | None
    unit: str


def read_statistics(data: Path = DATA_DIR) -> dict[str, dict[str, float]]:
    """Read Table 1: value by measure, by the paper's name of the benchmark.

    Raises:
        BenchCheckerError: If the file is missing or a line cannot be read.
    """
    found: dict[str, dict[str, float]] = {}
    path = data / "paper" / "table1.csv"
    for number, line in _lines(path, _STATISTIC_COLUMNS):
        found.setdefault(line["benchmark"], {})[line["measure"]] = _number(path, number, line["value"])
    return found


def read_findings(data: Path = DATA_DIR) -> tuple[PrintedFigure, ...]:
    """Read the numbers in the findings, in the order of the paper.

    Raises:
        BenchCheckerError: If the file is missing or a line cannot be read.
    """
    path = data / "paper" / "finding.csv"
    return tuple(
        PrintedFigure(
            finding=int(_number(path, number, line["finding"])),
            subject=line["subject"],
            quantity=line["quantity"],
            value=_number(path, number, line["value"]),
            of=int(_number(path, number, line["of"])) if line["of"] else None,
            unit=line["unit"],
        )
        for number, line in _lines(path, _FINDING_COLUMNS)
    )


def _lines(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    if not path.is_file():
        raise BenchCheckerError(f"{path}: the paper's figures are not here (check --data)")
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        if reader.fieldnames != list(columns):
            raise BenchCheckerError(f"{path.name}: columns are {reader.fieldnames}, expected {list(columns)}")
        for line in reader:
            yield reader.line_num, line


def _number(path: Path, line: int, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise BenchCheckerError(f"{path.name}:{line}: {text!r} is no number (transcribe it again)") from error
