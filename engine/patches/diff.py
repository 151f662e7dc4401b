"""Unified diffs: the one adapter around `unidiff`.

A patch is untrusted text. Whatever it holds, `parse_diff` returns a `Patch` or raises `PatchError`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchSet

from engine.problems import BenchCheckerError

MAX_PATCH_BYTES = 20_000_000


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
        comparable = [line.rstrip("\r") for line in old_lines]
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
        wanted = [text.rstrip("\r") for sign, text in hunk.lines if sign != "+"]
        stated = max(hunk.old_start - 1, 0)
        last = len(comparable) - len(wanted)
        if earliest <= stated <= last and comparable[stated : stated + len(wanted)] == wanted:
            return stated
        for start in sorted(range(earliest, last + 1), key=lambda line: abs(line - stated)):
            if comparable[start : start + len(wanted)] == wanted:
                return start
        raise PatchError(
            f"{self.path}: the lines that the hunk at line {hunk.old_start} expects are not there"
        )


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
        PatchError: If the text is empty, too large, malformed, or names a path outside the repository.
    """
    if not text.strip():
        raise PatchError("the patch is empty")
    if len(text) > MAX_PATCH_BYTES:
        raise PatchError(f"the patch has {len(text)} characters, more than {MAX_PATCH_BYTES}")
    try:
        patched_files = PatchSet(text)
        files = tuple(_file_patch(patched) for patched in patched_files)
    except (UnidiffParseError, ValueError, IndexError, UnicodeError, AttributeError) as error:
        raise PatchError(f"not a unified diff: {error}") from error
    if not files:
        raise PatchError("the patch changes no file")
    return Patch(files)


def _file_patch(patched: object) -> FilePatch:
    source, target = _path(patched.source_file), _path(patched.target_file)  # type: ignore[attr-defined]
    hunks = tuple(
        Hunk(
            # An insertion at "-N,0" goes after line N, so its first old line is N + 1.
            hunk.source_start + (1 if hunk.source_length == 0 else 0),
            tuple(
                (line.line_type, line.value.removesuffix("\n")) for line in hunk if line.line_type in " +-"
            ),
        )
        for hunk in patched  # type: ignore[attr-defined]
    )
    if source is None and target is None:
        raise PatchError("a file of the patch has no name")
    return FilePatch(source, target, hunks)


def _path(name: str | None) -> str | None:
    """Return the repository path behind a diff header, None for /dev/null.

    Raises:
        PatchError: If the path is absolute or climbs out of the repository.
    """
    if name is None or name in ("/dev/null", ""):
        return None
    if name.startswith('"') and name.endswith('"'):
        # Git quotes unusual names as C strings of bytes.
        raw = re.sub(rb"\\([0-7]{3})", lambda m: bytes([int(m[1], 8) & 255]), name[1:-1].encode())
        name = raw.replace(b'\\"', b'"').replace(b"\\\\", b"\\").decode("utf-8", "replace")
    name = re.sub(r"^[ab]/", "", name)
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\0" in name:
        raise PatchError(f"path {name!r} leaves the repository")
    return str(path)
