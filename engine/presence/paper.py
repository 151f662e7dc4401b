"""The `paper` detector: presence as published (Sections 3.4 and 4.2).

It looks in the file that the patch names, in the function of the same class and name. If that is gone, it
looks in the function whose syntax tree aligns best with the block's; where none does, or lines of the block
are elsewhere, it matches fuzzily in the whole file. A block's score is the similarity of its least similar
logical line, so a block is present at a threshold when every line is. Import lines do not implement a fix and
are left out.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from engine.patches.blocks import Block
from engine.patches.syntax import LogicalLine, Scope
from engine.presence.localisation import Localiser, Location
from engine.presence.similarity import LineSimilarity
from engine.presence.snapshot import Snapshot
from engine.presence.verdicts import BlockVerdict, Method


class PaperDetector:
    """Presence of a block as the paper defines it.

    An instance serves one patch: it remembers what it found for each block.

    Args:
        similarity: Similarity of logical lines; a threshold belongs to it.
    """

    key = "paper"
    version = 2

    def __init__(self, similarity: LineSimilarity) -> None:
        self._similarity = similarity
        self._memo: dict[tuple[int, bytes], tuple[float, ...]] = {}
        self._localisers: dict[int, Localiser] = {}

    def select(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        """Return the blocks with added code; deletions count only where there is nothing else."""
        adding = tuple(block for block in blocks if not block.is_deletion)
        return adding or tuple(blocks)

    def judge_alone(self, block: Block, snapshot: Snapshot) -> BlockVerdict | None:
        """See `Detector.judge_alone`: no verdict depends on another."""
        return self.judge(block, snapshot, None)

    def judge(self, block: Block, snapshot: Snapshot, previous: BlockVerdict | None) -> BlockVerdict:
        """See `Detector.judge`; the previous verdict does not matter here."""
        source = snapshot.source(block.path)
        scopes = source.scopes_by_name.get(block.scope, ()) if source else ()
        if block.is_deletion:
            return _judge_deletion(block, scopes)
        if source is None:
            return _nowhere(block, Method.FILE_GONE)
        lines = [line for line in block.added if not line.is_import]
        if not lines:
            return BlockVerdict(
                1.0, Method.VERBATIM, block.path, None, None, (), (block.path,), "imports only"
            )
        if scopes:
            return _verdict(block, self._match(block, lines, scopes), scopes[0], Method.SIMILAR)
        anywhere = self._match(block, lines, source.scopes)
        place = self._localiser(block).locate(source)
        if place is not None and min(self._match(block, lines, (place.scope,))) == min(anywhere):
            return _aligned(block, anywhere, place)
        return _verdict(block, anywhere, None, Method.SCOPE_GONE)

    def _localiser(self, block: Block) -> Localiser:
        if block.index not in self._localisers:
            self._localisers[block.index] = Localiser(block)
        return self._localisers[block.index]

    def _match(self, block: Block, lines: list[LogicalLine], scopes: tuple[Scope, ...]) -> tuple[float, ...]:
        """Return the best score of each line among the lines of `scopes`, remembered by their text."""
        source = b"\0".join(scope.source for scope in scopes)
        key = (block.index, hashlib.sha256(source).digest())
        if key not in self._memo:
            self._memo[key] = self._similarity.best(lines, scopes)
        return self._memo[key]


def _verdict(block: Block, scores: tuple[float, ...], scope: Scope | None, method: Method) -> BlockVerdict:
    score = min(scores)
    exact = score == 1.0 and scope is not None
    start, end = (scope.start, scope.end) if scope is not None else (None, None)
    return BlockVerdict(
        score, Method.VERBATIM if exact else method, block.path, start, end, scores, (block.path,)
    )


def _aligned(block: Block, scores: tuple[float, ...], place: Location) -> BlockVerdict:
    score = min(scores)
    method = Method.MOVED if score == 1.0 else Method.SIMILAR
    note = f"aligned with {place.scope.name or 'the module'}"
    return BlockVerdict(score, method, block.path, place.start, place.end, scores, (block.path,), note)


def _judge_deletion(block: Block, scopes: tuple[Scope, ...]) -> BlockVerdict:
    """Judge a block that only deletes: it is there while its deleted lines are not, and be it with the file.

    A line counts as gone while there are no more of it than the fixed code kept.
    """
    counts = Counter(line.tokens for scope in scopes for line in scope.lines)
    kept = Counter(line.tokens for line in block.fixed)
    gone = tuple(1.0 if counts[line.tokens] <= kept[line.tokens] else 0.0 for line in block.dropped)
    start, end = (scopes[0].start, scopes[0].end) if scopes else (None, None)
    return BlockVerdict(min(gone, default=1.0), Method.DELETION, block.path, start, end, gone, (block.path,))


def _nowhere(block: Block, method: Method) -> BlockVerdict:
    return BlockVerdict(0.0, method, block.path, None, None, (0.0,) * len(block.added), (block.path,))
