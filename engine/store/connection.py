"""Reads the database: read-only, nothing outside it reachable, and aware of a new file taking its place."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd

from engine.problems import BenchCheckerError
from engine.store.schema import schema_version

Parameters = Sequence[Any] | Mapping[str, Any]
_CATALOG = "facts"
_REMEDY = "run `benchchecker build`"


class DatabaseError(BenchCheckerError):
    """The database cannot be read; the message says what to do about it."""


class DatabaseMissingError(DatabaseError):
    """There is no database yet."""


class SchemaMismatchError(DatabaseError):
    """The file is not a database of this version of BenchChecker."""


@dataclass(frozen=True, slots=True)
class Meta:
    """What a database was built from.

    Attributes:
        schema_version: Digest of the schema's statements.
        data_sha256: Digest of the fact files.
        built_at: When, UTC.
        versions: JSON object: version by package.
    """

    schema_version: str
    data_sha256: str
    built_at: datetime
    versions: str


@dataclass(frozen=True, slots=True)
class _Opened:
    connection: duckdb.DuckDBPyConnection
    file: tuple[int, int, int]
    meta: Meta


class Snapshot:
    """One state of the database: all its queries see the same facts, whatever is built meanwhile."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, meta: Meta) -> None:
        self._connection = connection
        self.meta = meta

    @property
    def version(self) -> str:
        """A token that changes whenever the database does: part of the key of every cache."""
        return f"{self.meta.schema_version}-{self.meta.data_sha256}"

    def query(self, sql: str, parameters: Parameters = ()) -> pd.DataFrame:
        """Run one query and return its rows."""
        with self._cursor() as cursor:
            return cursor.execute(sql, parameters).df()

    def rows(self, sql: str, parameters: Parameters = ()) -> list[dict[str, Any]]:
        """Run one query and return its rows as Python values (`date`, aware UTC `datetime`, None)."""
        with self._cursor() as cursor:
            found = cursor.execute(sql, parameters).fetchall()
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in found]

    def columns(self, sql: str, parameters: Parameters = ()) -> dict[str, Any]:
        """Run one query and return its columns as numpy arrays, for results of many rows."""
        with self._cursor() as cursor:
            return dict(cursor.execute(sql, parameters).fetchnumpy())

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        # A connection shared by threads returned rows of one query to another: one cursor for each call.
        cursor = self._connection.cursor()
        try:
            cursor.execute(f"USE {_CATALOG}")
            yield cursor
        finally:
            cursor.close()


class Reader:
    """A long-lived reader of one database file, to be shared by threads.

    It looks at the file before each call and opens it anew when a build has replaced it. Queries under way
    finish on the old one.
    """

    def __init__(self, database: Path) -> None:
        self.database = database
        self._lock = threading.Lock()
        self._opened: _Opened | None = None

    def snapshot(self) -> Snapshot:
        """Return the database as it is now, for several queries that belong together.

        Raises:
            DatabaseMissingError: If there is no database.
            SchemaMismatchError: If the file belongs to another version of BenchChecker.
        """
        with self._lock:
            if self._opened is None or self._opened.file != _identity(self.database):
                self._opened = _open(self.database)
            return Snapshot(self._opened.connection, self._opened.meta)

    def query(self, sql: str, parameters: Parameters = ()) -> pd.DataFrame:
        """Run one query on the database as it is now; raises as `snapshot` does."""
        return self.snapshot().query(sql, parameters)

    @property
    def meta(self) -> Meta:
        """What the database was built from; raises as `snapshot` does."""
        return self.snapshot().meta

    @property
    def version(self) -> str:
        """A token that changes whenever the database does; raises as `snapshot` does."""
        return self.snapshot().version


def read_meta(database: Path) -> Meta:
    """Return what `database` was built from; raises as `Reader.snapshot` does."""
    return Reader(database).meta


def _identity(database: Path) -> tuple[int, int, int]:
    try:
        status = database.stat()
    except OSError as error:
        raise DatabaseMissingError(f"there is no database at {database}: {_REMEDY}") from error
    return status.st_dev, status.st_ino, status.st_mtime_ns


def _open(database: Path) -> _Opened:
    while True:
        file = _identity(database)
        try:
            connection = _attach(database)
            meta = _meta_of(connection)
        except duckdb.Error as error:
            raise SchemaMismatchError(
                f"{database} is not a database of this version of BenchChecker: {_REMEDY}"
            ) from error
        # A build may have put a new file in place between the look at the old one and its opening.
        if file == _identity(database):
            break
    if meta.schema_version != schema_version():
        raise SchemaMismatchError(
            f"{database} has schema {meta.schema_version}, this version of BenchChecker reads "
            f"{schema_version()}: {_REMEDY}"
        )
    return _Opened(connection, file, meta)


def _attach(database: Path) -> duckdb.DuckDBPyConnection:
    # duckdb.connect(path) hands out the instance that this process already has for that path, even after the
    # file was replaced. Attaching it to an instance of our own reads the file that is there.
    connection = duckdb.connect(":memory:")
    path = str(database).replace("'", "''")
    connection.execute(f"ATTACH '{path}' AS {_CATALOG} (READ_ONLY)")
    connection.execute("SET GLOBAL TimeZone = 'UTC'")
    connection.execute("SET GLOBAL enable_external_access = false")
    connection.execute("SET GLOBAL lock_configuration = true")
    return connection


def _meta_of(connection: duckdb.DuckDBPyConnection) -> Meta:
    row = connection.execute(
        f"SELECT schema_version, data_sha256, built_at, versions FROM {_CATALOG}.meta"
    ).fetchone()
    if row is None:
        raise duckdb.InvalidInputException("the table meta is empty")
    return Meta(*row)
