"""The journal of a labelling run: what is finished survives a kill at any moment.

One file of JSON lines a repository and detector. A line is written and synced when a group of samples is
finished; a line cut off by a kill is dropped when the file is read again. Entries are found by a key over
everything their content depends on, so that a changed patch, history or detector is judged anew and nothing
else is.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from engine.presence.outcomes import Outcome, from_json, to_json

FORMAT = 1
"""Raised when blocks, landings or intervals are made differently."""


def key_of(*parts: str | int | None) -> str:
    """Return the key of an entry from everything it depends on."""
    return hashlib.sha256(json.dumps([FORMAT, *parts]).encode()).hexdigest()


class Journal:
    """Finished outcomes of one repository and detector.

    Args:
        file: Where they are kept.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._entries = _read(file)

    def get(self, key: str) -> Outcome | None:
        """Return the outcome stored under `key`."""
        return self._entries.get(key)

    def add(self, outcomes: Mapping[str, Outcome]) -> None:
        """Store outcomes by key, durably, before returning."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps({"key": key, **to_json(outcome)}) for key, outcome in outcomes.items()]
        with self._file.open("a", encoding="utf-8") as stream:
            # A line that a kill cut off must not swallow the next one.
            stream.write("\n" + "\n".join(lines) + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        self._entries.update(outcomes)


def _read(file: Path) -> dict[str, Outcome]:
    if not file.exists():
        return {}
    with file.open(encoding="utf-8", errors="replace") as stream:
        return dict(_entries(stream))


def _entries(lines: Iterable[str]) -> Iterable[tuple[str, Outcome]]:
    for line in lines:
        try:
            values = json.loads(line)
            yield values["key"], from_json(values)
        except (ValueError, KeyError, TypeError):
            continue
