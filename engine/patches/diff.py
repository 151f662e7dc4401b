"""Unified diffs: the one adapter around `unidiff`.

A patch is untrusted text. Whatever it holds, `parse_diff` returns a `Patch` or raises `PatchError`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import PurePosixPath

from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchedFile, PatchSet

from engine.problems import BenchCheckerError

MAX_PATCH_BYTES = 20_000_000

_HEADER = re.compile(r"^(?:diff --git |--- ).*", re.MULTILINE)
_COMBINED = re.compile(r"^@@@+ -", re.MULTILINE)
_ESCAPES = {
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"v": b"\v",
}


class PatchError(BenchCheckerError):
    """The text is not a unified diff that can be read, or does not fit the file it is applied to."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk: where it starts in the old file, and its lines as (sign, text without line end).

    Attributes:
        old_start: 1-based first line in the old file; 0 when the old side is empty.
        lines: Pairs of sign (" ", "-", "+") and text.
    """

    old_start: int
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class FilePatch:
    """The changes of one file.

    Attributes:
        old_path: Path before the patch, None for a new file.
        new_path: Path after the patch, None for a deleted file.
        hunks: Text changes; empty for a binary file or a pure rename.
    """

    old_path: str | None
    new_path: str | None
    hunks: tuple[Hunk, ...]

    @property
    def path(self) -> str:
        """The path after the patch, or before it for a deleted file."""
        path = self.new_path or self.old_path
        assert path is not None
        return path

    @property
    def added_count(self) -> int:
        """How many lines the patch adds to this file."""
        return sum(sign == "+" for hunk in self.hunks for sign, _ in hunk.lines)

    @property
    def removed_count(self) -> int:
        """How many lines the patch removes from this file."""
        return sum(sign == "-" for hunk in self.hunks for sign, _ in hunk.lines)

    def apply(self, old: str) -> PatchedText:
        """Apply the hunks to the text of the old file.

        A hunk whose lines are not at its stated place is looked for around it, as `patch` does: published
        patches have lost hunks of other authors, so that their line numbers are off. Line ends are ignored
        when lines are compared.

        Raises:
            PatchError: If the context and removed lines of a hunk are nowhere in the rest of the old file.
        """
        old_lines = old.split("\n")
        comparable = [_comparable(line) for line in old_lines]
        new_lines: list[str] = []
        added: list[int] = []
        removed: list[int] = []
        position = 0
        for hunk in self.hunks:
            start = self._locate(hunk, comparable, position)
            new_lines += old_lines[position:start]
            position = start
            for sign, text in hunk.lines:
                if sign == "+":
                    new_lines.append(text)
                    added.append(len(new_lines))
                    continue
                if sign == "-":
                    removed.append(position + 1)
                else:
                    new_lines.append(old_lines[position])
                position += 1
        new_lines += old_lines[position:]
        return PatchedText("\n".join(new_lines), frozenset(added), frozenset(removed))

    def _locate(self, hunk: Hunk, comparable: list[str], earliest: int) -> int:
        """Return the 0-based line nearest to the hunk's stated start at which its old lines stand."""
        wanted = [_comparable(text) for sign, text in hunk.lines if sign != "+"]
        last = len(comparable) - len(wanted)
        stated = min(max(hunk.old_start - 1, earliest), last)
        for distance in range(max(stated - earliest, last - stated) + 1):
            for start in (stated - distance, stated + distance):
                if earliest <= start <= last and comparable[start : start + len(wanted)] == wanted:
                    return start
        raise PatchError(
            f"{self.path}: the lines that the hunk at line {hunk.old_start} expects are not there"
        )


def _comparable(line: str) -> str:
    """Return a line without its end and without a byte order mark, which tools add and take away."""
    return line.rstrip("\r").removeprefix("\ufeff")


@dataclass(frozen=True, slots=True)
class PatchedText:
    """A file after a patch.

    Attributes:
        text: The whole new file.
        added: 1-based lines of the new file that the patch added.
        removed: 1-based lines of the old file that the patch removed.
    """

    text: str
    added: frozenset[int]
    removed: frozenset[int]


@dataclass(frozen=True, slots=True)
class Patch:
    """A whole patch, one entry per file in the order of the text."""

    files: tuple[FilePatch, ...]

    @property
    def added_count(self) -> int:
        """How many lines the patch adds."""
        return sum(file.added_count for file in self.files)

    @property
    def removed_count(self) -> int:
        """How many lines the patch removes."""
        return sum(file.removed_count for file in self.files)


def parse_diff(text: str) -> Patch:
    """Parse a unified diff.

    Args:
        text: The diff as `git diff` prints it; CRLF, quoted paths, renames and binary files are understood.

    Raises:
        PatchError: If the text is empty, too large, malformed, a merge's combined diff, names a path outside
            the repository, or changes a file twice.
    """
    if not text.strip():
        raise PatchError("the patch is empty")
    if len(text) > MAX_PATCH_BYTES:
        raise PatchError(f"the patch has {len(text)} characters, more than {MAX_PATCH_BYTES}")
    if _COMBINED.search(text):
        raise PatchError("the patch is the combined diff of a merge: give the diff against one parent")
    try:
        files = tuple(_file_patch(patched) for patched in PatchSet(_unix_lines(text)))
    except (UnidiffParseError, ValueError, IndexError, UnicodeError, AttributeError) as error:
        raise PatchError(f"not a unified diff: {error}") from error
    if not files:
        raise PatchError("the patch changes no file")
    twice = [path for path, count in Counter(file.path for file in files if file.hunks).items() if count > 1]
    if twice:
        raise PatchError(f"the patch changes {twice[0]} twice: join its changes")
    return Patch(files)


def _unix_lines(text: str) -> str:
    """Undo a conversion of the whole diff to CRLF; a CRLF file alone has such ends in its hunks only."""
    header = _HEADER.search(text)
    return text.replace("\r\n", "\n") if header and header[0].endswith("\r") else text


def _file_patch(patched: PatchedFile) -> FilePatch:
    source, target = _path(patched.source_file), _path(patched.target_file)
    hunks = tuple(
        Hunk(
            # An insertion at "-N,0" goes after line N, so its first old line is N + 1.
            hunk.source_start + (1 if hunk.source_length == 0 else 0),
            tuple(
                (line.line_type, line.value.removesuffix("\n")) for line in hunk if line.line_type in " +-"
            ),
        )
        for hunk in patched
    )
    if source is None and target is None:
        raise PatchError("a file of the patch has no name")
    return FilePatch(source, target, hunks)


def _path(name: str | None) -> str | None:
    """Return the repository path behind a diff header, None for /dev/null.

    Raises:
        PatchError: If the path is absolute, climbs out of the repository or into its git directory.
    """
    if name is None or name in ("/dev/null", ""):
        return None
    if len(name) > 1 and name.startswith('"') and name.endswith('"'):
        name = _unquoted(name[1:-1])
    path = PurePosixPath(re.sub(r"^[ab]/", "", name))
    parts = [part.lower() for part in path.parts]
    if not parts or path.is_absolute() or ".." in parts or ".git" in parts or "\0" in name:
        raise PatchError(f"path {name!r} leaves the repository")
    return str(path)


def _unquoted(name: str) -> str:
    """Return a name that git quoted as a C string of bytes."""

    def character(match: re.Match[bytes]) -> bytes:
        escape = match[1]
        return bytes([int(escape, 8) & 255]) if escape.isdigit() else _ESCAPES.get(escape, escape)

    raw = name.encode("utf-8", "surrogateescape")
    return re.sub(rb"\\([0-7]{3}|.)", character, raw).decode("utf-8", "surrogateescape")
