"""Similarity of lines by embedding (Section 4.2): exact, then candidates by edit distance, re-ranked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rapidfuzz.distance import Indel
from rapidfuzz.process import extract

from engine.patches.syntax import LogicalLine, Scope
from engine.patches.tokens import encode
from engine.presence.embedders import Embedder
from engine.presence.embedders.line_text import LineText

CANDIDATES = 5
"""How many lines nearest by edit distance are embedded for each line."""
HIGHEST_INEXACT = 0.9999
"""Only lines of the same tokens score 1: texts put to a model can be equal where the lines are not."""


class EmbeddingSimilarity:
    """Cosine similarity of embeddings, negative ones counted as 0.

    Args:
        embedder: Where the vectors come from.
        text: How a line is put to it.
    """

    def __init__(self, embedder: Embedder, text: LineText) -> None:
        self.name = embedder.name
        self._embedder = embedder
        self._text = text

    def best(self, lines: Sequence[LogicalLine], scopes: Sequence[Scope]) -> tuple[float, ...]:
        """See `LineSimilarity.best`."""
        codes = list(dict.fromkeys(code for scope in scopes for code in scope.codes))
        known = set(codes)
        wanted = {place: encode(line.tokens) for place, line in enumerate(lines)}
        near = {
            place: [
                found[0]
                for found in extract(code, codes, scorer=Indel.normalized_similarity, limit=CANDIDATES)
            ]
            for place, code in wanted.items()
            if code not in known
        }
        scores = [1.0 if place not in near else 0.0 for place in wanted]
        if any(near.values()):
            for place, score in self._reranked(lines, near, scopes).items():
                scores[place] = score
        return tuple(scores)

    def _reranked(
        self, lines: Sequence[LogicalLine], near: dict[int, list[str]], scopes: Sequence[Scope]
    ) -> dict[int, float]:
        """Return the highest similarity of each line to one of its candidates."""
        chosen = {code for codes in near.values() for code in codes}
        texts = {
            code: self._text(line)
            for scope in scopes
            for code, line in zip(scope.codes, scope.lines, strict=True)
            if code in chosen
        }
        every = list(dict.fromkeys([*(self._text(lines[place]) for place in near), *texts.values()]))
        vectors = dict(zip(every, self._embedder.encode(every), strict=True))
        return {
            place: _highest(vectors[self._text(lines[place])], [vectors[texts[code]] for code in codes])
            for place, codes in near.items()
            if codes
        }


def _highest(
    vector: np.ndarray[tuple[int], np.dtype[np.float32]],
    others: Sequence[np.ndarray[tuple[int], np.dtype[np.float32]]],
) -> float:
    return min(max(float(np.max(np.stack(others) @ vector)), 0.0), HIGHEST_INEXACT)
