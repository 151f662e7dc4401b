"""How alike two logical lines are (Section 4.2, embedding-based patch matching).

The paper matches exactly first, then takes candidates by edit distance and re-ranks them with an embedding.
The lexical similarity below needs no model: it is the edit similarity of the two token sequences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rapidfuzz.distance import Indel
from rapidfuzz.process import extractOne

from engine.patches.syntax import LogicalLine, Scope
from engine.patches.tokens import encode


class LineSimilarity(Protocol):
    """A similarity of logical lines, from 0 (nothing in common) to 1 (the same tokens).

    Attributes:
        name: Name of the embedder, to which a threshold belongs.
    """

    name: str

    def best(self, lines: Sequence[LogicalLine], scopes: Sequence[Scope]) -> tuple[float, ...]:
        """Return, for each line, its highest similarity to a line of `scopes`; 0 where they are empty."""
        ...


class LexicalSimilarity:
    """One minus the normalised insertion and deletion distance of the token sequences."""

    name = "lexical"

    def best(self, lines: Sequence[LogicalLine], scopes: Sequence[Scope]) -> tuple[float, ...]:
        """See `LineSimilarity.best`."""
        candidates = list(dict.fromkeys(code for scope in scopes for code in scope.codes))
        known = set(candidates)
        scores = []
        for line in lines:
            code = encode(line.tokens)
            if code in known:
                scores.append(1.0)
                continue
            found = extractOne(code, candidates, scorer=Indel.normalized_similarity)
            scores.append(found[1] if found else 0.0)
        return tuple(scores)
