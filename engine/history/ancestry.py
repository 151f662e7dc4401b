"""Where commits off the first-parent chain belong: when they were merged, and where they branched off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.history.errors import HistoryUnavailable
from engine.history.git_command import is_full_id

if TYPE_CHECKING:
    from engine.history.git_command import GitCommand
    from engine.history.snapshots import FirstParentChain

_Parents = dict[str, list[str]]


class Ancestry:
    """The commit graph around a first-parent chain. Read from git once, when first asked."""

    def __init__(self, git: GitCommand, chain: FirstParentChain) -> None:
        self._git = git
        self._chain = chain
        self._parents: _Parents = {}
        self._entries: dict[str, int] = {}

    def entry_of(self, sha: str) -> int | None:
        """Return the first position whose commit contains `sha`; None if it was never merged.

        For a commit of the chain this is its own position, else that of the merge which brought it in.

        Raises:
            ValueError: If `sha` is not a full commit id.
            HistoryUnavailable: If git cannot read the graph.
        """
        position = self._on_chain(sha)
        if position is not None:
            return position
        self._read_merged()
        return self._entries.get(sha)

    def fork_of(self, sha: str) -> int | None:
        """Return the last position whose commit `sha` contains: itself, or where its branch was last in step.

        None if the commit is not in the repository, or shares nothing with the branch.

        Raises:
            ValueError: If `sha` is not a full commit id.
            HistoryUnavailable: If git cannot read the graph.
        """
        position = self._on_chain(sha)
        if position is not None:
            return position
        self._read_merged()
        parents = self._parents if sha in self._parents else self._read_unmerged(sha)
        best: int | None = None
        seen, waiting = {sha}, [sha]
        while waiting:
            for parent in parents.get(commit := waiting.pop(), self._parents.get(commit, [])):
                position = self._chain.position_of(parent)
                if position is not None:
                    best = position if best is None else max(best, position)
                elif parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
        return best

    def _on_chain(self, sha: str) -> int | None:
        if not is_full_id(sha):
            raise ValueError(f"not a full commit id: {sha!r}")
        return self._chain.position_of(sha)

    def _read_merged(self) -> None:
        if self._parents:
            return
        output = self._git.run("rev-list", "--parents", self._chain.head.sha, "--")
        self._parents = _parse(output)
        for position in range(len(self._chain)):
            waiting = [self._chain[position].sha]
            while waiting:
                commit = waiting.pop()
                if commit not in self._entries:
                    self._entries[commit] = position
                    waiting += self._parents[commit]

    def _read_unmerged(self, sha: str) -> _Parents:
        status, output, error = self._git.attempt(
            "rev-list", "--parents", sha, f"^{self._chain.head.sha}", "--"
        )
        if status != 0:
            if self._git.attempt("cat-file", "-e", sha)[0] != 0:
                return {}
            raise HistoryUnavailable(f"the history of commit {sha} cannot be read: {error.strip()}")
        return _parse(output)


def _parse(output: bytes) -> _Parents:
    lines = (line.split() for line in output.decode("ascii").splitlines())
    return {commit: parents for commit, *parents in lines}
