"""Lexical relations between a part of the target and the words of its prefix."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

import snowballstemmer

from engine.probing.entropy.synonyms import SYNONYMS
from engine.probing.words import parts, words

_STEMMER = snowballstemmer.stemmer("english")
_SHORTEST = 3
"""Parts with fewer letters say too little to give anything away: a `t` in the prefix hints at no `to`."""


class Context:
    """What the words of a prefix give away: their parts, stems and synonyms.

    Args:
        prefix: Text before the target.
    """

    def __init__(self, prefix: str) -> None:
        self._parts = {part for word in words(prefix) for part in parts(word)}
        self._stems = {stem(part) for part in self._parts}
        self._related = {other for known in self._stems for other in _by_stem().get(known, ())}

    def gives_away(self, part: str) -> bool:
        """Whether the prefix has a part, its stem (so also its plural), or a synonym."""
        part = part.lower()
        if part in self._parts:
            return True
        if len(part) < _SHORTEST:
            return False
        return stem(part) in self._stems or stem(part) in self._related


@lru_cache(maxsize=1 << 17)
def stem(part: str) -> str:
    """Return the English stem of a lower-case word."""
    return str(_STEMMER.stemWord(part))


@lru_cache(maxsize=1)
def _by_stem() -> Mapping[str, frozenset[str]]:
    """Return the stems of all synonyms of each stem."""
    found: dict[str, set[str]] = defaultdict(set)
    for group in SYNONYMS:
        stems = {stem(word) for word in group}
        for one in stems:
            found[one] |= stems - {one}
    return {one: frozenset(others) for one, others in found.items()}
