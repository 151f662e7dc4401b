from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_facts import row

from engine.problems import BenchCheckerError
from engine.store.facts import (
    column_types,
    fact_path,
    key_columns,
    read_facts,
    replacing,
    table,
    write_facts,
)
from engine.store.schema import FACTS

# A carriage return or a line break within a cell is kept by the quotes around it; NUL has no place in CSV.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
days = st.dates(date(1990, 1, 1), date(2100, 1, 1))
instants = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)).map(  # noqa: DTZ001
    lambda instant: instant.replace(microsecond=0)
)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "VARCHAR": texts,
    "INTEGER": st.integers(-(2**31), 2**31 - 1),
    "DOUBLE": st.floats(allow_nan=False, allow_infinity=False),
    "BOOLEAN": st.booleans(),
    "DATE": days,
    "TIMESTAMPTZ": instants,
    "DOUBLE[]": st.lists(st.floats(0, 1), max_size=3),
}
STORED = [fact.name for fact in FACTS if fact.suffix in ("csv", "parquet")]


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, list[dict[str, Any]]]:
    name = draw(st.sampled_from(STORED))
    types, key = column_types(table(name)), key_columns(table(name))
    cells = {
        column: VALUES[kind] if column in key else st.none() | VALUES[kind] for column, kind in types.items()
    }
    rows = draw(
        st.lists(
            st.fixed_dictionaries(cells),
            max_size=4,
            unique_by=lambda entry: tuple(entry[column] for column in key),
        )
    )
    return name, rows


@given(drawn=tables())
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_come_back_as_they_were_in_the_order_of_the_key(
    tmp_path: Path, drawn: tuple[str, list[dict[str, Any]]]
) -> None:
    name, rows = drawn
    key = key_columns(table(name))
    write_facts(tmp_path, name, rows)
    assert read_facts(tmp_path, name) == sorted(
        rows, key=lambda entry: tuple(entry[column] for column in key)
    )


def test_writing_the_same_rows_in_any_order_gives_the_same_bytes(tmp_path: Path) -> None:
    rows = [row("outside_result", benchmark="b", submission="s", reported_id=f"i{n}") for n in (3, 1, 2)]
    first = write_facts(tmp_path, "outside_result", rows).read_bytes()
    assert write_facts(tmp_path, "outside_result", reversed(rows)).read_bytes() == first
    assert first.startswith(b"benchmark,submission,reported_id\nb,s,i1\n")


def test_instants_of_any_zone_are_written_as_utc(tmp_path: Path) -> None:
    landed = datetime(2024, 1, 1, 1, tzinfo=timezone(timedelta(hours=5)))
    entry = row("landing", sample="a__b-1", landed_commit="c", landed_at=landed, state="exact", evidence="e")
    path = write_facts(tmp_path, "landing", [entry])
    assert "2023-12-31T20:00:00Z" in path.read_text(encoding="utf-8")
    assert read_facts(tmp_path, "landing")[0]["landed_at"] == landed


def test_two_rows_with_one_key_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    entry = row("outside_result", benchmark="b", submission="s", reported_id="i")
    with pytest.raises(BenchCheckerError, match="two rows with key"):
        write_facts(tmp_path, "outside_result", [entry, dict(entry)])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", STORED)
def test_a_missing_file_has_no_rows(tmp_path: Path, name: str) -> None:
    assert read_facts(tmp_path, name) == []


def test_parquet_with_other_columns_is_refused(tmp_path: Path) -> None:
    write_facts(tmp_path, "presence", [])
    fact_path(tmp_path, "presence").rename(fact_path(tmp_path, "result"))
    with pytest.raises(BenchCheckerError, match=r"result\.parquet: columns are"):
        read_facts(tmp_path, "result")


def test_a_replacement_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("old", encoding="utf-8")

    def fail() -> None:
        with replacing(path) as temporary:
            temporary.write_text("half", encoding="utf-8")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_every_table_has_a_key_and_typed_columns() -> None:
    for fact in FACTS:
        assert set(key_columns(fact)) <= set(column_types(fact))
        assert set(column_types(fact).values()) <= {*VALUES, "JSON"}
