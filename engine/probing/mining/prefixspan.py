"""PrefixSpan: frequent sequential patterns by prefix projection (Pei et al., ICDE 2001; paper, Algorithm 2).

All sequences lie in one array. The projection on a prefix is, for every sequence that holds it, the place
after its earliest match; the next items are counted for all sequences at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A frequent subsequence.

    Attributes:
        items: Its items in order, not necessarily neighbours.
        sequences: Indices of the sequences that hold it, ascending; its support is their number.
    """

    items: tuple[int, ...]
    sequences: tuple[int, ...]

    @property
    def support(self) -> int:
        """Number of sequences that hold it."""
        return len(self.sequences)


def frequent_patterns(
    sequences: Sequence[Sequence[int]], least_support: int, longest: int, reach: int | None = None
) -> Iterator[Pattern]:
    """Yield every pattern of at most `longest` items that at least `least_support` sequences hold.

    Args:
        sequences: Items are integers from 0.
        least_support: At least 1.
        longest: Bounds the search; the number of patterns can grow exponentially with it.
        reach: How many places after an item the next one may be at most; None for no bound.

    Raises:
        ValueError: If `reach` is given and an item occurs twice in a sequence: its earliest match, to which
            the projection keeps, need not be the one within reach.
    """
    base = _Base(sequences, reach)
    if reach is not None and np.any(base.previous >= 0):
        raise ValueError("with a reach, no item may occur twice in a sequence")
    everywhere = np.arange(len(sequences), dtype=np.int64)
    yield from _grow(base, (), everywhere, base.starts, least_support, longest)


class _Base:
    """The sequences in one array, with the place of each item's previous occurrence in its sequence."""

    def __init__(self, sequences: Sequence[Sequence[int]], reach: int | None) -> None:
        self.reach = reach
        lengths = np.array([len(sequence) for sequence in sequences], dtype=np.int64)
        self.ends: Integers = np.cumsum(lengths)
        self.starts: Integers = self.ends - lengths
        self.items: Integers = np.fromiter(
            (item for sequence in sequences for item in sequence), dtype=np.int64, count=int(lengths.sum())
        )
        owners = np.repeat(np.arange(len(sequences), dtype=np.int64), lengths)
        order = np.lexsort((np.arange(len(self.items)), owners, self.items))
        self.previous: Integers = np.full(len(self.items), -1, dtype=np.int64)
        same = (self.items[order][1:] == self.items[order][:-1]) & (owners[order][1:] == owners[order][:-1])
        self.previous[order[1:][same]] = order[:-1][same]


def _grow(
    base: _Base, prefix: tuple[int, ...], owners: Integers, places: Integers, least: int, longest: int
) -> Iterator[Pattern]:
    lengths = base.ends[owners] - places
    if prefix and base.reach is not None:
        lengths = np.minimum(lengths, base.reach)
    total = int(lengths.sum())
    if not total:
        return
    begins = np.cumsum(lengths) - lengths
    rows = np.repeat(np.arange(len(owners)), lengths)
    positions = np.arange(total) - begins[rows] + places[rows]
    # Only an item's first occurrence after the prefix counts.
    first = base.previous[positions] < places[rows]
    rows, positions = rows[first], positions[first]
    items = base.items[positions]
    order = np.argsort(items, kind="stable")
    kinds, offsets, counts = np.unique(items[order], return_index=True, return_counts=True)
    for kind, offset, count in zip(kinds, offsets, counts, strict=True):
        if count < least:
            continue
        chosen = order[offset : offset + count]
        holders = owners[rows[chosen]]
        pattern = (*prefix, int(kind))
        yield Pattern(pattern, tuple(holders.tolist()))
        if len(pattern) < longest:
            yield from _grow(base, pattern, holders, positions[chosen] + 1, least, longest)


def merge_equal_support(patterns: Sequence[Pattern]) -> list[Pattern]:
    """Drop each pattern that is contained in a longer one with the same support (paper, Algorithm 2).

    Time grows with the number of patterns, and with 2 to the power of their length.
    """
    kept: list[Pattern] = []
    contained: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    for pattern in sorted(patterns, key=lambda entry: -len(entry.items)):
        # A contained pattern is held wherever the longer one is: equal support means the same sequences.
        covered = contained.setdefault(pattern.sequences, set())
        if pattern.items not in covered:
            kept.append(pattern)
            for length in range(1, len(pattern.items)):
                covered.update(combinations(pattern.items, length))
    return kept
