"""Vectors kept between runs, by model, revision and text.

One SQLite file for all models. Writes are transactions, so that a kill leaves the file as it was before or
after one; several processes may use it at once. It never holds more rows than it was given room for: the
longest unused go first. A file that is damaged is put aside and made anew, for everything in it can be
computed again.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from engine.presence.embedders import Embedder, Vectors

MAX_ROWS = 500_000
"""About 800 MB of vectors of 384 dimensions."""
_SECONDS = 30
_CHUNK = 500

_SCHEMA = """
    CREATE TABLE IF NOT EXISTS vector (
        key BLOB PRIMARY KEY,
        value BLOB NOT NULL,
        used INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS vector_used ON vector (used);
"""


class CachedEmbedder:
    """An embedder that computes each text once.

    Args:
        embedder: Computes what is not known yet.
        file: The cache; its folder is made when it is not there.
        max_rows: How many vectors are kept.
    """

    def __init__(self, embedder: Embedder, file: Path, max_rows: int = MAX_ROWS) -> None:
        self.name = embedder.name
        self.revision = embedder.revision
        self._embedder = embedder
        self._file = file
        self._max_rows = max_rows

    def encode(self, texts: list[str]) -> Vectors:
        """See `Embedder.encode`."""
        keys = [self._key(text) for text in texts]
        known = self._read(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            vectors = self._embedder.encode(list(missing.values()))
            computed = dict(zip(missing, vectors, strict=True))
            self._write({key: vector.tobytes() for key, vector in computed.items()})
            known.update(computed)
        if not texts:
            return np.empty((0, 0), dtype=np.float32)
        return np.stack([known[key] for key in keys])

    def _key(self, text: str) -> bytes:
        parts = (self.name, self.revision, text)
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, np.ndarray[tuple[int], np.dtype[np.float32]]]:
        found = {}
        distinct = list(dict.fromkeys(keys))
        with self._open() as connection:
            for start in range(0, len(distinct), _CHUNK):
                part = distinct[start : start + _CHUNK]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, value FROM vector WHERE key IN ({marks})"
                for key, value in connection.execute(query, part):
                    found[key] = np.frombuffer(value, dtype=np.float32)
                connection.execute(f"UPDATE vector SET used = ? WHERE key IN ({marks})", [_now(), *part])
        return found

    def _write(self, values: dict[bytes, bytes]) -> None:
        now = _now()
        rows = [(key, value, now) for key, value in values.items()]
        with self._open() as connection:
            connection.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", rows)
            (count,) = connection.execute("SELECT count(*) FROM vector").fetchone()
            if count > self._max_rows:
                connection.execute(
                    "DELETE FROM vector WHERE key IN (SELECT key FROM vector ORDER BY used, key LIMIT ?)",
                    [count - self._max_rows],
                )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open the cache for one transaction; put a damaged file aside first."""
        connection = self._connect()
        try:
            with connection:
                yield connection
        finally:
            connection.close()

    def _connect(self) -> sqlite3.Connection:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        try:
            return _prepared(self._file)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            self._file.replace(self._file.with_suffix(".damaged"))
            return _prepared(self._file)


def _prepared(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=_SECONDS)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(_SCHEMA)
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _now() -> int:
    return time.time_ns()
