from __future__ import annotations

import threading
from datetime import UTC, date, datetime
from pathlib import Path

import duckdb
import pytest
from tiny_facts import LANDED, row

from engine.store.build import build_database
from engine.store.connection import DatabaseMissingError, Reader, SchemaMismatchError, read_meta
from engine.store.facts import write_facts
from engine.store.schema import schema_version, statements


def test_a_missing_database_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(DatabaseMissingError, match="benchchecker build"):
        Reader(tmp_path / "none.duckdb").query("SELECT 1")


@pytest.mark.parametrize("content", [b"", b"not a database", b"\0" * 20_000])
def test_a_file_that_is_no_database_says_how_to_make_one(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.duckdb"
    path.write_bytes(content)
    with pytest.raises(SchemaMismatchError, match="benchchecker build"):
        Reader(path).query("SELECT 1")


def test_a_database_of_another_schema_says_so(tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    with duckdb.connect(path) as connection:
        for statement in statements():
            connection.execute(statement)
        connection.execute("INSERT INTO meta VALUES ('0123456789ab', 'x', now(), '{}')")
    with pytest.raises(SchemaMismatchError) as caught:
        Reader(path).query("SELECT 1")
    assert "0123456789ab" in str(caught.value)
    assert schema_version() in str(caught.value)
    assert "benchchecker build" in str(caught.value)


def test_a_database_without_meta_is_of_another_version(tmp_path: Path) -> None:
    path = tmp_path / "foreign.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE sample (x INTEGER)")
    with pytest.raises(SchemaMismatchError):
        read_meta(path)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('/etc/hosts')",
        "SELECT * FROM read_text('/etc/hosts')",
        "SELECT * FROM glob('/*')",
        "COPY sample TO '{folder}/out.csv'",
        "ATTACH '{folder}/other.duckdb'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "CREATE TABLE mine (x INTEGER)",
        "DELETE FROM result",
        "DROP TABLE result",
    ],
)
def test_nothing_outside_is_reached_and_nothing_is_written(
    tiny_reader: Reader, tmp_path: Path, statement: str
) -> None:
    with pytest.raises(duckdb.Error):
        tiny_reader.query(statement.format(folder=tmp_path))
    assert list(tmp_path.iterdir()) == []
    assert tiny_reader.query("SELECT count(*) AS n FROM result")["n"][0] == 30


def test_values_come_as_python_values(tiny_reader: Reader) -> None:
    (found,) = tiny_reader.snapshot().rows(
        "SELECT sample, landed_at, DATE '2024-01-31' AS day, NULL AS nothing FROM landing WHERE sample = ?",
        ["a__one-1"],
    )
    day = LANDED["a__one-1"]
    assert found == {
        "sample": "a__one-1",
        "landed_at": datetime(day.year, day.month, day.day, 12, tzinfo=UTC),
        "day": date(2024, 1, 31),
        "nothing": None,
    }


def test_parameters_are_values_and_never_sql(tiny_reader: Reader) -> None:
    hostile = "x' OR '1'='1"
    assert tiny_reader.query("SELECT * FROM sample WHERE sample = $id", {"id": hostile}).empty


def test_a_path_with_a_quote_opens(tiny_data: Path, tmp_path: Path) -> None:
    database = tmp_path / "it's a; name.duckdb"
    build_database(tiny_data, database)
    assert len(Reader(database).query("SELECT * FROM sample")) == 6


def add_outside_result(data: Path) -> None:
    extra = row("outside_result", benchmark="tiny", submission="sub-a", reported_id="<b>x</b>")
    write_facts(data, "outside_result", [extra])


def test_a_replaced_file_is_noticed_and_the_token_changes(tiny_data: Path, tmp_path: Path) -> None:
    database = tmp_path / "b.duckdb"
    build_database(tiny_data, database)
    reader, other = Reader(database), Reader(database)
    assert reader.query("SELECT * FROM outside_result").empty
    assert other.query("SELECT * FROM outside_result").empty
    token = reader.version
    add_outside_result(tiny_data)
    build_database(tiny_data, database)
    # `other` still holds the old file open: DuckDB would hand out that instance again for the same path.
    assert len(reader.query("SELECT * FROM outside_result")) == 1
    assert len(other.query("SELECT * FROM outside_result")) == 1
    assert reader.version != token


def test_a_snapshot_keeps_its_state(tiny_data: Path, tmp_path: Path) -> None:
    database = tmp_path / "b.duckdb"
    build_database(tiny_data, database)
    reader = Reader(database)
    before = reader.snapshot()
    add_outside_result(tiny_data)
    build_database(tiny_data, database)
    assert before.query("SELECT * FROM outside_result").empty
    assert len(reader.snapshot().query("SELECT * FROM outside_result")) == 1
    assert before.version != reader.version


def test_a_removed_file_is_noticed(tiny_data: Path, tmp_path: Path) -> None:
    database = tmp_path / "b.duckdb"
    build_database(tiny_data, database)
    reader = Reader(database)
    reader.query("SELECT 1")
    database.unlink()
    with pytest.raises(DatabaseMissingError):
        reader.query("SELECT 1")


def test_threads_get_the_rows_of_their_own_query(tiny_reader: Reader) -> None:
    wrong: list[tuple[int, list[int]]] = []

    def ask(number: int) -> None:
        for _ in range(50):
            got = tiny_reader.query("SELECT ? AS x FROM range(3)", [number])["x"].tolist()
            if got != [number] * 3:
                wrong.append((number, got))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
