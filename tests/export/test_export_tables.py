from __future__ import annotations

import csv
import io
import json
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tiny_facts import SAMPLES
from typer.testing import CliRunner

from engine.cli.app import build_app
from engine.cli.options import read_day
from engine.export.labels import labels_table
from engine.export.leaderboard import (
    leaderboard_table,
    printed_change,
    printed_leaderboard,
    printed_ranking,
)
from engine.export.paper import paper_table, printed_paper_table
from engine.export.paper_comparison import compare_with_paper
from engine.export.table import Table
from engine.leaderboard.board import by_clean_rate, leaderboard
from engine.paper.cells import Cell, write_cells
from engine.paths import DATA_DIR
from engine.problems import BenchCheckerError
from engine.store.build import build_database
from engine.store.connection import Reader

CONTRACT = [
    "submission",
    "framework",
    "models",
    "cutoff",
    "resolved",
    "total",
    "clean_resolved",
    "clean_total",
    "rate",
    "clean_rate",
    "relative_change",
]
PER_LEVEL = [
    f"{name}_{level}"
    for level in ("easy", "hard")
    for name in ("resolved", "total", "clean_resolved", "clean_total")
]


def records(table: Table) -> list[dict[str, Any]]:
    return [dict(zip((column.name for column in table.columns), row, strict=True)) for row in table.rows]


def run(*arguments: object) -> Any:
    done = CliRunner().invoke(build_app(), [str(argument) for argument in arguments])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def run_csv(*arguments: object) -> list[dict[str, str]]:
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_the_leaderboard_has_the_columns_agreed_on(tiny_reader: Reader) -> None:
    table = leaderboard_table(leaderboard(tiny_reader.snapshot(), "tiny", "paper"))
    names = [column.name for column in table.columns]
    assert names[: len(CONTRACT)] == CONTRACT
    assert names[-len(PER_LEVEL) :] == PER_LEVEL


def test_every_figure_is_the_boards(tiny_reader: Reader) -> None:
    board = leaderboard(tiny_reader.snapshot(), "tiny", "paper")
    found = records(leaderboard_table(board))
    assert [record["submission"] for record in found] == [row.submission.submission for row in board.rows]
    first = next(record for record in found if record["submission"] == "sub-a")
    assert {name: first[name] for name in CONTRACT} == {
        "submission": "sub-a",
        "framework": "Agent & Co_1",
        "models": "old",
        "cutoff": date(2023, 12, 31),
        "resolved": 3,
        "total": 6,
        "clean_resolved": 1,
        "clean_total": 2,
        "rate": 0.5,
        "clean_rate": 0.5,
        "relative_change": 0.0,
    }
    assert [first[name] for name in PER_LEVEL] == [3, 4, 1, 1, 0, 2, 0, 1]
    assert (first["contaminated_resolved"], first["contaminated_total"], first["unknown_total"]) == (2, 2, 2)
    assert first["clean_rank"] == 2
    assert first["verdict"] == "insufficient evidence"


def test_what_is_not_known_is_empty_and_says_why(tiny_reader: Reader) -> None:
    found = {
        record["submission"]: record
        for record in records(leaderboard_table(leaderboard(tiny_reader.snapshot(), "tiny", "paper")))
    }
    strange, unused = found["sub-c"], found["sub-d"]
    assert (strange["resolved"], strange["total"], strange["rate"]) == (1, 6, 1 / 6)
    assert strange["reason"] == "unknown model"
    after = [
        name for name in strange if name.startswith(("clean_", "contaminated_", "unknown_", "difference"))
    ]
    assert after
    assert {strange[name] for name in [*after, "relative_change", "verdict", "p_value", "rank"]} == {None}
    assert (unused["resolved"], unused["total"], unused["reported_rate"]) == (None, None, 0.0)
    assert unused["reason"].startswith("results not used")


def test_a_restricted_leaderboard_has_no_columns_per_level(tiny_reader: Reader) -> None:
    board = leaderboard(tiny_reader.snapshot(), "tiny", "paper", difficulty="easy")
    names = [column.name for column in leaderboard_table(board).columns]
    assert not set(names) & set(PER_LEVEL)
    assert dict(leaderboard_table(board).notes)["difficulty"] == "easy"


def test_the_printed_leaderboard_has_the_papers_form(tiny_reader: Reader) -> None:
    board = leaderboard(tiny_reader.snapshot(), "tiny", "paper")
    table = printed_leaderboard(board, {"easy": "Easy", "hard": "Hard"})
    found = {record["submission"]: record for record in records(table)}
    assert [column.heading for column in table.columns] == [
        "Submission",
        "Models",
        "Cutoff",
        "Overall",
        "Easy",
        "Hard",
        "Unknown",
    ]
    assert found["sub-b (title)"]["overall"] == "5/6 → 2/2", "two clean samples are too few for a change"
    assert found["sub-e (title)"]["easy"] == "2/4 → 1/2"
    assert found["sub-a (title)"]["hard"] == "0/2 → 0/1"
    assert found["sub-c (title)"]["overall"] == "1/6"
    assert found["sub-d (title)"]["overall"] is None


def test_a_change_is_printed_where_there_are_samples_enough(tmp_path: Path) -> None:
    own = build_database(DATA_DIR, tmp_path / "own.duckdb").database
    board = leaderboard(Reader(own).snapshot(), "swe-bench-verified", "paper")
    best = next(row for row in board.rows if row.overall and row.reason is None)
    assert best.overall is not None
    k, n = best.overall.clean.k, best.overall.clean.n
    change = 100 * (k / n / (best.overall.before.k / best.overall.before.n) - 1)
    shown = f"{change:+.1f}%".replace("-", "−")
    assert printed_change(best.overall, None) == f"{best.overall.before.k}/500 → {k}/{n} ({shown})"


def test_the_ranking_has_places_rates_and_intervals(tiny_reader: Reader) -> None:
    board = leaderboard(tiny_reader.snapshot(), "tiny", "paper")
    found = {record["submission"]: record for record in records(printed_ranking(board))}
    first = found["sub-b (title)"]
    assert first["before"] == "83.3 [43.6–97.0]"
    assert (first["before_n"], first["after_n"]) == (6, 2)
    assert first["after"] == "100.0 [34.2–100.0]"
    assert first["rank"] == "1 → 1"
    assert found["sub-c (title)"]["verdict"] == "unknown model"
    assert found["sub-c (title)"]["after"] is None
    assert found["sub-d (title)"]["before"] is None


def test_by_clean_rate_puts_the_best_clean_ones_first(tiny_reader: Reader) -> None:
    rows = leaderboard(tiny_reader.snapshot(), "tiny", "paper").rows
    places = [row.rank_after.rank for row in by_clean_rate(rows) if row.rank_after]
    assert places == sorted(places)
    assert len(by_clean_rate(rows)) == len(rows)
    assert by_clean_rate(rows)[-1].rank_after is None


def test_labels_have_the_columns_agreed_on_and_every_sample(tiny_reader: Reader) -> None:
    table = labels_table(tiny_reader.snapshot(), "tiny", date(2025, 3, 31), "paper")
    names = [column.name for column in table.columns]
    assert names[:7] == ["sample", "label", "score", "method", "commit", "path", "reason"]
    found = {record["sample"]: record for record in records(table)}
    assert tuple(found) == SAMPLES
    assert found["a__one-2"] == {
        "sample": "a__one-2",
        "label": "clean",
        "score": 0.2,
        "method": "lines",
        "commit": "c" * 40,
        "path": "src/module.py",
        "reason": "replaced",
        "line": 7,
        "difficulty": "easy",
        "repository_verdict": "present",
        "repository_basis": "assumed",
    }
    assert found["b__two-3"]["label"] == "unknown"
    assert found["b__two-3"]["score"] is None
    assert dict(table.notes)["cutoff"] == "2025-03-31"


@pytest.fixture
def paper_folder(tmp_path: Path) -> Path:
    data = tmp_path / "facts"
    printed = {
        ("one", "overall"): (3, 6, 2, 3, 33.3),
        ("one", "easy"): (3, 4, 2, 2, 33.3),
        ("one", "hard"): (0, 2, 0, 1, 0.0),
        ("two", "overall"): (4, 6, 1, 2, -25.0),
    }
    cells = [
        Cell(6, row, "Agent", row, "", level, *counts)  # type: ignore[arg-type]
        for (row, level), counts in printed.items()
    ]
    write_cells(6, cells, data)
    (data / "paper" / "row.csv").write_text(
        "table,row,benchmark,submission\n6,one,tiny,sub-a\n6,two,tiny,\n", encoding="utf-8"
    )
    (data / "paper" / "model_cutoff.csv").write_text(
        "table,row,model,registry_model,clean_total,implied_from,implied_to,note\n"
        "6,one,One,old,3,2025-02-01,2025-03-31,\n6,two,Two,new,2,,,\n",
        encoding="utf-8",
    )
    return data


def test_our_cells_stand_beside_the_papers(tiny_reader: Reader, paper_folder: Path) -> None:
    compared = compare_with_paper(tiny_reader.snapshot(), paper_folder, 6)
    found = {(record["row"], record["level"]): record for record in records(paper_table(compared))}
    assert list(found) == [("one", "overall"), ("one", "easy"), ("one", "hard"), ("two", "overall")]
    overall = found["one", "overall"]
    assert (overall["paper_resolved"], overall["resolved"], overall["resolved_difference"]) == (3, 3, 0)
    assert (overall["paper_clean_total"], overall["clean_total"], overall["clean_total_difference"]) == (
        3,
        2,
        -1,
    )
    assert overall["clean_resolved_difference"] == -1
    assert overall["relative_change_difference"] == pytest.approx(0.0 - 0.333)
    assert overall["clean_rate_difference"] == pytest.approx(1 / 2 - 2 / 3)
    # As in the paper, 0/2 → 0/1 is a change of 0.
    assert found["one", "hard"]["relative_change"] == 0.0
    assert (overall["submission"], overall["cutoff"]) == ("sub-a", date(2023, 12, 31))


def test_labels_are_compared_even_where_there_are_no_results(tiny_reader: Reader, paper_folder: Path) -> None:
    table = paper_table(compare_with_paper(tiny_reader.snapshot(), paper_folder, 6))
    missing = next(record for record in records(table) if record["row"] == "two")
    assert (missing["paper_resolved"], missing["resolved"], missing["clean_resolved"]) == (4, None, None)
    assert (missing["cutoff"], missing["clean_total"], missing["unknown_total"]) == (date(2025, 3, 31), 2, 2)
    assert missing["clean_total_difference"] == 0
    assert missing["reason"] == "its submission is not in the data"


def test_the_papers_cutoffs_can_be_taken_instead(tiny_reader: Reader, paper_folder: Path) -> None:
    table = paper_table(compare_with_paper(tiny_reader.snapshot(), paper_folder, 6, cutoffs="paper"))
    found = {(record["row"], record["level"]): record for record in records(table)}
    first, second = found["one", "overall"], found["two", "overall"]
    assert (first["cutoff"], first["clean_resolved"], first["clean_total"]) == (date(2025, 3, 31), 2, 2)
    assert first["resolved"] == 3
    assert (second["cutoff"], second["clean_total"], second["unknown_total"]) == (None, None, None)
    assert dict(table.notes)["cutoffs"] == "implied by the paper's clean totals"


def test_unusable_results_are_not_compared(tiny_reader: Reader, paper_folder: Path) -> None:
    path = paper_folder / "paper" / "row.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("sub-a", "sub-d"), encoding="utf-8")
    first, *_ = records(paper_table(compare_with_paper(tiny_reader.snapshot(), paper_folder, 6)))
    assert (first["submission"], first["resolved"], first["clean_total"]) == (None, None, 2)


def test_a_level_that_the_benchmark_lacks_is_named(tiny_reader: Reader, paper_folder: Path) -> None:
    path = paper_folder / "paper" / "table6.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("hard", "cruel"), encoding="utf-8")
    with pytest.raises(BenchCheckerError, match="no level cruel"):
        compare_with_paper(tiny_reader.snapshot(), paper_folder, 6)


def test_a_row_without_a_benchmark_is_named(tiny_reader: Reader, paper_folder: Path) -> None:
    path = paper_folder / "paper" / "table6.csv"
    path.write_text(path.read_text(encoding="utf-8") + "6,three,A,M,,overall,1,6,1,2,0.0\n", encoding="utf-8")
    with pytest.raises(BenchCheckerError, match="no row 'three'"):
        compare_with_paper(tiny_reader.snapshot(), paper_folder, 6)


def test_the_printed_comparison_has_the_papers_form(tiny_reader: Reader, paper_folder: Path) -> None:
    compared = compare_with_paper(tiny_reader.snapshot(), paper_folder, 6)
    first, *_, last = records(printed_paper_table(compared))
    assert first == {
        "row": "one",
        "level": "overall",
        "paper": "3/6 → 2/3 (+33.3%)",
        "ours": "3/6 → 1/2 (+0.0%)",
        "resolved": "+0",
        "clean_resolved": "−1",
        "clean_total": "−1",
        "change": "−33.3",
    }
    assert last["ours"] == "2 clean; its submission is not in the data"
    assert (last["clean_resolved"], last["clean_total"]) == (None, "+0")


def test_a_table_without_cells_says_where_they_should_be(tiny_reader: Reader, paper_folder: Path) -> None:
    with pytest.raises(BenchCheckerError, match="--data"):
        compare_with_paper(tiny_reader.snapshot(), paper_folder, 7)


def test_the_command_writes_csv_to_standard_output(tiny_database: Path) -> None:
    found = run_csv("export", "leaderboard", "-b", "tiny", "-d", "paper", "--database", tiny_database)
    assert [row["submission"] for row in found] == ["sub-b", "sub-a", "sub-e", "sub-c", "sub-d"]
    assert found[0]["clean_rate"] == "1.0"
    assert found[3]["clean_rate"] == ""


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--top", 2], ["sub-b", "sub-a"]),
        (["--framework", "Agent & Co_1"], ["sub-a"]),
        (["--model", "new", "--model", "mystery"], ["sub-b", "sub-e", "sub-c"]),
        (["--open-weights"], ["sub-b"]),
        (["--no-open-weights"], ["sub-a", "sub-e", "sub-c", "sub-d"]),
        (["--submitted-from", "2026-02-01", "--submitted-to", "2026-03"], ["sub-b", "sub-c"]),
    ],
)
def test_the_command_filters(tiny_database: Path, options: list[object], expected: list[str]) -> None:
    found = run_csv("export", "leaderboard", "-b", "tiny", "--database", tiny_database, *options)
    assert [row["submission"] for row in found] == expected


def test_the_command_takes_a_threshold_and_a_level(tiny_database: Path) -> None:
    common = ("export", "leaderboard", "-b", "tiny", "-d", "paper", "--database", tiny_database)
    assert run_csv(*common, "-t", 0.6)[0]["clean_total"] == "1"
    assert run_csv(*common, "--difficulty", "hard")[0]["total"] == "2"


@pytest.mark.parametrize("form", ["csv", "json", "latex", "parquet", "markdown"])
def test_the_command_writes_every_format_to_a_file(tiny_database: Path, tmp_path: Path, form: str) -> None:
    output = tmp_path / "out" / "board"
    done = run(
        "export",
        "leaderboard",
        "-b",
        "tiny",
        "-d",
        "paper",
        "--database",
        tiny_database,
        "-f",
        form,
        "-o",
        output,
    )
    assert done.exit_code == 0
    assert done.stdout == ""
    assert [entry.name for entry in output.parent.iterdir()] == ["board"]
    content = output.read_bytes()
    match form:
        case "parquet":
            assert pq.read_table(output).column("submission").to_pylist()[0] == "sub-b"
        case "json":
            assert json.loads(content)[0]["cutoff"] == "2025-03-31"
        case "latex":
            assert b"\\toprule" in content
            assert "5/6 {\\textrightarrow} 2/2" in content.decode()
        case "markdown":
            assert "5/6 → 2/2" in content.decode()
        case _:
            assert b"Agent & Co_1" in content


def test_the_command_exports_labels(tiny_database: Path) -> None:
    common = ("export", "labels", "-b", "tiny", "-d", "paper", "--database", tiny_database)
    at_day = run_csv(*common, "--cutoff", "2025-03-31")
    assert at_day == run_csv(*common, "--cutoff", "2025-03")
    assert {row["sample"]: row["label"] for row in at_day}["a__one-2"] == "clean"
    assert len(at_day) == 6


def test_the_command_exports_the_papers_tables(tiny_database: Path, paper_folder: Path) -> None:
    found = run_csv("export", "table", "--paper", 6, "--database", tiny_database, "--data", paper_folder)
    assert [row["paper_clean_total"] for row in found] == ["3", "2", "1", "2"]
    assert [row["clean_total"] for row in found] == ["2", "1", "1", "2"]
    assert run("export", "table", "--paper", 5, "--database", tiny_database).exit_code == 2


def test_a_missing_database_is_a_message_and_not_a_trace(tmp_path: Path) -> None:
    with pytest.raises(BenchCheckerError, match="benchchecker build"):
        run("export", "leaderboard", "-b", "tiny", "--database", tmp_path / "none.duckdb")


def test_an_output_that_cannot_be_written_names_the_option(tiny_database: Path, tmp_path: Path) -> None:
    with pytest.raises(BenchCheckerError, match="--output"):
        run("export", "leaderboard", "-b", "tiny", "--database", tiny_database, "-o", tmp_path)


def test_a_month_means_its_last_day() -> None:
    assert read_day("2024-02") == date(2024, 2, 29)
    assert read_day("2024-02-03") == date(2024, 2, 3)


@pytest.mark.parametrize("text", ["", "2024", "2024-13", "2024-02-30", "yesterday", "2024-2-1", "20-2024"])
def test_a_bad_day_is_refused(tiny_database: Path, text: str) -> None:
    done = run("export", "labels", "-b", "tiny", "--cutoff", text, "--database", tiny_database)
    assert done.exit_code == 2
    assert "2025-03-31" in done.output
