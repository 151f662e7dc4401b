"""Gold patches applied backwards, whole or in part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from engine.patches.blocks import Block
from engine.patches.diff import FilePatch, Hunk, PatchError

_WORD = re.compile(r"\w+|[^\w\s]")
_OPPOSITE = {"+": "-", "-": "+", " ": " "}


def reverted(file: FilePatch) -> FilePatch:
    """Return the patch that takes a file patch back."""
    hunks: list[Hunk] = []
    shift = 0
    for hunk in file.hunks:
        lines = tuple((_OPPOSITE[sign], text) for sign, text in hunk.lines)
        hunks.append(Hunk(hunk.old_start + shift, lines))
        shift += _count(hunk, "+") - _count(hunk, "-")
    return FilePatch(file.new_path, file.old_path, tuple(hunks))


def revert_exactly(file: FilePatch, text: str) -> str | None:
    """Return `text` with the patch taken back, None unless each hunk fits in one place only.

    Where all hunks fit, the lines of the fix stand there as the patch left them.
    """
    backwards = reverted(file)
    lines = [line.rstrip("\r") for line in text.split("\n")]
    for hunk in backwards.hunks:
        wanted = [line.rstrip("\r") for sign, line in hunk.lines if sign != "+"]
        places = range(len(lines) - len(wanted) + 1)
        if sum(lines[start : start + len(wanted)] == wanted for start in places) != 1:
            return None
    try:
        return backwards.apply(text).text
    except PatchError:
        return None


def essential_hunk(files: Sequence[FilePatch], blocks: Sequence[Block]) -> FilePatch | None:
    """Return a patch with only the hunk that brings at least half of the code; None if no hunk does.

    Lines that only import, or that the fix only moves, do not count. A patch of one hunk has no such part.
    """
    weighed = [
        (_weight(backwards, file.path, blocks), replace(file, hunks=(hunk,)))
        for file in files
        for hunk, backwards in zip(file.hunks, reverted(file).hunks, strict=True)
    ]
    weight, heaviest = max(weighed, key=lambda pair: pair[0], default=(0, None))
    half = sum(each for each, _ in weighed) / 2
    return heaviest if weight and weight >= half and len(weighed) > 1 else None


def _weight(backwards: Hunk, path: str, blocks: Sequence[Block]) -> int:
    """Return how many words a hunk brings that it does not take, in rows of code that the fix wrote."""
    code = {
        row
        for block in blocks
        if block.path == path
        for line in block.written
        if not line.is_import
        for row in range(line.start, line.end + 1)
    }
    row = backwards.old_start
    brought: Counter[str] = Counter()
    taken: Counter[str] = Counter()
    for sign, text in backwards.lines:
        if sign == "-" and row in code:
            brought.update(_WORD.findall(text))
        elif sign == "+":
            taken.update(_WORD.findall(text))
        row += sign != "+"
    return (brought - taken).total()


def _count(hunk: Hunk, wanted: str) -> int:
    return sum(sign == wanted for sign, _ in hunk.lines)
