"""The part of a document that a reviewer is shown, and its paragraphs."""

from __future__ import annotations

import re
from itertools import islice

import numpy as np

from engine.overlap.canonical import token_spans, tokens
from engine.overlap.hashing import I64

_BEFORE = 200
_AFTER = 300
_LONGEST = 8000
_PARAGRAPH_END = re.compile(r"\n[ \t\r\f\v]*\n")


def excerpt(text: str, token: int, item_length: int) -> tuple[int, str]:
    """Return the stretch of `text` around a match, and the offset of its first character.

    Args:
        text: The document.
        token: Index of the document's token at which the match starts.
        item_length: Characters of the item: about so many are shown from the match on, within bounds.
    """
    if text.isascii():
        found = next(islice(re.finditer(r"[A-Za-z0-9]+", text), token, None), None)
        start = found.start() if found else 0
    else:
        spans = token_spans(text)
        start = spans[min(token, len(spans) - 1)][0] if spans else 0
    first = max(0, start - _BEFORE)
    return first, text[first : min(start + item_length + _AFTER, first + _LONGEST)]


def paragraph_share(text: str, matched: I64, n: int) -> float:
    """Return the greatest share that any paragraph has of its n-grams in the evaluation set.

    The rule of the Marin pipeline: of the n-grams that lie inside one paragraph (blank lines part them),
    which share occurs in the evaluation material?

    Args:
        text: The document.
        matched: Indices of the document's tokens at which an n-gram of the set starts, ascending.
        n: Length of the n-grams; a paragraph with fewer tokens has none.
    """
    best, first = 0.0, 0
    for paragraph in _PARAGRAPH_END.split(text):
        count = len(tokens(paragraph))
        eligible = count - n + 1
        if eligible > 0:
            low, high = np.searchsorted(matched, (first, first + eligible))
            best = max(best, float(high - low) / eligible)
        first += count
    return best
