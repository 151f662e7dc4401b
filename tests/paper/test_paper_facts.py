"""What the paper prints, as it is kept: complete, and checked against itself and against our submissions."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable

import pytest

from engine.paper.cells import CELL_TABLES, OVERALL, Cell, misprints, read_cells
from engine.paper.rows import read_rows
from engine.paths import DATA_DIR
from engine.store.facts import read_facts


def cells(table: int, level: str) -> list[Cell]:
    return [cell for cell in read_cells(table, DATA_DIR) if cell.level == level]


def drops(table: int, level: str, models: str = "") -> list[float]:
    return [-cell.relative_change_pct for cell in cells(table, level) if cell.model.startswith(models)]


@pytest.mark.parametrize(("table", "rows", "levels"), [(6, 10, 5), (7, 10, 4), (8, 15, 5), (9, 11, 4)])
def test_every_row_has_every_level(table: int, rows: int, levels: int) -> None:
    found = Counter(cell.row for cell in read_cells(table, DATA_DIR))
    assert len(found) == rows
    assert set(found.values()) == {levels}


def test_the_known_contradictions_in_print_are_the_only_ones() -> None:
    found = misprints(cell for table in CELL_TABLES for cell in read_cells(table, DATA_DIR))
    assert [(problem.subject, problem.message) for problem in found] == [
        ("Table 8, 2024-09 OpenAI o1, overall", "after_total of the levels add up to 131, printed is 129"),
        (
            "Table 8, 2024-09 OpenAI o1, 1h_4h",
            "prints -33.7%; from 10/42, then 3/21 follows -40.0%",
        ),
        (
            "Table 8, 2024-11 Qwen2.5-Coder, overall",
            "after_total of the levels add up to 135, printed is 136",
        ),
    ]


def test_the_rows_are_those_of_the_tables() -> None:
    printed = {
        (table, cell.row): (cell.model, cell.after_total)
        for table in CELL_TABLES
        for cell in cells(table, OVERALL)
    }
    kept = {(row.table, row.row): (row.model, row.clean_total) for row in read_rows(DATA_DIR)}
    assert kept == printed


def test_a_clean_total_implies_one_cutoff() -> None:
    rows = [row for row in read_rows(DATA_DIR) if row.implied_from]
    assert {row.table for row in rows} == {6, 8}
    implied = {(row.clean_total, row.implied_from, row.implied_to) for row in rows}
    assert len(implied) == len({total for total, _, _ in implied})
    assert all(row.implied_to and row.implied_from <= row.implied_to for row in rows if row.implied_from)


def test_resolved_before_equals_ours_in_every_cell_with_a_submission() -> None:
    difficulty = {
        (row["benchmark"], row["sample"]): row["difficulty"] for row in read_facts(DATA_DIR, "membership")
    }
    ours: Counter[tuple[str, str]] = Counter()
    for row in read_facts(DATA_DIR, "result"):
        if row["outcome"] == "resolved":
            ours[row["submission"], OVERALL] += 1
            ours[row["submission"], difficulty[row["benchmark"], row["sample"]]] += 1
    sizes = Counter((benchmark, level) for (benchmark, _), level in difficulty.items())
    compared, different = 0, []
    behind = {(row.table, row.row): row for row in read_rows(DATA_DIR) if row.submission}
    for table in CELL_TABLES:
        for cell in read_cells(table, DATA_DIR):
            if row := behind.get((cell.table, cell.row)):
                size = (
                    sum(n for (benchmark, _), n in sizes.items() if benchmark == row.benchmark)
                    if cell.level == OVERALL
                    else sizes[row.benchmark, cell.level]
                )
                compared += 1
                counts = (ours[str(row.submission), cell.level], size)
                if counts != (cell.before_resolved, cell.before_total):
                    different.append((cell.table, cell.row, cell.level, counts))
    assert compared == 133
    assert different == []


FINDINGS: list[tuple[str, Callable[[], bool]]] = [
    ("1: all 15m_1h drops of Table 6 are below 10%", lambda: max(drops(6, "15m_1h")) < 10),
    ("1: medium drops of Table 7 are about 40% on average", lambda: 35 < sum(drops(7, "medium")) / 10 < 45),
    (
        "2: the greatest drops overall",
        lambda: (max(drops(7, OVERALL)), max(drops(6, OVERALL))) == (55.9, 11.8),
    ),
    ("3: seven submissions use Claude 4", lambda: len(drops(6, OVERALL, "Claude-4")) == 7),
    (
        "4: from 42.5% to 5.2% overall",
        lambda: (max(drops(8, OVERALL)), min(drops(8, OVERALL))) == (42.5, 5.2),
    ),
]
REFUTED: list[tuple[str, Callable[[], bool]]] = [
    ("1: all lt15m drops of Table 6 are below 10%", lambda: max(drops(6, "lt15m")) < 10),
    ("1: the least 1h_4h drop of Table 6 is printed as 20.0%", lambda: min(drops(6, "1h_4h")) > 20),
    (
        "3: Claude 4 drops by 8 to 11%",
        lambda: all(7.5 <= drop < 11.5 for drop in drops(6, OVERALL, "Claude-4")),
    ),
]


@pytest.mark.parametrize(("finding", "holds"), FINDINGS)
def test_findings_that_the_printed_cells_support(finding: str, holds: Callable[[], bool]) -> None:
    assert holds(), finding


@pytest.mark.parametrize(("finding", "holds"), REFUTED)
def test_findings_that_the_printed_cells_contradict(finding: str, holds: Callable[[], bool]) -> None:
    assert not holds(), finding


def test_the_findings_figures_are_kept_by_finding() -> None:
    with (DATA_DIR / "paper" / "finding.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert all(float(row["value"]) <= float(row["of"] or "inf") for row in rows)
    assert {int(row["finding"]) for row in rows} == {0, 1, 2, 3, 4, 6, 7, 8}
