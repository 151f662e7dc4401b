"""What a repository repeats: a passage is a stretch of one file, a group holds passages that are alike."""

from __future__ import annotations

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
        passages: At least two, from at least two files.
    """

    kind: PatternKind
    passages: tuple[Passage, ...]
