"""What a detector says about a block, and about a sample, in one snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Method(StrEnum):
    """How a verdict came about; the words are shown to readers and stored."""

    VERBATIM = "verbatim"
    REFORMATTED = "reformatted"
    RENAMED = "renamed"
    REFACTORED = "refactored"
    MOVED = "moved"
    SIMILAR = "similar"
    DELETION = "deletion only"
    REPLACED = "replaced"
    REMOVED = "removed"
    REVERTED = "reverted"
    SCOPE_GONE = "function gone"
    FILE_GONE = "file gone"
    NOT_LANDED = "not landed yet"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class BlockVerdict:
    """Presence of one block in one snapshot.

    Attributes:
        score: How surely the block is there, 0 to 1.
        method: How that was found.
        path: File where it was found or last looked for.
        start: 1-based first line of the place, None when there is none.
        end: 1-based last line of the place.
        line_scores: Score of each added logical line, in their order.
        watched: Paths whose change can change this verdict.
        note: What a reader needs beside the method, such as where a block moved from.
        share: How far the block's absence alone makes the patch absent: 1 decides, 0 does not matter.
    """

    score: float
    method: Method
    path: str
    start: int | None
    end: int | None
    line_scores: tuple[float, ...]
    watched: tuple[str, ...]
    note: str = ""
    share: float = 1.0

    @property
    def bound(self) -> float:
        """The most that the presence of the patch can be, given this block."""
        return 1.0 - (1.0 - self.score) * self.share

    @property
    def evidence(self) -> tuple[object, ...]:
        """What the verdict rests on, less the line numbers, which shift with every edit above."""
        return (self.score, self.method, self.path, self.line_scores, self.note)


@dataclass(frozen=True, slots=True)
class SampleVerdict:
    """Presence of a whole patch: the score of its weakest block.

    Attributes:
        score: 0 to 1.
        method: Method of the weakest block.
        reason: One sentence a reader can check.
        blocks: The verdict of every block, in the order of the patch.
    """

    score: float
    method: Method
    reason: str
    blocks: tuple[BlockVerdict, ...]

    @property
    def evidence(self) -> tuple[object, ...]:
        """What the verdict rests on, less the line numbers."""
        return (self.method, self.reason, *(block.evidence for block in self.blocks))

    @property
    def weakest(self) -> BlockVerdict | None:
        """The block that decides, None where no block was judged."""
        return min(self.blocks, key=lambda block: block.bound, default=None)


def combine(blocks: Sequence[BlockVerdict], scopes: Sequence[str]) -> SampleVerdict:
    """Return the verdict of a patch from those of its blocks.

    Its score is that of its weakest block, as far as that block matters; where many small blocks are weak, it
    is their mean.

    Args:
        blocks: At least one verdict.
        scopes: Name of each block's function or class, in the same order.
    """
    block, scope = min(zip(blocks, scopes, strict=True), key=lambda pair: pair[0].bound)
    total = sum(one.share for one in blocks)
    mean = sum(one.score * one.share for one in blocks) / total if total else block.score
    where = f"{scope} in {block.path}" if scope else block.path
    count = f"weakest of {len(blocks)} blocks: " if len(blocks) > 1 else ""
    note = f", {block.note}" if block.note else ""
    return SampleVerdict(
        score=min(block.bound, mean),
        method=block.method,
        reason=f"{count}{where}: {block.method.value}, score {block.score:.2f}{note}",
        blocks=tuple(blocks),
    )
