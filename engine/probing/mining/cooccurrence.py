"""Word co-occurrence: distinctive words that follow one another in several files (paper, Algorithm 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate

from engine.probing.mining.prefixspan import frequent_patterns, merge_equal_support
from engine.probing.words import WORD

LEAST_FILES = 3
FEW_FILES = 300
"""In repositories of at most so many files, two that hold a pattern are enough."""
MOST_WORDS = 3
REACH = 8
"""Distinctive words between two of a pattern at most: farther ones are not seen together."""
MOST_PLACES = 60_000
"""First occurrences of words that are searched at most, over all files; see `most_shared`. The words of a
pattern of three lie within `REACH` of one another and in two files at least, so this many give under two
million patterns, however much the files repeat one another."""


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
    places: Mapping[str, FirstPlaces],
    is_distinctive: Callable[[str], bool],
    progress: Callable[[str], None] = lambda step: None,
) -> list[Cooccurrence]:
    """Return the patterns of two words or more in enough files, merged into supersets.

    Args:
        places: For each file, its words in order of their first occurrence.
        is_distinctive: Whether few repositories hold a word; others are left out of the sequences.
        progress: Told how many words were left out, if any were.
    """
    least = LEAST_FILES if len(places) > FEW_FILES else 2
    files = Counter(word for found in places.values() for word in found)
    frequent = {word: count for word, count in files.items() if count >= least and is_distinctive(word)}
    kept = most_shared(frequent, MOST_PLACES)
    if len(kept) < len(frequent):
        progress(f"words that go together: {len(frequent) - len(kept):,} of {len(frequent):,} words left out")
    numbers = {word: number for number, word in enumerate(kept)}
    sequences = [[numbers[word] for word in found if word in numbers] for found in places.values()]
    found = frequent_patterns(sequences, least, MOST_WORDS, REACH)
    patterns = [pattern for pattern in found if len(pattern.items) > 1]
    paths = list(places)
    return [
        Cooccurrence(
            tuple(kept[item] for item in pattern.items), tuple(paths[index] for index in pattern.sequences)
        )
        for pattern in merge_equal_support(patterns)
    ]


def most_shared(files: Mapping[str, int], most: int) -> list[str]:
    """Return the words that most files hold, in alphabetical order, up to a number of places.

    What most files repeat is what a model read most often. Of words in equally many files all are taken, or,
    where they do not fit any more, the first by alphabet.

    Args:
        files: Number of files that hold each word.
        most: Largest sum of these numbers.
    """
    ranked = sorted(files, key=lambda word: (-files[word], word))
    places = accumulate(files[word] for word in ranked)
    return sorted(word for word, total in zip(ranked, places, strict=True) if total <= most)
