"""Reads the paper's tables from its text in Markdown, so that no figure is copied by hand."""

from __future__ import annotations

import csv
import html
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.paper.cells import CELL_TABLES, OVERALL, Cell, write_cells
from engine.problems import BenchCheckerError
from engine.store.facts import replacing

_LEVELS = {
    "Overall": OVERALL,
    "< 15 min": "lt15m",
    "15 – 60 min": "15m_1h",
    "1 – 4 h": "1h_4h",
    "> 4 h": "gt4h",
    "Easy": "easy",
    "Medium": "medium",
    "Hard": "hard",
}
_CELL = re.compile(r"(\d+)/(\d+) \$\\rightarrow\$ (\d+)/(\d+) ?\$\\(downarrow|uparrow)\$ (\d+(?:\.\d+)?)%")
_MEASURES = {
    "Number of Repositories": ("repositories", None),
    "Number of Bug-Fixing Samples": ("samples", None),
    "Ratio of Repositories Present in The Stack v2": ("repositories_present_pct", None),
    # In brackets: patches that an earlier snapshot has and the last one has not (category 3 of Figure 1).
    "Ratio of Patches Present in The Stack v2": ("patches_present_pct", "patches_removed_earlier_pct"),
}
_STAGE = re.compile(r"Stage (I+): (.+)")

Rows = list[list[str]]


def read_table(text: str, number: int) -> Rows:
    """Return header and rows of the Markdown table under the caption `Table <number>:`.

    Raises:
        BenchCheckerError: If there is no such caption with a table under it.
    """
    lines = text.splitlines()
    starts = [n for n, line in enumerate(lines) if line.startswith(f"Table {number}:")]
    if len(starts) != 1:
        raise BenchCheckerError(f"Table {number}: {len(starts)} captions, expected one (check the file)")
    rows = []
    for line in lines[starts[0] + 1 :]:
        if line.startswith("|"):
            cells = [html.unescape(cell).strip() for cell in line.strip().strip("|").split("|")]
            if not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
                rows.append(cells)
        elif rows or line.strip():
            break
    if not rows:
        raise BenchCheckerError(f"Table {number}: no table follows the caption (check the file)")
    return rows


def transcribe_cells(text: str, number: int) -> tuple[Cell, ...]:
    """Return the cells of one of Tables 6 to 9.

    Raises:
        BenchCheckerError: If a column or a cell does not have the expected form.
    """
    (first, second, *columns), *rows = read_table(text, number)
    unknown = [column for column in columns if column not in _LEVELS]
    if unknown or second != "Model":
        raise BenchCheckerError(f"Table {number}: columns {unknown or second} are not expected")
    cells = []
    for who, model, *printed in rows:
        for column, value in zip(columns, printed, strict=True):
            match = _CELL.fullmatch(value)
            if match is None:
                raise BenchCheckerError(f"Table {number}, {who} {model}, {column}: cannot read {value!r}")
            dated = first == "Release Date"
            cells.append(
                Cell(
                    table=number,
                    row=f"{who} {model}",
                    framework="" if dated else who,
                    model=model,
                    release_month=who if dated else "",
                    level=_LEVELS[column],
                    before_resolved=int(match[1]),
                    before_total=int(match[2]),
                    after_resolved=int(match[3]),
                    after_total=int(match[4]),
                    relative_change_pct=_signed(match[5], match[6]),
                )
            )
    return tuple(cells)


def transcribe_statistics(text: str) -> Rows:
    """Return Table 1 as rows of benchmark, measure, value (counts, and percentages with suffix `_pct`).

    Raises:
        BenchCheckerError: If a measure or a value does not have the expected form.
    """
    (_, *benchmarks), *rows = read_table(text, 1)
    found = []
    for name, *values in rows:
        if name not in _MEASURES:
            raise BenchCheckerError(f"Table 1: the row {name!r} is not expected")
        for benchmark, value in zip(benchmarks, values, strict=True):
            numbers = re.findall(r"\d+(?:\.\d+)?", value)
            measures = [measure for measure in _MEASURES[name] if measure]
            if len(numbers) != len(measures):
                raise BenchCheckerError(f"Table 1, {benchmark}, {name}: cannot read {value!r}")
            found += [[benchmark, measure, n] for measure, n in zip(measures, numbers, strict=True)]
    return found


def transcribe_ablation(text: str) -> Rows:
    """Return Table 5 as rows of stage (I, II), variant, AUC, TPR, FPR."""
    header, *rows = read_table(text, 5)
    found, stage = [], ""
    for name, *values in [header, *rows]:
        if match := _STAGE.match(name):
            stage = match.group(1)
        else:
            found.append([stage, name, *values])
    return found


def transcribe(paper: Path, data: Path) -> Iterator[Path]:
    """Write Tables 1 and 5 to 9 of the paper to `data/paper/`, and yield each file.

    Raises:
        BenchCheckerError: If the paper cannot be read as expected.
    """
    try:
        text = paper.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BenchCheckerError(f"{paper}: {error} (give the paper's text as Markdown in UTF-8)") from error
    yield _write(data, "table1", ("benchmark", "measure", "value"), transcribe_statistics(text))
    yield _write(data, "table5", ("stage", "variant", "auc", "tpr", "fpr"), transcribe_ablation(text))
    for number in CELL_TABLES:
        yield write_cells(number, transcribe_cells(text, number), data)


def _signed(arrow: str, change: str) -> float:
    # Adding zero turns -0.0, a cell with nothing to lose, into 0.0.
    return (float(change) if arrow == "uparrow" else -float(change)) + 0.0


def _write(data: Path, name: str, header: Sequence[str], rows: Rows) -> Path:
    path = data / "paper" / f"{name}.csv"
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    return path
