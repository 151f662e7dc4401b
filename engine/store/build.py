"""Builds the database from the facts in `data/` and swaps it in while readers may have the old one open."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from engine.problems import BenchCheckerError
from engine.store.connection import DatabaseError, read_meta
from engine.store.load import load_facts
from engine.store.locking import exclusive, flush_to_disk
from engine.store.provenance import data_sha256, installed_versions
from engine.store.schema import schema_version


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did.

    Attributes:
        database: The file in place now.
        data_sha256: Digest of the fact files it was built from.
        rows: Number of rows by table; empty when the database was already up to date.
        seconds: Time taken.
        rebuilt: False when the database was already up to date and was left alone.
    """

    database: Path
    data_sha256: str
    rows: Mapping[str, int]
    seconds: float
    rebuilt: bool


def build_database(
    data: Path, database: Path, *, force: bool = False, progress: Callable[[str], None] | None = None
) -> BuildReport:
    """Build `database` from the fact files in `data`.

    The new file is written beside the old one and renamed over it when it is complete: a reader sees the old
    database or the new one, and a build that is killed changes nothing. Two builds at once wait for one
    another.

    Args:
        data: Folder with the fact files; a missing file means an empty table.
        database: DuckDB file to create or replace.
        force: Build even if the database already holds these facts under this schema.
        progress: Called with a line for each table.

    Raises:
        BenchCheckerError: If `data` is not a folder, a fact file cannot be read, a row breaks a constraint
            (file, row and remedy named), the facts change while they are read, or the database cannot be
            written.
    """
    if not data.is_dir():
        raise BenchCheckerError(f"{data} is not a folder with facts (check --data)")
    try:
        return _build(data, database, force, progress or (lambda line: None))
    except OSError as error:
        raise BenchCheckerError(f"{database} cannot be built: {error} (check --database)") from error


def _build(data: Path, database: Path, force: bool, progress: Callable[[str], None]) -> BuildReport:
    started = time.monotonic()
    with exclusive(database.parent):
        digest = data_sha256(data)
        if not force and _is_current(database, digest):
            return BuildReport(database, digest, {}, time.monotonic() - started, rebuilt=False)
        # The name is fixed, so that the next build clears away what a killed one left.
        unfinished = database.with_name(f".unfinished.{database.name}")
        try:
            rows = _write(data, unfinished, digest, progress)
            if data_sha256(data) != digest:
                raise BenchCheckerError(f"the facts in {data} changed while they were read: build again")
            flush_to_disk(unfinished)
            _log_of(database).unlink(missing_ok=True)
            unfinished.replace(database)
            flush_to_disk(database.parent)
        finally:
            _remove(unfinished)
    return BuildReport(database, digest, rows, time.monotonic() - started, rebuilt=True)


def _write(data: Path, path: Path, digest: str, progress: Callable[[str], None]) -> dict[str, int]:
    _remove(path)
    rows = {}
    with duckdb.connect(path) as connection:
        for fact, count in load_facts(connection, data):
            rows[fact.name] = count
            progress(f"{fact.name}: {count:,} rows")
        connection.execute(
            "INSERT INTO meta VALUES (?, ?, ?, ?)",
            [schema_version(), digest, datetime.now(UTC), json.dumps(installed_versions())],
        )
    return rows


def _is_current(database: Path, digest: str) -> bool:
    try:
        meta = read_meta(database)
    except DatabaseError:
        return False
    return meta.data_sha256 == digest


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.wal")


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    _log_of(path).unlink(missing_ok=True)
