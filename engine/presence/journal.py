"""The journal of a long run: what is finished survives a kill at any moment.

One file of JSON lines, of a repository and detector. A line is written and synced when a group of samples is
finished; a line cut off by a kill is dropped when the file is read again. Entries are found by a key over
everything their content depends on, so that a changed patch, history or detector is judged anew and nothing
else is.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

Finished = TypeVar("Finished")

FORMAT = 2
"""Raised when blocks, landings or intervals are made differently."""


def key_of(*parts: str | int | None) -> str:
    """Return the key of an entry from everything it depends on."""
    return hashlib.sha256(json.dumps([FORMAT, *parts]).encode()).hexdigest()


class Journal(Generic[Finished]):
    """Finished pieces of work.

    Args:
        file: Where they are kept.
        to_json: Returns a piece as a mapping of JSON values, without the key `key`.
        from_json: Returns the piece that `to_json` wrote; raises KeyError, TypeError or ValueError for other
            values.
    """

    def __init__(
        self,
        file: Path,
        to_json: Callable[[Finished], dict[str, Any]],
        from_json: Callable[[dict[str, Any]], Finished],
    ) -> None:
        self._file = file
        self._to_json = to_json
        self._from_json = from_json
        self._entries = dict(self._read())

    def get(self, key: str) -> Finished | None:
        """Return the piece stored under `key`."""
        return self._entries.get(key)

    def add(self, finished: Mapping[str, Finished]) -> None:
        """Store pieces by key, durably, before returning."""
        if not finished:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps({"key": key, **self._to_json(piece)}) for key, piece in finished.items()]
        with self._file.open("a", encoding="utf-8") as stream:
            # A line that a kill cut off must not swallow the next one.
            stream.write("\n" + "\n".join(lines) + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        self._entries.update(finished)

    def _read(self) -> Iterable[tuple[str, Finished]]:
        if not self._file.exists():
            return
        with self._file.open(encoding="utf-8", errors="replace") as stream:
            for line in stream:
                try:
                    values = json.loads(line)
                    yield str(values["key"]), self._from_json(values)
                except (ValueError, KeyError, TypeError):
                    continue
