"""Word co-occurrence: distinctive words that follow one another in several files (paper, Algorithm 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from engine.probing.mining.prefixspan import Pattern, frequent_patterns, merge_equal_support
from engine.probing.words import WORD

LEAST_FILES = 3
FEW_FILES = 300
"""In repositories of at most so many files, two that hold a pattern are enough."""
MOST_WORDS = 3
REACH = 8
"""Distinctive words between two of a pattern at most: farther ones are not seen together."""
MOST_PATTERNS = 300_000
"""Bounds the search in repositories of many near-identical files."""


@dataclass(frozen=True, slots=True)
class Cooccurrence:
    """Words that follow one another, not necessarily as neighbours.

    Attributes:
        words: In order of their first occurrence in each file.
        paths: The files that hold them so.
    """

    words: tuple[str, ...]
    paths: tuple[str, ...]


FirstPlaces = dict[str, int]
"""Offset of each word's first occurrence in a file."""


def first_places(text: str) -> FirstPlaces:
    """Return the words of a text in order, each with the offset of its first occurrence."""
    found: FirstPlaces = {}
    for match in WORD.finditer(text):
        found.setdefault(match.group(), match.start())
    return found


def cooccurrences(
    places: Mapping[str, FirstPlaces], is_distinctive: Callable[[str], bool]
) -> list[Cooccurrence]:
    """Return the patterns of two words or more in enough files, merged into supersets.

    Args:
        places: For each file, its words in order of their first occurrence.
        is_distinctive: Whether few repositories hold a word; others are left out of the sequences.
    """
    least = LEAST_FILES if len(places) > FEW_FILES else 2
    files = Counter(word for found in places.values() for word in found)
    kept = sorted(word for word, count in files.items() if count >= least and is_distinctive(word))
    numbers = {word: number for number, word in enumerate(kept)}
    sequences = [[numbers[word] for word in found if word in numbers] for found in places.values()]
    patterns = list(islice(_long_enough(sequences, least), MOST_PATTERNS))
    paths = list(places)
    return [
        Cooccurrence(
            tuple(kept[item] for item in pattern.items), tuple(paths[index] for index in pattern.sequences)
        )
        for pattern in merge_equal_support(patterns)
    ]


def _long_enough(sequences: list[list[int]], least: int) -> Iterator[Pattern]:
    for pattern in frequent_patterns(sequences, least, MOST_WORDS, REACH):
        if len(pattern.items) > 1:
            yield pattern
