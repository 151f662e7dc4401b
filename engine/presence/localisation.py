"""Where in a file the code of a block is now, when its function is gone (Section 4.2, Algorithm 4).

Candidate functions are filtered by contextual features, the names that the block calls and uses. The block's
syntax tree is then aligned with that of each candidate, and the one that holds most of the block wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.patches.blocks import Block
from engine.patches.syntax import Scope, SourceFile, parse_source
from engine.patches.tokens import IDENTIFIER, encode
from engine.presence.alignment import Alignment, SyntaxTree, align

MIN_COVERAGE = 0.5
"""Share of the block that must be found for a location; GumTree's own bound for two nodes to correspond."""
MIN_FEATURES = 0.5
"""Share of the block's names that a candidate must hold to be aligned at all."""
MAX_CANDIDATES = 5
"""How many candidates are aligned, those with most of the names."""


@dataclass(frozen=True, slots=True)
class Location:
    """Where the code of a block was found.

    Attributes:
        scope: The function, class body or module that holds it.
        coverage: Share of the nodes of the block's syntax tree found there unchanged, 0 to 1.
        start: 1-based first row of what corresponds to the block.
        end: 1-based last row of it.
    """

    scope: Scope
    coverage: float
    start: int
    end: int


class Localiser:
    """Finds one block in one version of a file after another.

    Args:
        block: The block; it needs its `fixed_text`.
    """

    def __init__(self, block: Block) -> None:
        self._lines = [line for line in block.added if not line.is_import]
        self._kind = block.kind
        self._features = frozenset(
            encode([token]) for line in self._lines for token in line.tokens if token.kind == IDENTIFIER
        )
        self._tree = _fixed_tree(block)
        self._nodes = _nodes_on(self._tree, [(line.start, line.end) for line in self._lines])
        self._memo: dict[bytes, Alignment | None] = {}

    def locate(self, source: SourceFile) -> Location | None:
        """Return the best place in a file; None when no candidate holds enough of the block."""
        found = [self.locate_in(scope) for scope in self._candidates(source)]
        places = [place for place in found if place is not None and place.coverage >= MIN_COVERAGE]
        return max(places, key=lambda place: place.coverage, default=None)

    def locate_in(self, scope: Scope) -> Location | None:
        """Return the place of the block in one scope, however little of it is there; None for none."""
        alignment = self._align(scope)
        if alignment is None:
            return None
        rows = alignment.partner_rows(self._nodes)
        if not rows:
            return None
        # Alignments are remembered by text; the same text can start on another row in another version.
        shift = scope.start - alignment.right.rows[-1][0]
        start, end = min(row for row, _ in rows) + shift, max(row for _, row in rows) + shift
        return Location(scope, alignment.coverage(self._nodes), start, end)

    def _candidates(self, source: SourceFile) -> Sequence[Scope]:
        """Return the scopes of the block's kind that hold enough of its names, most first."""
        if self._tree is None or not self._features:
            return ()
        shares = []
        for order, scope in enumerate(source.scopes):
            if scope.kind != self._kind:
                continue
            held = self._features.intersection("".join(scope.codes))
            if len(held) >= MIN_FEATURES * len(self._features):
                shares.append((-len(held), order, scope))
        return [scope for _, _, scope in sorted(shares, key=lambda share: share[:2])[:MAX_CANDIDATES]]

    def _align(self, scope: Scope) -> Alignment | None:
        key = scope.source
        if key not in self._memo:
            tree = SyntaxTree.of(scope.node, scope.nested_kinds)
            self._memo[key] = None if tree is None or self._tree is None else align(self._tree, tree)
        return self._memo[key]


def _fixed_tree(block: Block) -> SyntaxTree | None:
    """Return the syntax tree of the block's scope in the fixed file, None without one of a usable size."""
    source = parse_source(block.fixed_text, block.path)
    scopes = source.scopes_by_name.get(block.scope, ()) if source is not None else ()
    holding = [scope for scope in scopes if scope.start <= block.start <= scope.end]
    return SyntaxTree.of(holding[0].node, holding[0].nested_kinds) if holding else None


def _nodes_on(tree: SyntaxTree | None, spans: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Return the nodes of a tree that lie wholly on one of some spans of rows."""
    if tree is None:
        return ()
    return tuple(
        node
        for node, (start, end) in enumerate(tree.rows)
        if any(first <= start and end <= last for first, last in spans)
    )
