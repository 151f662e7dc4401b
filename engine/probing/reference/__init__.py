"""Distinctiveness: in how many reference repositories a word occurs (paper, Section 3.3, Challenge 2)."""

from __future__ import annotations

from typing import Protocol


class Reference(Protocol):
    """Counts of words over reference repositories."""

    @property
    def size(self) -> int:
        """Number of repositories counted."""
        ...

    def frequency(self, word: str, repository: str) -> int:
        """Return how many repositories hold a word, `repository` included whether it was counted or not.

        At least 1, since the word was found in `repository`.
        """
        ...


class _NoReference:
    """Knows no repository but the one that is asked about."""

    size = 0

    def frequency(self, word: str, repository: str) -> int:
        del word, repository
        return 1


NO_REFERENCE: Reference = _NoReference()
"""For tests, and for the ablation without distinctiveness: every word is as rare as any other."""
