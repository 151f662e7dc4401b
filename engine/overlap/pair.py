"""One item beside one document: every measure, and where the shared text stands in both."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from engine.overlap.canonical import canonical, token_spans, tokens
from engine.overlap.evaluation_set import make_item
from engine.overlap.index import build_index
from engine.overlap.matcher import Matcher
from engine.overlap.rules import Rules

MARKED_TOKENS = 4
"""Shared runs of at least so many tokens are marked for a reader."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PairMeasures:
    """What an item and a document have in common.

    Attributes:
        ngrams: n-grams of the item.
        share: Share of them in the document; None for an item too short to be judged.
        token_share: Share of the item's tokens that are contaminated by Llama 2's rule.
        longest_match: Tokens of the longest contaminated span.
        span: Characters of the longest common span of canonical text.
    """

    ngrams: int
    share: float | None
    token_share: float
    longest_match: int
    span: int


def measure_pair(item: str, document: str, rules: Rules) -> PairMeasures:
    """Measure one pair, as a scan does."""
    index = build_index([make_item("item", item)], rules)
    _, found = Matcher(index).match_texts([document])
    total, length = int(index.totals[0]), int(index.lengths[0])
    ngrams, contaminated, longest = (
        int(values[0]) if len(found) else 0 for values in (found.ngrams, found.contaminated, found.longest)
    )
    return PairMeasures(
        ngrams=total,
        share=ngrams / total if total else None,
        token_share=contaminated / length if length else 0.0,
        longest_match=longest,
        span=longest_common_span(item, document),
    )


def longest_common_span(first: str, second: str) -> int:
    """Return the number of characters of the longest span that two canonical texts have in common."""
    a, b = canonical(first), canonical(second)
    if len(a) > len(b):
        a, b = b, a
    best = 0
    for start in range(len(a)):
        while start + best < len(a) and a[start : start + best + 1] in b:
            best += 1
    return best


def shared_spans(item: str, document: str, least: int = MARKED_TOKENS) -> tuple[list[Span], list[Span]]:
    """Return the stretches of both texts that lie in a shared run of at least `least` tokens.

    Returns:
        Half-open ranges of characters, ascending and apart: of the item, of the document.
    """
    first, second = tokens(item), tokens(document)
    places: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at in range(len(second) - least + 1):
        places[tuple(second[at : at + least])].append(at)
    in_item = np.zeros(len(first), np.bool_)
    in_document = np.zeros(len(second), np.bool_)
    for at in range(len(first) - least + 1):
        found = places.get(tuple(first[at : at + least]), ())
        if found:
            in_item[at : at + least] = True
        for place in found:
            in_document[place : place + least] = True
    return _stretches(token_spans(item), in_item), _stretches(token_spans(document), in_document)


def _stretches(spans: list[Span], marked: np.typing.NDArray[np.bool_]) -> list[Span]:
    edges = np.flatnonzero(np.diff(np.concatenate(([False], marked, [False]))))
    return [(spans[start][0], spans[end - 1][1]) for start, end in edges.reshape(-1, 2).tolist()]
