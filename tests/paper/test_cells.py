from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.cli.app import build_app
from engine.paper.cells import CELL_TABLES, Cell, misprints, read_cells, write_cells
from engine.paper.rows import read_rows
from engine.problems import BenchCheckerError

OVERALL = Cell(6, "A m", "A", "m", "", "overall", 3, 10, 1, 5, -33.3)
EASY = replace(
    OVERALL, level="easy", before_resolved=3, before_total=6, after_total=2, relative_change_pct=0.0
)
HARD = Cell(6, "A m", "A", "m", "", "hard", 0, 4, 0, 3, 0.0)
ROW = (OVERALL, EASY, HARD)


def test_cells_that_agree_are_no_misprints() -> None:
    assert misprints(ROW) == ()


@pytest.mark.parametrize(("printed", "fits"), [(-33.3, True), (-33.4, False), (-33.2, False), (33.3, False)])
def test_the_printed_change_follows_from_the_counts(printed: float, fits: bool) -> None:
    found = misprints((replace(OVERALL, relative_change_pct=printed), EASY, HARD))
    assert [problem.subject for problem in found] == ([] if fits else ["Table 6, A m, overall"])
    assert all("from 3/10, then 1/5 follows -33.3%" in problem.message for problem in found)


def test_nothing_to_lose_is_printed_as_zero() -> None:
    (problem,) = misprints((OVERALL, EASY, replace(HARD, relative_change_pct=-100.0)))
    assert "follows +0.0%" in problem.message


@pytest.mark.parametrize("column", ["before_resolved", "before_total", "after_resolved", "after_total"])
def test_the_levels_add_up(column: str) -> None:
    wrong = replace(HARD, **{column: getattr(HARD, column) + 1})
    assert any(
        problem.message.startswith(f"{column} of the levels") for problem in misprints((OVERALL, EASY, wrong))
    )


def test_a_row_without_an_overall_cell_is_reported() -> None:
    assert misprints((EASY, HARD))[0].message == "has no overall cell"


def test_rows_of_different_tables_are_kept_apart() -> None:
    assert misprints((*ROW, *(replace(cell, table=8) for cell in ROW))) == ()


def test_cells_are_read_as_written(tmp_path: Path) -> None:
    write_cells(6, ROW, tmp_path)
    assert read_cells(6, tmp_path) == ROW


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("row,framework", "row,frame", "columns are"),
        ("3,10", "three,10", "table6.csv:2"),
        (",-33.3", "", "table6.csv:2"),
    ],
)
def test_a_broken_file_is_named_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = write_cells(6, ROW, tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(BenchCheckerError, match=message):
        read_cells(6, tmp_path)


def test_missing_cells_are_named(tmp_path: Path) -> None:
    with pytest.raises(BenchCheckerError, match="no cells of the paper"):
        read_cells(6, tmp_path)


def test_the_check_command_lists_the_contradictions(tmp_path: Path) -> None:
    for table in CELL_TABLES:
        change = 7.0 if table == 8 else 0.0
        write_cells(
            table,
            [
                replace(cell, table=table)
                for cell in (OVERALL, replace(EASY, relative_change_pct=change), HARD)
            ],
            tmp_path,
        )
    result = CliRunner().invoke(build_app(), ["paper", "check", "--data", str(tmp_path)])
    assert result.exit_code == 0
    assert "Table 8, A m, easy: prints +7.0%" in result.stdout
    assert result.stdout.splitlines()[-1] == "12 cells, 1 contradictions"


ROWS = "table,row,benchmark,submission\n6,A m,b,s\n6,B m,b,\n"
MODELS = """table,row,model,registry_model,clean_total,implied_from,implied_to,note
6,A m,M,m,5,2024-04-30,2024-06-30,
6,B m,M,m,5,,,odd
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "paper").mkdir()
    (tmp_path / "paper" / "row.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "paper" / "model_cutoff.csv").write_text(MODELS, encoding="utf-8")
    return tmp_path


def test_rows_join_submission_and_implied_cutoff(folder: Path) -> None:
    first, second = read_rows(folder)
    assert (first.submission, first.implied_from, first.implied_to) == (
        "s",
        date(2024, 4, 30),
        date(2024, 6, 30),
    )
    assert (second.submission, second.implied_from, second.note) == (None, None, "odd")


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("row.csv", "6,A m", "6,C m", "model_cutoff.csv: Table 6, A m"),
        ("model_cutoff.csv", "6,B m,M,m,5,,,odd\n", "", r"row.csv: \[\('6', 'B m'\)\]"),
        ("model_cutoff.csv", "2024-04-30", "April", "model_cutoff.csv: Table 6, A m"),
        ("row.csv", "submission\n", "folder\n", "row.csv: columns are"),
    ],
)
def test_files_that_do_not_fit_each_other_are_named(
    folder: Path, name: str, old: str, new: str, message: str
) -> None:
    path = folder / "paper" / name
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(BenchCheckerError, match=message):
        read_rows(folder)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BenchCheckerError, match=r"row\.csv"):
        read_rows(tmp_path)
