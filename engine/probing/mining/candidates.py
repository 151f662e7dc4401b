"""Instances: the queries that a pattern gives, before the best are chosen."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.probing.mining.cooccurrence import Cooccurrence, FirstPlaces
from engine.probing.mining.passages import Group
from engine.probing.mining.templates import Template, extract_template
from engine.probing.queries import PatternKind
from engine.probing.words import WORD

LEAST_LETTERS = 5
"""Shorter targets are hit by chance."""
LEAST_PREFIX_WORDS = 6
LONGEST_PREFIX = 1_500
"""Characters of context that a model is given."""
_WIDEST_SPAN = 1_200
_LEAD = 200
"""Characters before the first word of a pattern that belong to the prefix."""
_NEAR = 4
_PIECES = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible query.

    Attributes:
        kind: Form of the repetition.
        group: Id of the pattern.
        prefix: Text up to the target.
        target: One word that does not occur in the prefix.
        occurrences: How often the pattern repeats.
        repeats: How often the target follows what stands just before it.
    """

    kind: PatternKind
    group: str
    prefix: str
    target: str
    occurrences: int
    repeats: int


def from_group(group: Group, seen: set[str]) -> Iterator[Candidate]:
    """Yield a candidate for every word that the passages of a group share.

    Args:
        group: Passages that are alike.
        seen: Structures met so far; a group whose template is among them yields nothing.
    """
    template = extract_template([passage.text for passage in group.passages])
    structure = template.text
    if structure in seen:
        return
    seen.add(structure)
    identity = _identity(group.kind, structure)
    for prefix, target in _splits(template):
        yield Candidate(group.kind, identity, prefix, target, len(group.passages), len(group.passages))


def from_cooccurrence(
    pattern: Cooccurrence, texts: Mapping[str, str], places: Mapping[str, FirstPlaces]
) -> Iterator[Candidate]:
    """Yield the candidate whose target is the pattern's last word.

    Its prefix is from the file where what stands just before the target recurs in most files of the pattern,
    and among these where the words lie closest: what a model has read most often.
    """
    target = pattern.words[-1]
    if not is_target(target):
        return
    spans = {path: (places[path][pattern.words[0]], places[path][target]) for path in pattern.paths}
    near = {path: _before(texts[path], end) for path, (_, end) in spans.items()}
    repeats = Counter(near.values())
    close = [path for path, (start, end) in spans.items() if end - start <= _WIDEST_SPAN]
    if not close:
        return
    best = min(close, key=lambda path: (-repeats[near[path]], spans[path][1] - spans[path][0], path))
    start, end = spans[best]
    text = texts[best]
    prefix = text[text.rfind("\n", 0, max(0, start - _LEAD)) + 1 : end]
    if len(WORD.findall(prefix)) >= LEAST_PREFIX_WORDS:
        identity = _identity(PatternKind.COOCCURRENCE, " ".join(pattern.words))
        yield Candidate(
            PatternKind.COOCCURRENCE, identity, prefix, target, len(pattern.paths), repeats[near[best]]
        )


def _before(text: str, end: int) -> tuple[str, ...]:
    """Return the last few words and signs before a place."""
    return tuple(_PIECES.findall(text[max(0, end - 80) : end])[-_NEAR:])


def is_target(word: str) -> bool:
    """Whether a word is long enough to be asked for."""
    return len(word.strip("_")) >= LEAST_LETTERS


def _splits(template: Template) -> Iterator[tuple[str, str]]:
    before: list[str] = []
    known: set[str] = set()
    for piece, is_common in zip(template.pieces, template.common, strict=True):
        is_word = WORD.fullmatch(piece) is not None
        if is_word and is_common and piece not in known and is_target(piece):
            prefix = "".join(before)
            if len(WORD.findall(prefix)) >= LEAST_PREFIX_WORDS:
                yield prefix[-LONGEST_PREFIX:], piece
        if is_word:
            known.add(piece)
        before.append(piece)


def _identity(kind: PatternKind, structure: str) -> str:
    return hashlib.sha256(f"{kind}\0{structure}".encode()).hexdigest()[:12]
