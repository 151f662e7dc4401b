"""One repository's history: the entry point of this package."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from engine.history.ancestry import Ancestry
from engine.history.change_index import Change, ChangeIndex, FileVersion, load_index
from engine.history.errors import HistoryUnavailable
from engine.history.git_command import GitCommand, error_line
from engine.history.objects import ObjectReader
from engine.history.snapshots import FirstParentChain

_TREE_ENTRIES_KEPT = 10_000


class RepositoryHistory:
    """A bare repository as a chain of first-parent commits, with file versions and blobs.

    Pickled, it is its arguments: a worker process opens the repository anew. An instance belongs to one
    thread.

    Attributes:
        path: The git directory.
        chain: First-parent commits and the days they stand for (`snapshot_at`, `window`, `days`,
            `position_of`, `head`, `first_day`, `last_day`).
    """

    def __init__(self, path: Path, branch: str | None = None, cache_dir: Path | None = None) -> None:
        """Open a repository; see `open`."""
        self._arguments = (path, branch, cache_dir)
        self.path = _git_dir(path)
        self._git = GitCommand(self.path)
        self.chain = _read_chain(self._git, _resolve(self._git, branch))
        self._objects = ObjectReader(self._git)
        self._ancestry = Ancestry(self._git, self.chain)
        self._cache_dir = cache_dir
        # A detector asks for the same few paths of a sample's base commit at every state of its files.
        self._blob_in_commit = lru_cache(_TREE_ENTRIES_KEPT)(self._objects.blob_in_commit)

    @classmethod
    def open(cls, path: Path, branch: str | None = None, cache_dir: Path | None = None) -> RepositoryHistory:
        """Open a local repository.

        Args:
            path: A bare repository, a `.git` directory, or a work tree that holds one.
            branch: Branch to follow; by default the one `HEAD` names.
            cache_dir: Folder that keeps the index of changes between runs; None keeps nothing.

        Raises:
            HistoryUnavailable: If it is missing, no git repository, empty, shallow or corrupt.
        """
        return cls(path, branch, cache_dir)

    def __reduce__(self) -> tuple[type[RepositoryHistory], tuple[Path, str | None, Path | None]]:
        return RepositoryHistory, self._arguments

    @cached_property
    def index(self) -> ChangeIndex:
        """Every change of the chain. Made or loaded when first used.

        Raises:
            HistoryUnavailable: If commits or trees are absent.
        """
        return load_index(self._git, self._objects, self.chain, self._cache_dir)

    def changes(self, position: int) -> tuple[Change, ...]:
        """Return what the commit at `position` changed against its first parent, renames found."""
        return self.index.changes(position)

    def file_versions(self, path: str, since: int) -> tuple[FileVersion, ...]:
        """Return the versions of a file from `since` to the head; see `ChangeIndex.file_versions`."""
        return self.index.file_versions(path, since)

    def blob_at(self, position: int, path: str) -> str | None:
        """Return the blob at `path` after the commit at `position`; None if there is no regular file."""
        return self.index.blob_at(position, path)

    def tree(self, position: int) -> dict[str, str]:
        """Return the blob of every regular file after the commit at `position`, by path.

        Read with ls-tree: an archive would leave out what `.gitattributes` marks `export-ignore`.
        """
        output = self._git.run("ls-tree", "-r", "-z", "--full-tree", self.chain[position].sha)
        files = {}
        for line in output.decode("utf-8", "surrogateescape").split("\0")[:-1]:
            description, path = line.split("\t", 1)
            mode, _, blob = description.split(" ")
            if mode.startswith("100"):
                files[path] = blob
        return files

    def read(self, blob: str) -> bytes:
        """Return the content of a blob.

        Raises:
            MissingBlob: If the object is absent, as large ones are from some mirrors.
            BlobTooLarge: If it has more than `objects.DEFAULT_SIZE_LIMIT` bytes.
        """
        return self._objects.read(blob)

    def commit_tree_blob(self, sha: str, path: str) -> str | None:
        """Return the blob at `path` in the tree of any commit, on the chain or not; None if absent."""
        return self._blob_in_commit(sha, path)

    def files_with(self, sha: str, words: Sequence[str], suffix: str) -> list[str]:
        """Return the paths in a commit that end in `suffix` and hold every one of `words`, sorted.

        Paths with a line feed are left out: git cannot be asked for their content.

        Args:
            sha: Full id of the commit.
            words: At least one; found only as whole words.
            suffix: End of the paths, such as `.py`.

        Raises:
            HistoryUnavailable: If git fails.
        """
        patterns = [argument for word in words for argument in ("-e", word)]
        status, output, error = self._git.attempt(
            "grep", "-l", "-F", "-w", "-z", "-I", "--all-match", *patterns, sha, "--", f"*{suffix}"
        )
        # git grep fails with 1 when nothing is found, and with more on an absent blob.
        if status > 1 and not output:
            raise HistoryUnavailable(f"git grep failed on {self.path}: {error_line(error)}")
        names = output.decode("utf-8", "surrogateescape").split("\0")[:-1]
        return sorted(name.removeprefix(f"{sha}:") for name in names if "\n" not in name)

    def position_of(self, sha: str) -> int | None:
        """Return the position of a commit of the first-parent chain, None for any other."""
        return self.chain.position_of(sha)

    def first_parent_entry(self, sha: str) -> int | None:
        """Return the first position that contains a commit; None if it was never merged into the branch."""
        return self._ancestry.entry_of(sha)

    def fork_position(self, sha: str) -> int | None:
        """Return the last position that a commit contains: where its branch left the chain."""
        return self._ancestry.fork_of(sha)

    def close(self) -> None:
        """End the git processes kept for reading; the next read starts them anew."""
        self._objects.close()


def _git_dir(path: Path) -> Path:
    for candidate in (path, path / ".git"):
        if (candidate / "HEAD").is_file() and (candidate / "objects").is_dir():
            return candidate.resolve()
    if not path.exists():
        raise HistoryUnavailable(f"there is no repository at {path}")
    raise HistoryUnavailable(f"{path} is not a git repository")


def _resolve(git: GitCommand, branch: str | None) -> str:
    """Return the commit id of the branch.

    Raises:
        HistoryUnavailable: If the repository is shallow, empty, or has no such branch.
    """
    if (git.git_dir / "shallow").exists() or git.run("rev-parse", "--is-shallow-repository") != b"false\n":
        raise HistoryUnavailable(f"{git.git_dir} is a shallow clone: its history is cut off")
    names = ["HEAD"] if branch is None else [f"refs/heads/{branch}", f"refs/remotes/origin/{branch}"]
    for name in names:
        status, output, _ = git.attempt("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        if status == 0:
            return output.decode("ascii").strip()
    if branch is not None:
        raise HistoryUnavailable(f"{git.git_dir} has no branch {branch!r}")
    raise HistoryUnavailable(f"{git.git_dir} has no commits on its default branch")


def _read_chain(git: GitCommand, head: str) -> FirstParentChain:
    output = git.run("log", "--first-parent", "--reverse", "--format=%H %ct", head, "--")
    lines = [line.split() for line in output.decode("ascii").splitlines()]
    return FirstParentChain([sha for sha, _ in lines], [int(seconds) for _, seconds in lines])
