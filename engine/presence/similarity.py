"""How alike two logical lines are (Section 4.2, embedding-based patch matching).

The paper matches exactly first, then takes candidates by edit distance and re-ranks them with an embedding.
The lexical similarity below needs no model: it is the edit similarity of the two token sequences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rapidfuzz.distance import Indel

from engine.patches.syntax import LogicalLine


class LineSimilarity(Protocol):
    """A similarity of logical lines, from 0 (nothing in common) to 1 (the same tokens)."""

    name: str

    def best(self, line: LogicalLine, candidates: Sequence[LogicalLine]) -> tuple[float, LogicalLine | None]:
        """Return the highest similarity of `line` to a candidate, and that candidate.

        `(0.0, None)` when there is no candidate.
        """
        ...


class LexicalSimilarity:
    """One minus the normalised insertion and deletion distance of the token sequences."""

    name = "lexical"

    def best(self, line: LogicalLine, candidates: Sequence[LogicalLine]) -> tuple[float, LogicalLine | None]:
        """See `LineSimilarity.best`."""
        tokens = [token.text for token in line.tokens]
        score, found = 0.0, None
        for candidate in candidates:
            # rapidfuzz stops early below the best score so far.
            similarity = Indel.normalized_similarity(
                tokens, [token.text for token in candidate.tokens], score_cutoff=score
            )
            if similarity > score or found is None:
                score, found = similarity, candidate
            if score == 1.0:
                break
        return score, found
