"""Queries with and without each of the criteria of a signature snippet (paper, Table 5)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum

from engine.probing.mining import NO_REFERENCE, Reference, mine
from engine.probing.queries import PatternKind, Query
from engine.probing.words import WORD

_PREFIX = 400
"""Characters before a word that no pattern led to."""


class Variant(StrEnum):
    """Stage I, whole or less one criterion."""

    FULL = "full"
    NO_REPETITION = "without repetitiveness"
    NO_DISTINCTIVENESS = "without distinctiveness"
    NO_INDEPENDENCE = "without context independence"


ASKED = (Variant.FULL, Variant.NO_REPETITION, Variant.NO_DISTINCTIVENESS)
"""Variants with queries of their own; without context independence only the weights differ."""


def queries_of(
    variant: Variant, texts: Mapping[str, str], repository: str, reference: Reference, most: int
) -> list[Query]:
    """Return up to `most` queries of a repository, without entropy.

    Without repetitiveness, words that occur once are asked for, at places drawn by chance. Without
    distinctiveness, every word counts as rare.
    """
    match variant:
        case Variant.NO_REPETITION:
            return _single(texts, repository, reference, most)
        case Variant.NO_DISTINCTIVENESS:
            return _drawn(mine(texts, repository, NO_REFERENCE), most, repository)
        case _:
            return mine(texts, repository, reference)[:most]


def without_entropy(query: Query) -> Query:
    """Return the query as it weighs when the context is not looked at."""
    return replace(query, entropy=None)


def _drawn(queries: list[Query], most: int, repository: str) -> list[Query]:
    # The miner puts the rarest first; without distinctiveness there is no such order.
    return random.Random(repository).sample(queries, min(most, len(queries)))


def _single(texts: Mapping[str, str], repository: str, reference: Reference, most: int) -> list[Query]:
    counts = Counter(word for text in texts.values() for word in WORD.findall(text))
    rare = max(2, 0.03 * reference.size)
    found = [
        (path, match.start(), match.group())
        for path, text in sorted(texts.items())
        for match in WORD.finditer(text)
        if counts[match.group()] == 1
        and match.start() > 0
        and reference.frequency(match.group(), repository) <= rare
    ]
    chosen = random.Random(repository).sample(found, min(most, len(found)))
    return [
        Query(
            repository=repository,
            kind=PatternKind.TEXT,
            group=f"{path}:{start}",
            prefix=texts[path][max(0, start - _PREFIX) : start],
            target=word,
            occurrences=1,
            reference_frequency=reference.frequency(word, repository),
            reference_size=reference.size,
        )
        for path, start, word in chosen
    ]
