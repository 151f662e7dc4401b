"""Instances: the queries that a pattern gives, before the best are chosen."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.probing.mining.cooccurrence import Cooccurrence
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


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible query.

    Attributes:
        kind: Form of the repetition.
        group: Id of the pattern.
        prefix: Text up to the target.
        target: One word that does not occur in the prefix.
        occurrences: How often the pattern repeats.
    """

    kind: PatternKind
    group: str
    prefix: str
    target: str
    occurrences: int


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
        yield Candidate(group.kind, identity, prefix, target, len(group.passages))


def from_cooccurrence(pattern: Cooccurrence, texts: Mapping[str, str]) -> Iterator[Candidate]:
    """Yield the candidate whose target is the last word, from the file where the words lie closest."""
    best: tuple[int, str, str] | None = None
    target = pattern.words[-1]
    for path in pattern.paths:
        text = texts[path]
        start, end = _first(pattern.words[0], text), _first(target, text)
        if start < 0 or end < 0 or not 0 < end - start <= _WIDEST_SPAN:
            continue
        if best is None or end - start < best[0]:
            line = text.rfind("\n", 0, max(0, start - 200)) + 1
            best = (end - start, text[line:end], path)
    if best is not None and is_target(target) and len(WORD.findall(best[1])) >= LEAST_PREFIX_WORDS:
        identity = _identity(PatternKind.COOCCURRENCE, " ".join(pattern.words))
        yield Candidate(PatternKind.COOCCURRENCE, identity, best[1], target, len(pattern.paths))


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


def _first(word: str, text: str) -> int:
    match = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)
    return match.start() if match else -1


def _identity(kind: PatternKind, structure: str) -> str:
    return hashlib.sha256(f"{kind}\0{structure}".encode()).hexdigest()[:12]
