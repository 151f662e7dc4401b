"""SimHash clustering (paper, Algorithm 1): texts whose 64-bit fingerprints differ in few bits."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.probing.words import words

BITS = 64
_SHINGLE = 2


def fingerprints(texts: Sequence[str]) -> NDArray[np.uint64]:
    """Return one fingerprint per text, shape (texts,).

    A bit is set when more features have it set than not. Features are pairs of neighbouring words, so that
    order counts; a text of one word has that word for its feature. A text without words has fingerprint 0.
    """
    result = np.zeros(len(texts), dtype=np.uint64)
    weights = np.uint64(1) << np.arange(BITS, dtype=np.uint64)
    for row, text in enumerate(texts):
        codes = np.fromiter((_hash(feature) for feature in features(text)), dtype=np.uint64)
        if codes.size:
            set_bits = ((codes[:, None] & weights) != 0).sum(axis=0)
            result[row] = weights[set_bits * 2 > codes.size].sum(dtype=np.uint64)
    return result


def cluster(codes: NDArray[np.uint64], distance: int) -> list[list[int]]:
    """Group fingerprints, each with the first cluster whose founder is within a Hamming distance.

    Args:
        codes: Fingerprints, shape (texts,).
        distance: Largest number of bits that may differ.

    Returns:
        Indices of the members of each cluster, founders first, in order of the founders.
    """
    founders = np.empty(len(codes), dtype=np.uint64)
    clusters: list[list[int]] = []
    known: dict[int, int] = {}
    for index, code in enumerate(codes):
        place = known.get(int(code))
        if place is None:
            near = np.bitwise_count(founders[: len(clusters)] ^ code) <= distance
            place = int(near.argmax()) if near.any() else len(clusters)
            known[int(code)] = place
        if place == len(clusters):
            founders[place] = code
            clusters.append([])
        clusters[place].append(index)
    return clusters


def features(text: str) -> list[str]:
    """Return the pairs of neighbouring words of a text, or its only word."""
    found = words(text)
    if len(found) < _SHINGLE:
        return found
    return [f"{one} {other}" for one, other in pairwise(found)]


@lru_cache(maxsize=1 << 18)
def _hash(feature: str) -> int:
    return int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest(), "little")
