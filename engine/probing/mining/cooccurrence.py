"""Word co-occurrence: distinctive words that follow one another in several files (paper, Algorithm 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from engine.probing.mining.prefixspan import Pattern, frequent_patterns, merge_equal_support
from engine.probing.words import WORD

LEAST_FILES = 3
MOST_WORDS = 3
MOST_PATTERNS = 200_000
"""Bounds the search in repositories of many near-identical files."""
_LONGEST_SEQUENCE = 60


@dataclass(frozen=True, slots=True)
class Cooccurrence:
    """Words that follow one another, not necessarily as neighbours.

    Attributes:
        words: In order of their first occurrence in each file.
        paths: The files that hold them so.
    """

    words: tuple[str, ...]
    paths: tuple[str, ...]


def cooccurrences(texts: Mapping[str, str], is_distinctive: Callable[[str], bool]) -> list[Cooccurrence]:
    """Return the patterns of two words or more in `LEAST_FILES` files or more, merged into supersets."""
    paths = list(texts)
    first_words = [list(dict.fromkeys(WORD.findall(text))) for text in texts.values()]
    files = Counter(word for found in first_words for word in found)
    kept = sorted(word for word, count in files.items() if count >= LEAST_FILES and is_distinctive(word))
    numbers = {word: number for number, word in enumerate(kept)}
    sequences = [
        [numbers[word] for word in found if word in numbers][:_LONGEST_SEQUENCE] for found in first_words
    ]
    found_patterns = islice(_long_enough(sequences), MOST_PATTERNS)
    return [
        Cooccurrence(
            tuple(kept[item] for item in pattern.items), tuple(paths[index] for index in pattern.sequences)
        )
        for pattern in merge_equal_support(list(found_patterns))
    ]


def _long_enough(sequences: list[list[int]]) -> Iterator[Pattern]:
    for pattern in frequent_patterns(sequences, LEAST_FILES, MOST_WORDS):
        if len(pattern.items) > 1:
            yield pattern
