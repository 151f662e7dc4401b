"""Writes the files of a commit into a folder, and applies diffs there.

The files are read as blobs and written here: a checkout by git would run whatever filter programs the
repository's configuration names.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path, PurePosixPath

from engine.history.errors import BlobUnavailable
from engine.history.git_command import GitCommand, environment, is_full_id
from engine.history.objects import ObjectReader
from engine.problems import BenchCheckerError

_APPLY_SECONDS = 120
_EXECUTABLE, _LINK, _SUBMODULE = "100755", "120000", "160000"


class DiffDoesNotApply(BenchCheckerError):
    """A diff does not fit the files."""


def write_tree(git_dir: Path, commit: str, folder: Path) -> list[str]:
    """Write the tree of a commit into an empty folder.

    Args:
        git_dir: Repository that holds the commit.
        commit: Its full id.
        folder: Made when it is not there.

    Returns:
        Paths that could not be written: blobs that the repository lacks or that are too large, links that
        lead out of the tree, submodules.

    Raises:
        HistoryUnavailable: If the repository lacks the commit.
        ValueError: If `commit` is not a full id.
    """
    if not is_full_id(commit):
        raise ValueError(f"not a full commit id: {commit!r}")
    git = GitCommand(git_dir)
    reader = ObjectReader(git)
    folder.mkdir(parents=True, exist_ok=True)
    left_out, links = [], []
    try:
        listing = git.run("ls-tree", "-r", "-z", "--full-tree", commit)
        for entry in listing.decode("utf-8", "surrogateescape").split("\0")[:-1]:
            description, path = entry.split("\t", 1)
            mode, _, blob = description.split(" ")
            content = None if mode == _SUBMODULE or not _is_inside(path) else _content(reader, blob)
            if content is None:
                left_out.append(path)
            elif mode == _LINK:
                links.append((path, os.fsdecode(content)))
            else:
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
                target.chmod(0o755 if mode == _EXECUTABLE else 0o644)
    finally:
        reader.close()
    # Links come last, so that no file is written through one.
    return left_out + [path for path, link in links if not _link(folder, path, link)]


def _is_inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return not PurePosixPath(path).is_absolute() and not {"..", ".git"} & set(parts)


def _content(reader: ObjectReader, blob: str) -> bytes | None:
    try:
        return reader.read(blob)
    except BlobUnavailable:
        return None


def _link(folder: Path, path: str, link: str) -> bool:
    """Make a symbolic link if it stays inside the tree and nothing is in its way."""
    inside = os.path.normpath(PurePosixPath(path).parent / link)
    target = folder / path
    if not _is_inside(inside) or target.exists() or "\0" in link:
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    target.symlink_to(link)
    return True


def apply_diff(folder: Path, diff: str) -> None:
    """Apply a unified diff to the files of a folder; an empty one changes nothing.

    git refuses paths that lead out of the folder, also through links.

    Raises:
        DiffDoesNotApply: If it does not fit, with git's reason.
    """
    if not diff.strip():
        return
    done = subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        input=diff.encode("utf-8", "surrogateescape"),
        cwd=folder,
        env={
            "PATH": os.environ.get("PATH", os.defpath),
            **environment(),
            # Within another repository's work tree, git would skip every path without a word.
            "GIT_CEILING_DIRECTORIES": str(folder.resolve().parent),
        },
        capture_output=True,
        timeout=_APPLY_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        message = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise DiffDoesNotApply(message[0] if message else "git apply failed")
