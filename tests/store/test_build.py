from __future__ import annotations

import signal
import subprocess
import sys
import threading
from datetime import date
from pathlib import Path

import pytest
from tiny_facts import SAMPLES, row

from engine.problems import BenchCheckerError, InvalidInputError
from engine.store.build import build_database
from engine.store.connection import Reader
from engine.store.facts import read_facts, write_facts
from engine.store.schema import FACTS


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "b.duckdb"


def files_beside(path: Path) -> set[str]:
    return {entry.name for entry in path.parent.iterdir() if entry.is_file()}


def test_every_table_has_the_rows_of_its_file(tiny_data: Path, database: Path) -> None:
    report = build_database(tiny_data, database)
    reader = Reader(database)
    counts = {fact.name: reader.query(f"SELECT count(*) AS n FROM {fact.name}")["n"][0] for fact in FACTS}
    assert report.rebuilt
    assert report.rows == counts
    assert counts["difficulty"] == 2
    assert counts["model_alias"] == 3
    assert counts["result"] == 30
    assert counts["run"] == 1
    stored = reader.snapshot().rows("SELECT * FROM presence ORDER BY detector, sample, valid_from")
    assert stored == read_facts(tiny_data, "presence")
    assert reader.snapshot().rows("SELECT * FROM landing ORDER BY sample") == read_facts(tiny_data, "landing")


def test_nothing_is_left_beside_the_database(tiny_data: Path, database: Path) -> None:
    build_database(tiny_data, database)
    assert files_beside(database) == {"b.duckdb"}


def test_a_folder_with_only_the_catalogue_builds(tmp_path: Path, tiny_data: Path, database: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "benchmark.toml").write_bytes((tiny_data / "benchmark.toml").read_bytes())
    report = build_database(bare, database)
    assert {name for name, count in report.rows.items() if count} == {"benchmark", "difficulty"}


def test_same_facts_are_not_built_twice_unless_forced(tiny_data: Path, database: Path) -> None:
    build_database(tiny_data, database)
    inode = database.stat().st_ino
    assert not build_database(tiny_data, database).rebuilt
    assert database.stat().st_ino == inode
    assert build_database(tiny_data, database, force=True).rebuilt
    assert database.stat().st_ino != inode


def test_changed_facts_are_built(tiny_data: Path, database: Path) -> None:
    first = build_database(tiny_data, database)
    write_facts(
        tiny_data,
        "outside_result",
        [row("outside_result", benchmark="tiny", submission="sub-a", reported_id="x")],
    )
    second = build_database(tiny_data, database)
    assert second.rebuilt
    assert second.data_sha256 != first.data_sha256
    assert Reader(database).meta.data_sha256 == second.data_sha256


def test_a_file_that_is_no_database_is_replaced(tiny_data: Path, database: Path) -> None:
    database.write_bytes(b"not a database")
    assert build_database(tiny_data, database).rebuilt
    assert len(Reader(database).query("SELECT * FROM sample")) == len(SAMPLES)


def test_progress_names_every_table(tiny_data: Path, database: Path) -> None:
    lines: list[str] = []
    build_database(tiny_data, database, progress=lines.append)
    assert [line.split(":")[0] for line in lines] == [fact.name for fact in FACTS]
    assert "result: 30 rows" in lines


def test_missing_folder_names_the_option(tmp_path: Path, database: Path) -> None:
    with pytest.raises(BenchCheckerError, match="--data"):
        build_database(tmp_path / "nowhere", database)


def test_a_place_that_cannot_be_written_names_the_option(tiny_data: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for database in (tmp_path / "file" / "b.duckdb", tmp_path):
        with pytest.raises(BenchCheckerError, match="--database"):
            build_database(tiny_data, database)


def break_rows(data: Path, name: str, **values: object) -> None:
    """Overwrite columns of the last row of a fact file."""
    rows = read_facts(data, name)
    write_facts(data, name, [*rows[:-1], rows[-1] | values])


def test_a_foreign_key_is_named_with_both_files(tiny_data: Path, database: Path) -> None:
    break_rows(tiny_data, "membership", sample="nobody__knows-1")
    with pytest.raises(InvalidInputError) as caught:
        build_database(tiny_data, database)
    (problem,) = caught.value.problems
    assert problem.file == "membership.csv"
    assert "row 6" in problem.subject
    assert "nobody__knows-1" in problem.subject
    assert "do not occur in sample" in problem.message
    assert "sample.csv" in problem.remedy


def test_a_nested_parent_is_named_by_its_file(tiny_data: Path, database: Path) -> None:
    break_rows(tiny_data, "membership", difficulty="impossible")
    with pytest.raises(InvalidInputError, match=r"benchmark\.toml"):
        build_database(tiny_data, database)


def test_every_bad_row_of_a_table_is_named(tiny_data: Path, database: Path) -> None:
    rows = read_facts(tiny_data, "presence")
    rows[0] |= {"state": "guessed"}
    rows[2] |= {"valid_to": date(2000, 1, 1)}
    rows[3] |= {"score": 1.5}
    rows[4] |= {"reason": None}
    write_facts(tiny_data, "presence", rows)
    with pytest.raises(InvalidInputError) as caught:
        build_database(tiny_data, database)
    named = {problem.subject.split(" (")[0]: problem for problem in caught.value.problems}
    assert set(named) == {"row 1", "row 3", "row 4", "row 5"}
    assert "judged" in named["row 1"].remedy
    assert "valid_from <= valid_to" in named["row 3"].remedy
    assert "reason is empty" in named["row 5"].message


def test_a_duplicate_key_is_named(tiny_data: Path, database: Path) -> None:
    path = tiny_data / "repository.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines, lines[1]]), encoding="utf-8")
    with pytest.raises(InvalidInputError) as caught:
        build_database(tiny_data, database)
    assert [
        "row 1" in problem.subject or "row 3" in problem.subject for problem in caught.value.problems
    ] == [True, True]
    assert "another row has the same repository" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("sample.csv", "a__one-1,a/one,1,", "a__one-1,a/one,one,", "sample.csv:2: invalid literal"),
        ("sample.csv", "a__one-2,a/one,2,", "a__one-2,a/one,2", "sample.csv:3: 11 cells, expected 12"),
        ("sample.csv", "number", "nummer", "sample.csv: columns are"),
        ("submission.csv", "true", "yes", "neither true nor false"),
        ("landing.csv", "T12:00:00Z", "T12:00:00", "no time zone"),
        ("detector.toml", "threshold = 0.7", "threshold = 7", "detector.toml"),
        ("detector.toml", 'title = "Traced"', 'tilte = "Traced"', "tilte"),
        ("run.jsonl", '"command"', '"commando"', "run.jsonl:1"),
    ],
)
def test_a_bad_value_names_file_and_line(
    tiny_data: Path, database: Path, name: str, old: str, new: str, expected: str
) -> None:
    path = tiny_data / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(BenchCheckerError) as caught:
        build_database(tiny_data, database)
    assert expected in str(caught.value)
    assert files_beside(database) == set()


def test_bytes_that_are_not_utf8_name_the_file(tiny_data: Path, database: Path) -> None:
    path = tiny_data / "sample.csv"
    path.write_bytes(path.read_bytes().replace(b"a__one-1,", b"a__\xe9ne-1,"))
    with pytest.raises(BenchCheckerError, match=r"sample\.csv"):
        build_database(tiny_data, database)


def test_a_byte_order_mark_is_not_part_of_the_first_column(tiny_data: Path, database: Path) -> None:
    path = tiny_data / "sample.csv"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert build_database(tiny_data, database).rows["sample"] == len(SAMPLES)


def test_a_truncated_parquet_file_names_the_file(tiny_data: Path, database: Path) -> None:
    path = tiny_data / "result.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(BenchCheckerError, match=r"result\.parquet"):
        build_database(tiny_data, database)


def test_a_failed_build_leaves_the_old_database(tiny_data: Path, database: Path) -> None:
    build_database(tiny_data, database)
    before = database.read_bytes()
    break_rows(tiny_data, "membership", sample="nobody__knows-1")
    with pytest.raises(InvalidInputError):
        build_database(tiny_data, database)
    assert database.read_bytes() == before
    assert files_beside(database) == {"b.duckdb"}


def test_a_build_killed_at_any_table_loses_nothing(tiny_data: Path, database: Path) -> None:
    build_database(tiny_data, database)
    before = database.read_bytes()
    script = (
        "import sys, os, signal\n"
        "from pathlib import Path\n"
        "from engine.store.build import build_database\n"
        "def die(line):\n"
        "    if line.startswith(sys.argv[3] + ':'): os.kill(os.getpid(), signal.SIGKILL)\n"
        "build_database(Path(sys.argv[1]), Path(sys.argv[2]), force=True, progress=die)\n"
    )
    for name in ("benchmark", "run"):
        child = subprocess.run(
            [sys.executable, "-c", script, tiny_data, database, name], check=False, cwd=Path.cwd()
        )
        assert child.returncode == -signal.SIGKILL
        assert database.read_bytes() == before
        assert any(file.startswith(".unfinished") for file in files_beside(database))
    assert build_database(tiny_data, database, force=True).rebuilt
    assert files_beside(database) == {"b.duckdb"}


def test_readers_go_on_while_builds_replace_the_file(tiny_data: Path, database: Path) -> None:
    build_database(tiny_data, database)
    reader, stop, wrong = Reader(database), threading.Event(), []

    def read() -> None:
        while not stop.is_set():
            for table, count in (("sample", 6), ("result", 30), ("submission", 5)):
                got = len(reader.query(f"SELECT * FROM {table}"))
                if got != count:
                    wrong.append((table, got))

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        build_database(tiny_data, database, force=True)
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_second_build_waits_for_the_first(tiny_data: Path, database: Path) -> None:
    reports = []
    threads = [
        threading.Thread(target=lambda: reports.append(build_database(tiny_data, database))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(report.rebuilt for report in reports) == [False, False, True]
