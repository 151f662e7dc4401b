"""Examines the facts and the database, and says what is wrong and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from engine.problems import BenchCheckerError, InvalidInputError, Problem, Severity
from engine.store.checks import CHECKS, Check
from engine.store.connection import DatabaseError, Reader
from engine.store.load import file_name, load_facts
from engine.store.provenance import RUNS_NAME, data_sha256, file_sha256, read_runs
from engine.store.schema import FACTS

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_RECORD = "run the command that makes it again"
_BUILD = "run `benchchecker build`"


def examine(data: Path, database: Path) -> tuple[Problem, ...]:
    """Examine the fact files of `data`, and `database` against them.

    The facts are loaded into memory with every constraint, then held to the rules of `checks`; the files are
    compared with the runs that made them, and every table of the database with its facts.

    Returns:
        Everything found, each with its remedy; empty when all is well. Facts that cannot be loaded are
        reported alone, because nothing else could be trusted.
    """
    import duckdb

    if not data.is_dir():
        return (Problem(str(data), None, "", "there is no such folder of facts", "check --data"),)
    with duckdb.connect(":memory:") as connection:
        try:
            for _ in load_facts(connection, data):
                pass
        except InvalidInputError as error:
            return error.problems
        except BenchCheckerError as error:
            return (Problem(data.name, None, "", str(error), "correct the file"),)
        return (
            *(problem for check in CHECKS for problem in broken(connection, check)),
            *_provenance(data),
            *_leftovers(data),
            *_database(connection, data, database),
        )


def broken(connection: DuckDBPyConnection, check: Check) -> Iterator[Problem]:
    """Yield the rows that break one rule."""
    for subject, message in connection.execute(
        f"SELECT subject, message FROM ({check.sql}) ORDER BY ALL"
    ).fetchall():
        yield Problem(check.file, None, subject, message, check.remedy)


def _provenance(data: Path) -> Iterator[Problem]:
    """Compare each file with the last run that wrote it."""
    recorded: dict[str, str] = {}
    for run in read_runs(data):
        recorded.update(run["outputs"])
    for name, digest in sorted(recorded.items()):
        path = data / name
        if not path.is_file():
            yield Problem(name, None, "", f"is missing, but {RUNS_NAME} says that it was written", _RECORD)
        elif file_sha256(path) != digest:
            yield Problem(name, None, "", f"is not the file that {RUNS_NAME} says was written last", _RECORD)
    for fact in FACTS:
        name = file_name(fact)
        made = fact.suffix in ("csv", "parquet")
        if made and (data / name).is_file() and name not in recorded:
            yield Problem(name, None, "", f"no run in {RUNS_NAME} made it", _RECORD)


def _leftovers(data: Path) -> Iterator[Problem]:
    for path in sorted(data.rglob(".*.tmp")):
        yield Problem(
            path.relative_to(data).as_posix(),
            None,
            "",
            "was left by a command that was killed; nothing reads it",
            "delete it",
            Severity.WARNING,
        )


def _database(facts: DuckDBPyConnection, data: Path, database: Path) -> Iterator[Problem]:
    try:
        built = Reader(database).snapshot()
    except DatabaseError as error:
        yield Problem(database.name, None, "", str(error), _BUILD)
        return
    if built.meta.data_sha256 != data_sha256(data):
        yield Problem(database.name, None, "", "was built from other facts than those in the folder", _BUILD)
        return
    for fact in FACTS:
        # An order-free digest of the rows: the same facts give the same one in any database.
        query = f"SELECT count(*), bit_xor(hash(fact)) FROM {fact.name} AS fact"
        expected = facts.execute(query).fetchone()
        found = tuple(built.rows(query)[0].values())
        if found != expected:
            message = f"its table {fact.name} does not hold the rows of {file_name(fact)}"
            yield Problem(database.name, None, "", message, f"{_BUILD} --force")
