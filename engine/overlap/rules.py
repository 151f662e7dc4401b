"""The rules of the gate and their thresholds, in one place."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from engine.problems import BenchCheckerError

SPAN_DRAWS = 3
"""Stretches of an item that GPT-4's check draws at random; one that a document holds is enough."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What is measured, and from which value on a pair or a document is put up for review.

    Attributes:
        n: Length of the n-grams, in tokens (GPT-3's analysis: 13).
        share: Share of an item's n-grams in a document that flags the pair.
        span: Characters of canonical text in common that flag the pair (GPT-4's report: 50).
        run: A contaminated token lies in a match longer than this many tokens, and the first so many agree
            exactly (Llama 2, Appendix A.6: 10).
        skips: Tokens inside such a match that may differ; never the last one (Llama 2: 4).
        token_share: Share of contaminated tokens that flags the pair; Llama 2 calls a sample with less than
            20% clean.
        paragraph_share: Share of a paragraph's n-grams found in the evaluation set that flags the document.
        similarity: Similarity of embeddings that flags a pair, where a semantic pass was run.
        min_tokens: Items with fewer tokens are not judged: too short to be told from chance (GPT-3: 8).
        max_items: n-grams found in more items than this are dropped, None to keep all.
        max_documents: n-grams found in more documents than this are dropped, None to keep all.
        span_documents: Stretches of `span` characters found in more documents than this are common, and say
            little: an import, a licence, an example everybody uses.
        span_chance: A pair flagged for characters or a paragraph only is likely boilerplate if the published
            rule, which draws `SPAN_DRAWS` stretches of the item at random (GPT-4's report, Appendix C), would
            draw one that the document shares and that is not common less often than this.
        keep_share: Unflagged pairs from this share on are kept in the result too, so that dropping n-grams by
            document frequency can still raise them.
    """

    n: int = 13
    share: float = 0.5
    span: int = 50
    run: int = 10
    skips: int = 4
    token_share: float = 0.2
    paragraph_share: float = 0.5
    similarity: float = 0.6
    min_tokens: int = 8
    max_items: int | None = None
    max_documents: int | None = None
    span_documents: int = 10
    span_chance: float = 0.1
    keep_share: float = 0.25

    def __post_init__(self) -> None:
        for name in ("share", "token_share", "paragraph_share", "similarity", "span_chance", "keep_share"):
            if not 0 < getattr(self, name) <= 1:
                raise BenchCheckerError(f"{name} must be above 0 and at most 1, got {getattr(self, name)}")
        for name, least in (("n", 2), ("span", 15), ("run", 2), ("skips", 0), ("min_tokens", 1)):
            if getattr(self, name) < least:
                raise BenchCheckerError(f"{name} must be at least {least}, got {getattr(self, name)}")

    @property
    def seed(self) -> int:
        """Length of the exact token runs by which documents are found: no rule needs a shorter one."""
        return min(self.n, self.run)

    @property
    def seed_step(self) -> int:
        """Documents are probed for common tokens at every so many tokens."""
        return 4 if self.seed >= 10 else 2 if self.seed >= 6 else 1

    @property
    def seed_window(self) -> int:
        """Length of the windows probed: any common run of `seed` tokens holds a whole one."""
        return self.seed - self.seed_step + 1

    @property
    def shortest_item(self) -> int:
        """Items with fewer tokens are not judged."""
        return min(self.min_tokens, self.n)

    @property
    def span_step(self) -> int:
        """Documents are probed for common spans at every so many bytes."""
        return 16 if self.span >= 47 else 8

    @property
    def span_steps(self) -> int:
        """Length, in steps, of the windows probed: any common span of `span` bytes holds a whole one."""
        return (self.span - self.span_step + 1) // self.span_step

    def scanned(self) -> dict[str, Any]:
        """Return what a scan depends on; the rest is applied to its results afterwards."""
        values = asdict(self)
        for name in ("max_documents", "similarity", "span_documents", "span_chance"):
            del values[name]
        return values
