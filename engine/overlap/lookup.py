"""Fast look-up of many 64-bit hashes at once in a fixed set of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.overlap.hashing import I64, U8, U64

_BITS_PER_ENTRY = 16
_MIN_BITS, _MAX_BITS = 16, 28


def distinct(values: I64) -> I64:
    """Return the distinct values in order.

    By sorting: the hashing inside `numpy.unique` (2.4) takes seconds on the keys met here.
    """
    ordered: I64 = np.sort(values)
    if not len(ordered):
        return ordered
    first: I64 = ordered[np.append(True, ordered[1:] != ordered[:-1])]
    return first


@dataclass(frozen=True, slots=True)
class HashSet:
    """Sorted distinct hashes with two indices over their leading bits.

    Hashes are spread evenly, so a bit for each of 16 prefixes an entry rejects 94% of what is absent in one
    access, and a directory over shorter prefixes leaves about one entry to compare with the rest (three times
    as fast as `numpy.searchsorted` on a million entries).

    Attributes:
        values: The hashes, ascending.
        bits: One bit for each long prefix that occurs.
        bit_shift: How far a hash is shifted to give its long prefix.
        directory: First entry at or after each short prefix, and the number of entries at the end.
        directory_shift: How far a hash is shifted to give its short prefix.
    """

    values: U64
    bits: U8
    bit_shift: np.uint64
    directory: NDArray[np.int32]
    directory_shift: np.uint64

    @classmethod
    def build(cls, values: U64) -> HashSet:
        """Build the set of `values`, ascending and distinct."""
        width = max(len(values), 1).bit_length()
        bit_width = int(np.clip(width + _BITS_PER_ENTRY.bit_length() - 1, _MIN_BITS, _MAX_BITS))
        bit_shift, directory_shift = np.uint64(64 - bit_width), np.uint64(64 - width)
        bits = np.zeros(1 << (bit_width - 3), np.uint8)
        prefix = (values >> bit_shift).view(np.int64)
        if len(values):
            place, bit = prefix >> 3, np.left_shift(1, prefix & 7).astype(np.uint8)
            heads = np.flatnonzero(np.append(True, place[1:] != place[:-1]))
            bits[place[heads]] = np.bitwise_or.reduceat(bit, heads)
        counts = np.bincount((values >> directory_shift).view(np.int64), minlength=1 << width)
        directory = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
        return cls(values, bits, bit_shift, directory, directory_shift)

    def find(self, hashes: U64) -> tuple[I64, I64]:
        """Return the indices of those `hashes` that are in the set, and the entry of each."""
        prefix = (hashes >> self.bit_shift).view(np.int64)
        hit = (self.bits.take(prefix >> 3) >> (prefix & 7).astype(np.uint8)) & np.uint8(1)
        where = np.flatnonzero(hit)
        wanted = hashes.take(where)
        short = (wanted >> self.directory_shift).view(np.int64)
        entry = self.directory.take(short).astype(np.int64)
        end = self.directory.take(short + 1)
        found = np.zeros(len(where), np.bool_)
        active = np.flatnonzero(entry < end)
        while len(active):
            found[active] = self.values.take(entry.take(active)) == wanted.take(active)
            active = active[~found[active]]
            entry[active] += 1
            active = active[entry[active] < end[active]]
        return where[found], entry[found]
