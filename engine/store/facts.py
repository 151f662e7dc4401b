"""Reads and writes the fact files in `data/`.

A CSV or Parquet fact file has the columns of its table in the order of the schema and its rows in the order
of the primary key, so that a change shows as a small difference. Files are replaced atomically: a reader sees
the old file or the new one, and a killed writer loses nothing.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from engine.problems import BenchCheckerError
from engine.store.schema import FACTS, FactTable

Fact = Mapping[str, Any]

_ARROW_TYPES = {
    "VARCHAR": pa.string(),
    "DATE": pa.date32(),
    "INTEGER": pa.int32(),
    "DOUBLE": pa.float64(),
    "BOOLEAN": pa.bool_(),
    "TIMESTAMPTZ": pa.timestamp("us", tz="UTC"),
    "DOUBLE[]": pa.list_(pa.float64()),
    "JSON": pa.string(),
}


def table(name: str) -> FactTable:
    """Return the fact table called `name`.

    Raises:
        KeyError: If the schema has no such table.
    """
    return {fact.name: fact for fact in FACTS}[name]


def column_types(fact: FactTable) -> dict[str, str]:
    """Return the SQL type of each column of `fact`, in the order of the schema."""
    return dict(re.findall(r"^\s*([a-z_0-9]+) ([A-Z]+(?:\[\])?)", fact.ddl, flags=re.MULTILINE))


def key_columns(fact: FactTable) -> tuple[str, ...]:
    """Return the primary key of `fact`."""
    composite = re.search(r"^\s*PRIMARY KEY \(([^)]*)\)", fact.ddl, flags=re.MULTILINE)
    if composite:
        return tuple(column.strip() for column in composite.group(1).split(","))
    single = re.search(r"^\s*(\w+) \w+ PRIMARY KEY", fact.ddl, flags=re.MULTILINE)
    if single is None:
        raise AssertionError(f"table {fact.name} has no primary key")
    return (single.group(1),)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it over `path` when the block ends without an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def fact_path(data: Path, name: str) -> Path:
    """Return the file that holds table `name`."""
    return data / f"{name}.{table(name).suffix}"


def read_facts(data: Path, name: str) -> list[dict[str, Any]]:
    """Read the rows of a CSV or Parquet fact file; a missing file has no rows.

    Values have the Python type of their column (`date`, aware UTC `datetime`, `bool`, `int`, `float`, `str`,
    `list[float]`), None where empty.

    Raises:
        BenchCheckerError: If the columns are not those of the schema or a value does not fit its type.
    """
    fact, path = table(name), fact_path(data, name)
    if not path.exists():
        return []
    if fact.suffix == "parquet":
        return list(read_arrow(data, name).to_pylist())
    return list(_csv_rows(path, column_types(fact)))


def read_arrow(data: Path, name: str) -> pa.Table:
    """Read the same rows as `read_facts`, as an Arrow table with the types of the schema.

    Raises:
        BenchCheckerError: If the columns are not those of the schema or a value does not fit its type.
    """
    fact, path = table(name), fact_path(data, name)
    schema = arrow_schema(fact)
    if fact.suffix != "parquet" or not path.exists():
        return pa.Table.from_pylist(read_facts(data, name), schema=schema)
    try:
        found = pq.read_table(path)
        if found.column_names != schema.names:
            raise BenchCheckerError(f"{path.name}: columns are {found.column_names}, expected {schema.names}")
        return found.cast(schema)
    except (pa.ArrowException, OSError) as error:
        raise BenchCheckerError(f"{path.name}: {error} (write it again with its command)") from error


def arrow_schema(fact: FactTable) -> pa.Schema:
    """Return the Arrow schema of the rows of `fact`."""
    return pa.schema([(column, _ARROW_TYPES[kind]) for column, kind in column_types(fact).items()])


def write_facts(data: Path, name: str, rows: Iterable[Fact]) -> Path:
    """Write `rows` as the fact file of table `name`, sorted by primary key, atomically.

    Raises:
        BenchCheckerError: If two rows have the same key.
    """
    fact, path = table(name), fact_path(data, name)
    types, key = column_types(fact), key_columns(fact)
    ordered = sorted(rows, key=lambda row: tuple(row[column] for column in key))
    for before, after in pairwise(ordered):
        if all(before[column] == after[column] for column in key):
            raise BenchCheckerError(f"{path.name}: two rows with key {[after[column] for column in key]}")
    with replacing(path) as temporary:
        if fact.suffix == "parquet":
            arrays = {column: [row.get(column) for row in ordered] for column in types}
            pq.write_table(pa.table(arrays, schema=arrow_schema(fact)), temporary, compression="zstd")
        else:
            with temporary.open("w", encoding="utf-8", newline="") as stream:
                writer = csv.writer(_UnixLines(stream), lineterminator="\r\n")
                writer.writerow(types)
                for row in ordered:
                    writer.writerow([_format(row.get(column)) for column in types])
    return path


class _UnixLines:
    """Ends each line that a CSV writer hands over by a line feed alone.

    The writer itself must be told to end it by a carriage return too: only then does it quote one within a
    cell, which would otherwise end the row.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, line: str) -> int:
        return self._stream.write(line.removesuffix("\r\n") + "\n")


def _csv_rows(path: Path, types: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    # utf-8-sig: a spreadsheet that saved the file may have put a byte order mark before the first column.
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.reader(stream, strict=True)
        try:
            header = next(reader, [])
            if header != list(types):
                raise BenchCheckerError(f"{path.name}: columns are {header}, expected {list(types)}")
            for cells in reader:
                if len(cells) != len(header):
                    raise ValueError(f"{len(cells)} cells, expected {len(header)}")
                pairs = zip(types.items(), cells, strict=True)
                yield {column: _parse(cell, kind) for (column, kind), cell in pairs}
        except (ValueError, csv.Error) as error:
            raise BenchCheckerError(f"{path.name}:{reader.line_num}: {error}") from error


def _parse(text: str, kind: str) -> Any:
    if text == "":
        return None
    match kind:
        case "INTEGER":
            return int(text)
        case "DOUBLE":
            return float(text)
        case "BOOLEAN":
            if text not in ("true", "false"):
                raise ValueError(f"{text!r} is neither true nor false")
            return text == "true"
        case "DATE":
            return date.fromisoformat(text)
        case "TIMESTAMPTZ":
            instant = datetime.fromisoformat(text)
            if instant.tzinfo is None:
                raise ValueError(f"{text!r} names no time zone: end it with Z")
            return instant.astimezone(UTC)
        case _:
            return text


def _format(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case datetime():
            return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        case date():
            return value.isoformat()
        case _:
            return str(value)
