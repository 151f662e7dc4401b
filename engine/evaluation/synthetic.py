"""Histories that were never made: a small repository whose commits are states of code to be judged.

Detectors read git, follow renames and search whole trees; only a real repository shows them a rewritten state
as they would meet it. It borrows the objects of the repository that the code comes from, so that it holds no
more than the changed files.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from engine.evaluation.rewrites.edits import Files
from engine.history.errors import HistoryUnavailable
from engine.history.git_command import GitCommand, error_line
from engine.history.repository import RepositoryHistory

_FIRST_DAY = datetime(2001, 1, 1, tzinfo=UTC)
_DAY = 86_400


@contextmanager
def synthetic_history(
    original: RepositoryHistory, commit: str, states: Sequence[Files]
) -> Iterator[RepositoryHistory]:
    """Yield a repository with a commit for each state, a day apart, each following the one before.

    Args:
        original: The repository that holds `commit`.
        commit: Full id of the commit whose tree the states start from.
        states: The files in which each state differs from that tree; None for one that is not there.

    Raises:
        HistoryUnavailable: If git fails.
    """
    with tempfile.TemporaryDirectory(prefix="benchchecker-", ignore_cleanup_errors=True) as name:
        git = GitCommand(Path(name))
        git.run("init", "--quiet", "--bare", "--initial-branch=main")
        alternates = Path(name) / "objects" / "info" / "alternates"
        alternates.write_text(f"{original.path / 'objects'}\n", encoding="utf-8")
        tree = git.run("rev-parse", "--verify", f"{commit}^{{tree}}").decode("ascii").strip()
        _import(git, b"".join(_commit(tree, number, files) for number, files in enumerate(states)))
        history = RepositoryHistory.open(Path(name))
        try:
            yield history
        finally:
            history.close()


def _import(git: GitCommand, stream: bytes) -> None:
    process = git.start("fast-import", "--quiet")
    _, error = process.communicate(b"feature done\n" + stream + b"done\n")
    if process.returncode != 0:
        raise HistoryUnavailable(f"git fast-import failed: {error_line(error.decode('utf-8', 'replace'))}")


def _commit(tree: str, number: int, files: Files) -> bytes:
    seconds = int(_FIRST_DAY.timestamp()) + number * _DAY
    head = f"commit refs/heads/main\ncommitter evaluation <> {seconds} +0000\ndata 0\n\n"
    # The root is replaced, so that a state does not depend on the one before.
    return b"".join(
        [head.encode(), f'M 040000 {tree} ""\n'.encode(), *(_file(p, c) for p, c in files.items())]
    )


def _file(path: str, content: bytes | None) -> bytes:
    quoted = b'"%s"' % b"".join(b"\\%03o" % byte for byte in path.encode("utf-8", "surrogateescape"))
    if content is None:
        return b"D %s\n" % quoted
    return b"M 100644 inline %s\ndata %d\n%s\n" % (quoted, len(content), content)
