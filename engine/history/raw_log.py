"""Reads what every first-parent commit changed, with renames, from one `git log --raw` pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from engine.history.errors import HistoryUnavailable
from engine.history.git_command import error_line

if TYPE_CHECKING:
    from engine.history.git_command import GitCommand
    from engine.history.objects import ObjectReader
    from engine.history.snapshots import FirstParentChain

RENAME_LIMIT = 1000
"""Most files on either side for which git compares contents pairwise; above, only exact renames are found."""

_RAW = ("--raw", "-z", "--no-abbrev", "--no-ext-diff", "--no-textconv", f"-l{RENAME_LIMIT}")
_REGULAR_FILE = b"100"
_HEADER = b"commit "


class Entry(NamedTuple):
    """One line of a raw diff, as git prints it.

    Attributes:
        status: `A` added, `M` modified, `D` deleted, `R` renamed, `T` changed its type.
        old_path: Path before the change.
        path: Path after it; the same unless renamed.
        old_blob: Object id before, zeros if there was none.
        blob: Object id after; empty if there is no regular file (deleted, a symbolic link, a submodule).
    """

    status: str
    old_path: bytes
    path: bytes
    old_blob: str
    blob: str


def read_changes(git: GitCommand, objects: ObjectReader, chain: FirstParentChain) -> list[list[Entry]]:
    """Return what each commit of the chain changed against its first parent, by position.

    Git gives up on the whole log when it compares contents for renames and one is absent (partial mirrors
    lack large blobs). The pass then goes on behind that commit, which is read by itself with the absent blobs
    set aside.

    Raises:
        HistoryUnavailable: If a commit or a tree is absent or damaged.
    """
    changes: list[list[Entry]] = [[] for _ in range(len(chain))]
    newest = len(chain) - 1
    while newest >= 0:
        status, output, error = git.attempt(
            *("log", "--first-parent", "--diff-merges=first-parent", "-M", *_RAW),
            *("--format=commit %H", chain[newest].sha, "--"),
        )
        commits = _parse_log(output)
        # Git may have given up within the last commit it named: that one is read again.
        last = commits.pop()[1] if status != 0 and commits else None
        for sha, entries in commits:
            if newest < 0 or chain[newest].sha != sha:
                raise HistoryUnavailable(f"git log left the first-parent chain at commit {sha}")
            changes[newest] = entries
            newest -= 1
        if status == 0 and newest >= 0:
            raise HistoryUnavailable(f"git log ended before commit {chain[newest].sha}")
        if newest >= 0:
            changes[newest], absent = _read_around_absent_blobs(git, objects, chain, newest)
            if not absent and changes[newest] != last:
                raise HistoryUnavailable(f"git log failed on {git.git_dir}: {error_line(error)}")
            newest -= 1
    return changes


def _read_around_absent_blobs(
    git: GitCommand, objects: ObjectReader, chain: FirstParentChain, position: int
) -> tuple[list[Entry], int]:
    """Return the changes of one commit, and how many paths took no part in rename detection.

    Those are the paths whose content is absent.
    """
    sides = (chain[position - 1].sha, chain[position].sha) if position else ("--root", chain[position].sha)
    command = ("diff-tree", "-r", "--no-commit-id", *_RAW)
    plain = _parse_entries(git.run(*command, "--no-renames", *sides, "--").split(b"\0"))
    absent = {
        entry.path
        for entry in plain
        if (entry.status == "A" and entry.blob and not objects.has(entry.blob))
        or (entry.status == "D" and not objects.has(entry.old_blob))
    }
    excluded = [":(exclude,top,literal)" + path.decode("utf-8", "surrogateescape") for path in sorted(absent)]
    renamed = _parse_entries(git.run(*command, "-M", *sides, "--", ":(top)", *excluded).split(b"\0"))
    return renamed + [entry for entry in plain if entry.path in absent], len(absent)


def _parse_log(output: bytes) -> list[tuple[str, list[Entry]]]:
    """Split a raw log into commits. Tokens are NUL-separated, so a path may hold anything else."""
    tokens = output.split(b"\0")
    commits: list[tuple[str, list[Entry]]] = []
    place = 0
    while place < len(tokens) and tokens[place].startswith(_HEADER):
        sha = tokens[place][len(_HEADER) :].decode("ascii")
        entries: list[Entry] = []
        place = _take_entries(tokens, place + 1, entries)
        commits.append((sha, entries))
    return commits


def _parse_entries(tokens: list[bytes]) -> list[Entry]:
    entries: list[Entry] = []
    _take_entries(tokens, 0, entries)
    return entries


def _take_entries(tokens: list[bytes], place: int, entries: list[Entry]) -> int:
    """Append the entries that start at `place`; return the place of the token after them."""
    while place < len(tokens):
        description = tokens[place].lstrip(b"\n")
        if not description.startswith(b":"):
            break
        _, mode, old_blob, blob, status = description[1:].split(b" ")
        renamed = status[:1] in b"RC"
        if place + 1 + renamed >= len(tokens):
            break  # git ended within the entry
        regular = mode.startswith(_REGULAR_FILE)
        entries.append(
            Entry(
                status[:1].decode("ascii"),
                tokens[place + 1],
                tokens[place + 1 + renamed],
                old_blob.decode("ascii"),
                blob.decode("ascii") if regular else "",
            )
        )
        place += 2 + renamed
    return place
