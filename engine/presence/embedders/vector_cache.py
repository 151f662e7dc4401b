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
from functools import cached_property
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
    """An embedder that computes each text once. An instance belongs to one thread.

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
        self._used: set[bytes] = set()

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
        for marks, part in _parts(list(dict.fromkeys(keys))):
            query = f"SELECT key, value FROM vector WHERE key IN ({marks})"
            for key, value in self._connection.execute(query, part):
                found[key] = np.frombuffer(value, dtype=np.float32)
        # Written down with the next vectors: reading alone writes nothing.
        self._used.update(found)
        return found

    def _write(self, values: dict[bytes, bytes]) -> None:
        now = time.time_ns()
        rows = [(key, value, now) for key, value in values.items()]
        with self._connection as connection:
            for marks, part in _parts(list(self._used)):
                connection.execute(f"UPDATE vector SET used = ? WHERE key IN ({marks})", [now, *part])
            connection.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", rows)
            (count,) = connection.execute("SELECT count(*) FROM vector").fetchone()
            if count > self._max_rows:
                connection.execute(
                    "DELETE FROM vector WHERE key IN (SELECT key FROM vector ORDER BY used, key LIMIT ?)",
                    [count - self._max_rows],
                )
        self._used.clear()

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        """The open cache; a damaged file is put aside first."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        try:
            return _prepared(self._file)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            self._file.replace(self._file.with_suffix(".damaged"))
            return _prepared(self._file)


def _parts(keys: list[bytes]) -> Iterator[tuple[str, list[bytes]]]:
    """Yield keys in parts that a statement can take, with a placeholder for each."""
    for start in range(0, len(keys), _CHUNK):
        part = keys[start : start + _CHUNK]
        yield ",".join("?" * len(part)), part


def _prepared(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=_SECONDS)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        # A power cut can lose the last vectors, never damage the file.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.executescript(_SCHEMA)
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection
