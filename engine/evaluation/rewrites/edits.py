"""Changes to the text of a source file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

Files = Mapping[str, bytes | None]
"""New contents by path; None for a file that is gone."""


class Span(NamedTuple):
    """Physical lines `first` to `last`, 1-based and inclusive."""

    first: int
    last: int

    def meets(self, first: int, last: int) -> bool:
        """Whether any line from `first` to `last` lies in the span."""
        return self.first <= last and first <= self.last


class Edit(NamedTuple):
    """The bytes from `start` to `end` replaced by `text`; an insertion where the two are equal."""

    start: int
    end: int
    text: bytes


def edited(source: bytes, edits: Iterable[Edit]) -> bytes | None:
    """Return `source` with the edits made, None if they change nothing.

    An edit that reaches into one before it is left out: rewrites of nested code are made outermost first.
    """
    parts: list[bytes] = []
    place = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if edit.start < place:
            continue
        parts += [source[place : edit.start], edit.text]
        place = edit.end
    result = b"".join([*parts, source[place:]])
    return None if result == source else result


class Rows:
    """Where the physical lines of a text are.

    Args:
        source: The text; lines end with LF, CRLF or CR.
    """

    def __init__(self, source: bytes) -> None:
        self.lines = source.splitlines(keepends=True)
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line))

    def start(self, row: int) -> int:
        """Return the offset of the start of a 1-based line, or of the end of the text behind the last."""
        return self._starts[min(row - 1, len(self.lines))]

    def end(self, row: int) -> int:
        """Return the offset of the end of a line, behind its line end."""
        return self.start(row + 1)

    def indent(self, row: int) -> bytes:
        """Return the white space that a line starts with."""
        line = self.lines[row - 1]
        return line[: len(line) - len(line.lstrip(b" \t\f"))]

    def begins(self, row: int, column: int) -> bool:
        """Whether only white space stands before a column (in bytes) of a line."""
        return not self.lines[row - 1][:column].strip()
