"""One snapshot of a repository as a detector sees it: parsed files, read once."""

from __future__ import annotations

from collections import OrderedDict

from engine.history.errors import BlobUnavailable
from engine.history.repository import RepositoryHistory
from engine.patches.syntax import SourceFile, parse_source

_CACHED_SOURCES = 64


class SourceCache:
    """Parsed files by blob, the least recently used dropped first.

    Args:
        history: The repository the blobs are in.
    """

    def __init__(self, history: RepositoryHistory) -> None:
        self.history = history
        self._sources: OrderedDict[tuple[str, str], SourceFile | None] = OrderedDict()

    def get(self, blob: str, path: str) -> SourceFile | None:
        """Return a parsed blob; None when it is absent from the mirror or in a language without a grammar."""
        key = (blob, path.rpartition(".")[2])
        if key in self._sources:
            self._sources.move_to_end(key)
            return self._sources[key]
        try:
            source = parse_source(self.history.read(blob), path)
        except BlobUnavailable:
            source = None
        self._sources[key] = source
        if len(self._sources) > _CACHED_SOURCES:
            self._sources.popitem(last=False)
        return source


class Snapshot:
    """The tree after one first-parent commit.

    Args:
        cache: Parsed files of the repository.
        position: Position of the commit in the first-parent chain.
    """

    def __init__(self, cache: SourceCache, position: int) -> None:
        self.history = cache.history
        self.position = position
        self._cache = cache

    def blob(self, path: str) -> str | None:
        """Return the blob at `path`, None if there is no regular file."""
        return self.history.blob_at(self.position, path)

    def source(self, path: str) -> SourceFile | None:
        """Return the parsed file at `path`, None if it is not there or cannot be parsed."""
        blob = self.blob(path)
        return None if blob is None else self._cache.get(blob, path)
