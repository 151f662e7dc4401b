"""What a repository repeats: a passage is a stretch of one file, a group holds passages that are alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.probing.queries import PatternKind


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a source file.

    Attributes:
        path: File it is in.
        start: Offset of its first character in the file's text.
        text: Its text.
    """

    path: str
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class Group:
    """Passages that repeat one another.

    Attributes:
        kind: Form of the repetition.
        passages: At least two, none inside another.
    """

    kind: PatternKind
    passages: tuple[Passage, ...]


def without_overlaps(passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """Return the passages in order of their place, each that begins inside the one before left out."""
    kept: list[Passage] = []
    for passage in sorted(passages, key=lambda entry: (entry.path, entry.start, -len(entry.text))):
        last = kept[-1] if kept else None
        if last is None or last.path != passage.path or passage.start >= last.start + len(last.text):
            kept.append(passage)
    return tuple(kept)
