"""Trees to be judged that are not on the default branch's first-parent chain."""

from __future__ import annotations

from engine.presence.snapshot import Snapshot, SourceCache


class CommitSnapshot(Snapshot):
    """The tree of any commit.

    Args:
        cache: Parsed files of the repository.
        commit: The commit, on the first-parent chain or not.
        position: The last position of the chain that the commit contains.
    """

    def __init__(self, cache: SourceCache, commit: str, position: int) -> None:
        super().__init__(cache, position)
        self.commit = commit

    def blob(self, path: str) -> str | None:
        """Return the blob at `path`, None if there is no regular file."""
        return self.history.commit_tree_blob(self.commit, path)
