"""Every change of a first-parent chain in a compact index that is kept on disk between runs.

Paths are stored once, changes as columns of numbers: a history of 34,000 commits takes a few megabytes in
memory and loads in a fraction of a second. The file is named after the head commit, which determines its
content.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from engine.history.raw_log import RENAME_LIMIT, read_changes
from engine.store.facts import replacing

if TYPE_CHECKING:
    from engine.history.git_command import GitCommand
    from engine.history.objects import ObjectReader
    from engine.history.raw_log import Entry
    from engine.history.snapshots import FirstParentChain

_FORMAT = 1
_NO_BLOB = 0
"""Row of the blob table that stands for no regular file."""


@dataclass(frozen=True, slots=True)
class Change:
    """One path that a first-parent commit changed.

    Attributes:
        position: Position of the commit in the chain.
        status: `A` added, `M` modified, `D` deleted, `R` renamed, `T` changed its type.
        old_path: Path before a rename, else None.
        path: Path after the change (before it, for a deletion).
        blob: Content after the change; None when deleted, or when the path is no regular file (a symbolic
            link or a submodule).
    """

    position: int
    status: str
    old_path: str | None
    path: str
    blob: str | None


@dataclass(frozen=True, slots=True)
class FileVersion:
    """A version of a file, from a position until that of the next version.

    Attributes:
        position: First-parent position from which it holds.
        path: Path there; after a deletion, the path it had.
        blob: Content, or None while the file does not exist.
    """

    position: int
    path: str
    blob: str | None


@dataclass(frozen=True, slots=True)
class _Columns:
    """The index as stored. Changes are rows in order of position; paths and blobs are numbered.

    Attributes:
        position: Position of each change, shape (changes,).
        status: Status letter of each change as its ASCII code, shape (changes,).
        old_path: Path number before the change, shape (changes,).
        path: Path number after it, shape (changes,).
        blob: Blob number after it, shape (changes,).
        paths: NUL-joined paths as bytes, shape (total length,).
        blobs: Object ids as bytes, shape (blobs, id length); row 0 stands for none.
    """

    position: npt.NDArray[np.int32]
    status: npt.NDArray[np.uint8]
    old_path: npt.NDArray[np.int32]
    path: npt.NDArray[np.int32]
    blob: npt.NDArray[np.int32]
    paths: npt.NDArray[np.uint8]
    blobs: npt.NDArray[np.uint8]


class ChangeIndex:
    """What each commit changed, which blob a path held at a position, and how files moved."""

    def __init__(self, columns: _Columns) -> None:
        self._columns = columns
        joined = columns.paths.tobytes()
        self._paths = [os.fsdecode(path) for path in joined.split(b"\0")] if joined else []
        self._numbers = {path: number for number, path in enumerate(self._paths)}
        self._index_events()

    def _index_events(self) -> None:
        """Sort what happened to each path: a change at it (row), or a rename away from it (row, moved)."""
        columns = self._columns
        moved = np.flatnonzero(columns.old_path != columns.path)
        path = np.concatenate([columns.old_path[moved], columns.path])
        row = np.concatenate([moved, np.arange(len(columns.path))])
        is_move = np.arange(len(path)) < len(moved)
        # Within one commit a move away comes before an arrival: the path can be taken over by another file.
        order = np.lexsort((~is_move, columns.position[row], path))
        self._event_row = row[order]
        self._event_is_move = is_move[order]
        self._event_position = columns.position[self._event_row]
        self._event_bounds = np.searchsorted(path[order], np.arange(len(self._paths) + 1))

    def changes(self, position: int) -> tuple[Change, ...]:
        """Return what the commit at `position` changed against its first parent."""
        start, stop = np.searchsorted(self._columns.position, [position, position + 1])
        return tuple(self._change(row) for row in range(int(start), int(stop)))

    def blob_at(self, position: int, path: str) -> str | None:
        """Return the blob that `path` held after the commit at `position`; None if it was no regular file."""
        start, stop = self._events_of(path)
        event = start + int(np.searchsorted(self._event_position[start:stop], position, side="right")) - 1
        if event < start or self._event_is_move[event]:
            return None
        return self._blob(int(self._event_row[event]))

    def file_versions(self, path: str, since: int) -> tuple[FileVersion, ...]:
        """Return the versions of the file that is at `path` at position `since`, from there to the head.

        Renames are followed. After a deletion the path is watched: a file that is added there, or renamed to
        it, goes on as the same file.

        Args:
            path: Path at `since`. It need not exist there yet.
            since: Position of the first version returned, whether or not that commit changed the file.

        Returns:
            At least one version, positions strictly rising, each different from the last in path or blob.
        """
        versions = [FileVersion(since, path, self.blob_at(since, path))]
        for version in self._later_versions(path, since):
            last = versions[-1]
            if (version.path, version.blob) != (last.path, last.blob):
                versions.append(version)
        return tuple(versions)

    def next_change(self, paths: Iterable[str], after: int) -> int | None:
        """Return the first position after `after` whose commit changed any of `paths`, None if none did.

        A rename counts as a change of both its paths.
        """
        found: int | None = None
        for path in paths:
            start, stop = self._events_of(path)
            event = start + int(np.searchsorted(self._event_position[start:stop], after, side="right"))
            if event < stop:
                position = int(self._event_position[event])
                found = position if found is None else min(found, position)
        return found

    def _later_versions(self, path: str, since: int) -> Iterator[FileVersion]:
        position = since
        while True:
            start, stop = self._events_of(path)
            event = start + int(np.searchsorted(self._event_position[start:stop], position, side="right"))
            if event == stop:
                return
            row = int(self._event_row[event])
            position = int(self._event_position[event])
            if self._event_is_move[event]:
                path = self._paths[self._columns.path[row]]
            yield FileVersion(position, path, self._blob(row))

    def _events_of(self, path: str) -> tuple[int, int]:
        number = self._numbers.get(path)
        if number is None:
            return 0, 0
        return int(self._event_bounds[number]), int(self._event_bounds[number + 1])

    def _change(self, row: int) -> Change:
        columns = self._columns
        old, new = int(columns.old_path[row]), int(columns.path[row])
        return Change(
            position=int(columns.position[row]),
            status=chr(columns.status[row]),
            old_path=self._paths[old] if old != new else None,
            path=self._paths[new],
            blob=self._blob(row),
        )

    def _blob(self, row: int) -> str | None:
        number = int(self._columns.blob[row])
        return None if number == _NO_BLOB else self._columns.blobs[number].tobytes().hex()


def load_index(
    git: GitCommand, objects: ObjectReader, chain: FirstParentChain, cache_dir: Path | None
) -> ChangeIndex:
    """Return the index of a chain, from `cache_dir` where it is there, else from git (and store it there).

    Raises:
        HistoryUnavailable: If the repository lacks commits or trees.
    """
    if cache_dir is None:
        return ChangeIndex(_columns(read_changes(git, objects, chain)))
    file = cache_dir / f"changes-{_FORMAT}-{RENAME_LIMIT}-{chain.head.sha}.npz"
    columns = _load(file)
    if columns is None:
        columns = _columns(read_changes(git, objects, chain))
        _store(file, columns)
    return ChangeIndex(columns)


def _columns(changes: Sequence[Sequence[Entry]]) -> _Columns:
    paths: dict[bytes, int] = {}
    blobs: dict[str, int] = {"": _NO_BLOB}
    rows = [
        (
            position,
            ord(entry.status),
            paths.setdefault(entry.old_path, len(paths)),
            paths.setdefault(entry.path, len(paths)),
            blobs.setdefault(entry.blob, len(blobs)),
        )
        for position, entries in enumerate(changes)
        for entry in entries
    ]
    table = np.array(rows, dtype=np.int32).reshape(-1, 5)
    ids = [bytes.fromhex(blob) for blob in blobs if blob]
    length = len(ids[0]) if ids else 20
    return _Columns(
        position=table[:, 0].copy(),
        status=table[:, 1].astype(np.uint8),
        old_path=table[:, 2].copy(),
        path=table[:, 3].copy(),
        blob=table[:, 4].copy(),
        paths=np.frombuffer(b"\0".join(paths), dtype=np.uint8),
        blobs=np.frombuffer(bytes(length) + b"".join(ids), dtype=np.uint8).reshape(-1, length),
    )


def _load(file: Path) -> _Columns | None:
    """Return the stored columns, or None if there are none that can be used: the index is then made again."""
    names = _Columns.__dataclass_fields__
    try:
        with np.load(file, allow_pickle=False) as stored:
            return _Columns(**{name: stored[name] for name in names})
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None


def _store(file: Path, columns: _Columns) -> None:
    with replacing(file) as temporary, temporary.open("wb") as stream:
        np.savez(stream, **{name: getattr(columns, name) for name in _Columns.__dataclass_fields__})
