"""The part of a document that a reviewer is shown, and its paragraphs."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

import numpy as np

from engine.overlap.canonical import token_spans, tokens
from engine.overlap.hashing import I64

_BEFORE = 200
_AFTER = 300
_LONGEST = 8000
_PARAGRAPH_END = re.compile(r"\n[ \t\r\f\v]*\n")
# Nothing that is folded together reaches across the start of a line.
_LINE_START = re.compile(r"(?=\n)")


class Excerpts:
    """Cuts the parts of one document that a reviewer is shown.

    Its tokens are counted line by line and only the line of a match is walked: where each token of a whole
    document outside ASCII lies takes a hundred times as long to find out.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = _LINE_START.split(text)
        self._tokens = [0, *accumulate(len(tokens(line)) for line in self._lines)]
        self._starts = [0, *accumulate(map(len, self._lines))]

    def cut(self, token: int, item_length: int) -> tuple[int, str]:
        """Return the stretch of the document around a match, and the offset of its first character.

        Args:
            token: Index of the document's token at which the match starts.
            item_length: Characters of the item: about so many are shown from the match on, within bounds.
        """
        start = self._start(token)
        first = max(0, start - _BEFORE)
        return first, self._text[first : min(start + item_length + _AFTER, first + _LONGEST)]

    def _start(self, token: int) -> int:
        token = min(token, self._tokens[-1] - 1)
        if token < 0:
            return 0
        line = bisect_right(self._tokens, token) - 1
        return self._starts[line] + token_spans(self._lines[line])[token - self._tokens[line]][0]


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
