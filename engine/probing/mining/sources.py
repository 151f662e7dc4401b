"""The source texts that a repository is mined from."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path, PurePosixPath

from engine.history.errors import BlobUnavailable
from engine.history.repository import RepositoryHistory
from engine.patches.encoding import as_utf8
from engine.patches.syntax import language_of

MAX_BYTES = 400_000
"""Larger files are generated or hold data: no model reads them whole."""

_FOREIGN = frozenset(
    {"_vendor", "vendor", "vendored", "third_party", "thirdparty", "node_modules", "site-packages", "extern"}
)


def is_own_source(path: str) -> bool:
    """Whether a path is Python or Java source that was not copied in from another project."""
    return language_of(path) is not None and _FOREIGN.isdisjoint(PurePosixPath(path).parts)


def snapshot_texts(history: RepositoryHistory, day: date | None = None) -> dict[str, str]:
    """Return the own sources of the snapshot at the end of a day, by path; None takes the last commit.

    Files above `MAX_BYTES` and blobs absent from a partial mirror are left out.

    Raises:
        DayBeforeHistory: If no commit is that old.
        DayAfterHistory: If the head is older.
    """
    commit = history.chain.head if day is None else history.chain.snapshot_at(day)
    return dict(iterate_texts(history, commit.position))


def iterate_texts(history: RepositoryHistory, position: int) -> Iterator[tuple[str, str]]:
    """Yield path and text of each own source after the commit at `position`, one at a time."""
    for path, blob in sorted(history.tree(position).items()):
        if not is_own_source(path):
            continue
        try:
            content = history.read(blob)
        except BlobUnavailable:
            continue
        if len(content) <= MAX_BYTES:
            yield path, as_utf8(content).decode("utf-8", "replace")


def folder_texts(folder: Path) -> dict[str, str]:
    """Return the own sources below a folder, by path relative to it."""
    texts = {}
    for file in sorted(folder.rglob("*")):
        path = file.relative_to(folder).as_posix()
        if is_own_source(path) and file.is_file() and file.stat().st_size <= MAX_BYTES:
            texts[path] = as_utf8(file.read_bytes()).decode("utf-8", "replace")
    return texts
