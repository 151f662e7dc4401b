"""Loads fact files into an empty database, and says in words which row breaks which rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from engine.benchmarks.catalogue import benchmark_rows, difficulty_rows
from engine.models.registry import model_alias_rows, model_rows
from engine.problems import BenchCheckerError, InvalidInputError, Problem
from engine.store.detectors import detector_rows
from engine.store.facts import arrow_schema, key_columns, read_arrow
from engine.store.provenance import run_rows
from engine.store.schema import FACTS, FactTable, statements

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_NESTED_READERS: dict[str, Callable[[Path], list[dict[str, Any]]]] = {
    "benchmark": benchmark_rows,
    "difficulty": difficulty_rows,
    "model": model_rows,
    "model_alias": model_alias_rows,
    "detector": detector_rows,
    "run": run_rows,
}
_NESTED_FILES = {"difficulty": "benchmark.toml", "model_alias": "model.toml"}
_PROBLEMS_SHOWN = 20
_STAGED = "incoming"


def file_name(fact: FactTable) -> str:
    """Return the name of the file in `data/` that holds the rows of `fact`."""
    return _NESTED_FILES.get(fact.name, f"{fact.name}.{fact.suffix}")


def fact_rows(data: Path, fact: FactTable) -> pa.Table:
    """Read the rows of `fact` whatever the format of its file; a missing file has none.

    Raises:
        BenchCheckerError: If the file cannot be read or a value does not fit its type.
    """
    if fact.name not in _NESTED_READERS:
        return read_arrow(data, fact.name)
    rows = _NESTED_READERS[fact.name](data)
    try:
        return pa.Table.from_pylist(rows, schema=arrow_schema(fact))
    except pa.ArrowException as error:
        raise BenchCheckerError(f"{file_name(fact)}: {error} (compare with the other entries)") from error


def load_facts(connection: DuckDBPyConnection, data: Path) -> Iterator[tuple[FactTable, int]]:
    """Create the schema in an empty database and fill it, one table at a time in the order of the schema.

    Yields:
        Each table when it is loaded, with its number of rows.

    Raises:
        BenchCheckerError: If a file cannot be read.
        InvalidInputError: If rows break a constraint, with every such row of the first table that has any.
    """
    for statement in statements():
        connection.execute(statement)
    for fact in FACTS:
        rows = fact_rows(data, fact)
        connection.register(_STAGED, rows)
        try:
            connection.execute(f"INSERT INTO {fact.name} SELECT * FROM {_STAGED}")
        except duckdb.Error as error:
            found = violations(connection, fact)
            if not found:
                raise BenchCheckerError(f"{file_name(fact)}: {error}") from error
            raise InvalidInputError(found) from error
        finally:
            connection.unregister(_STAGED)
        yield fact, rows.num_rows


def violations(connection: DuckDBPyConnection, fact: FactTable) -> list[Problem]:
    """Return the staged rows that break a constraint of `fact`, at most 20 for each constraint."""
    constraints = connection.execute(
        """
        SELECT constraint_type, constraint_column_names, expression, referenced_table, referenced_column_names
        FROM duckdb_constraints() WHERE table_name = ? ORDER BY constraint_index
        """,
        [fact.name],
    ).fetchall()
    found = []
    for kind, columns, expression, parent, parent_columns in constraints:
        # Every table and column of the schema is a plain identifier, quoted because some are SQL words.
        names = ", ".join(f'"{column}"' for column in columns)
        match kind:
            case "NOT NULL":
                where = f"{names} IS NULL"
                message, remedy = f"{columns[0]} is empty", "fill it"
            case "CHECK":
                where = f"NOT ({expression})"
                message, remedy = (
                    "the values do not fit together or are not allowed",
                    f"required: {expression}",
                )
            case "FOREIGN KEY":
                parents = ", ".join(f'"{column}"' for column in parent_columns)
                filled = " AND ".join(f'"{column}" IS NOT NULL' for column in columns)
                where = f"{filled} AND ({names}) NOT IN (SELECT ({parents}) FROM {parent})"
                message = f"its {' and '.join(columns)} do not occur in {parent}"
                remedy = f"add the missing row to {_file_of(parent)} or remove this one"
            case "PRIMARY KEY" | "UNIQUE":
                where = f"({names}) IN (SELECT ({names}) FROM {_STAGED} GROUP BY {names} HAVING count(*) > 1)"
                message, remedy = f"another row has the same {' and '.join(columns)}", "remove one of them"
            case _:
                continue
        found += _rows_where(connection, fact, where, message, remedy)
    return found


def _rows_where(
    connection: DuckDBPyConnection, fact: FactTable, where: str, message: str, remedy: str
) -> list[Problem]:
    key = key_columns(fact)
    shown = ", ".join(f'"{column}"' for column in key)
    rows = connection.execute(
        f"SELECT row, {shown} FROM (SELECT row_number() OVER () AS row, * FROM {_STAGED}) WHERE {where} "
        f"ORDER BY row LIMIT {_PROBLEMS_SHOWN}"
    ).fetchall()
    return [
        Problem(
            file=file_name(fact),
            line=None,
            subject=f"row {row} ({', '.join(f'{k} {v}' for k, v in zip(key, values, strict=True))})",
            message=message,
            remedy=remedy,
        )
        for row, *values in rows
    ]


def _file_of(table_name: str) -> str:
    return next(file_name(fact) for fact in FACTS if fact.name == table_name)
