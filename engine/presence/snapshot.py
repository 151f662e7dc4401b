"""One snapshot of a repository as a detector sees it: parsed files, read once."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence

from engine.history.change_index import FileVersion
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
        self._versions: dict[tuple[str, str], tuple[FileVersion, ...]] = {}

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

    def versions(self, path: str, base_commit: str) -> tuple[FileVersion, ...]:
        """Return the versions of the file at `path` in `base_commit`, renames followed, to the head."""
        key = (path, base_commit)
        if key not in self._versions:
            fork = self.history.fork_position(base_commit)
            self._versions[key] = self.history.file_versions(path, fork if fork is not None else 0)
        return self._versions[key]


class Snapshot:
    """The tree after one first-parent commit.

    Args:
        cache: Parsed files of the repository.
        position: Position of the commit in the first-parent chain.
    """

    def __init__(self, cache: SourceCache, position: int) -> None:
        self.history = cache.history
        self.position = position
        self.commit = cache.history.chain[position].sha
        self._cache = cache

    def blob(self, path: str) -> str | None:
        """Return the blob at `path`, None if there is no regular file."""
        return self.history.blob_at(self.position, path)

    def source(self, path: str) -> SourceFile | None:
        """Return the parsed file at `path`, None if it is not there or cannot be parsed."""
        blob = self.blob(path)
        return None if blob is None else self._cache.get(blob, path)

    def source_in(self, commit: str, path: str) -> SourceFile | None:
        """Return the parsed file at `path` in the tree of any commit, None if it is not there."""
        blob = self.history.commit_tree_blob(commit, path)
        return None if blob is None else self._cache.get(blob, path)

    def path_of(self, path: str, base_commit: str | None) -> str:
        """Return where the file that was at `path` in `base_commit` is now, or last was if it is gone."""
        if base_commit is None:
            return path
        versions = self._cache.versions(path, base_commit)
        number = bisect_right(versions, self.position, key=lambda version: version.position)
        return versions[max(number - 1, 0)].path

    def files_with(self, words: Sequence[str], suffix: str) -> list[str]:
        """Return the paths that end in `suffix` and hold every one of `words` as a whole word, sorted."""
        return self.history.files_with(self.commit, words, suffix)
