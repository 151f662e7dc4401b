"""Templates: what the passages of a group have in common, with `<text>` where they differ.

Common parts are the longest matching blocks of difflib's SequenceMatcher (paper, Section 4.1).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

GAP = "<text>"
MOST_COMPARED = 4
"""So many further passages are compared with the first; a template hardly changes after a few."""
_LONGEST = 600
_PIECES = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Template:
    """A structural pattern.

    Attributes:
        pieces: Words, blanks and signs of the first passage; joined, they are its text.
        common: For each piece, whether all compared passages have it in this place.
    """

    pieces: tuple[str, ...]
    common: tuple[bool, ...]

    @property
    def text(self) -> str:
        """The pattern, each maximal stretch that differs replaced by `GAP`; blanks are single."""
        found: list[str] = []
        for piece, is_common in zip(self.pieces, self.common, strict=True):
            if piece.isspace():
                continue
            if is_common:
                found.append(piece)
            elif not found or found[-1] != GAP:
                found.append(GAP)
        return " ".join(found)


def extract_template(passages: Sequence[str]) -> Template:
    """Return the template of passages that are alike, written along the first one."""
    pieces = _PIECES.findall(passages[0])[:_LONGEST]
    places = [place for place, piece in enumerate(pieces) if not piece.isspace()]
    spoken = [pieces[place] for place in places]
    kept = [True] * len(spoken)
    for other in dict.fromkeys(passages[1 : 1 + MOST_COMPARED]):
        others = [piece for piece in _PIECES.findall(other)[:_LONGEST] if not piece.isspace()]
        matched = _matched(spoken, others)
        kept = [one and two for one, two in zip(kept, matched, strict=True)]
    common = [False] * len(pieces)
    for place, is_common in zip(places, kept, strict=True):
        common[place] = is_common
    return Template(tuple(pieces), tuple(common))


def _matched(one: list[str], other: list[str]) -> list[bool]:
    """Return for each piece of `one` whether it lies in a matching block."""
    if one == other:
        return [True] * len(one)
    marks = [False] * len(one)
    for block in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks():
        marks[block.a : block.a + block.size] = [True] * block.size
    return marks
