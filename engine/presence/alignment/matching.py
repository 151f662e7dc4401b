"""GumTree's matching of two trees (Falleri et al., ASE 2014).

Top-down, identical subtrees are paired by hash, large ones first. Bottom-up, containers are paired with those
that hold most partners of their descendants. What then is left below a pair of containers is small, and the
exact edit distance pairs it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.presence.alignment.edit_distance import cells, edit_mapping, reduced
from engine.presence.alignment.tree import SyntaxTree

MIN_HEIGHT = 1
"""Lowest subtree that is paired top-down; leaves alone repeat too often."""
MIN_DICE = 0.5
"""Share of common descendants from which two containers are paired (GumTree's default)."""
MAX_REST_NODES = 60
"""Largest rest, on either side, whose exact edit distance is computed."""
MAX_REST_CELLS = 40_000
"""Largest table for it: lopsided rests of few nodes can need far more than others."""
_MAX_CHOICES = 400
"""Up to this many pairs of repeated subtrees are weighed by what is around them; more are paired in order."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Which nodes of two trees correspond.

    Attributes:
        left: One tree.
        right: The other.
        pairs: Partner in `right` of each node of `left` that has one; no partner twice.
    """

    left: SyntaxTree
    right: SyntaxTree
    pairs: dict[int, int]

    @property
    def similarity(self) -> float:
        """Dice coefficient: twice the pairs by the nodes of both trees, 0 to 1."""
        return 2 * len(self.pairs) / (len(self.left) + len(self.right))

    def coverage(self, nodes: Iterable[int]) -> float:
        """Return the share of some nodes of `left` whose partner is equal in kind and text; 0 for none."""
        found = [self._is_kept(node) for node in nodes]
        return sum(found) / len(found) if found else 0.0

    def partner_rows(self, nodes: Iterable[int]) -> list[tuple[int, int]]:
        """Return the rows of the partners of some nodes of `left`, ascending."""
        return sorted({self.right.rows[self.pairs[node]] for node in nodes if node in self.pairs})

    def _is_kept(self, node: int) -> bool:
        partner = self.pairs.get(node)
        return partner is not None and self.left.texts[node] == self.right.texts[partner]


def align(left: SyntaxTree, right: SyntaxTree) -> Alignment:
    """Align two trees.

    Returns:
        The alignment; paired nodes have the same kind.
    """
    matcher = _Matcher(left, right)
    matcher.pair_identical()
    matcher.pair_containers()
    return Alignment(left, right, matcher.pairs)


class _Matcher:
    def __init__(self, left: SyntaxTree, right: SyntaxTree) -> None:
        self.left = left
        self.right = right
        self.pairs: dict[int, int] = {}
        self._taken: set[int] = set()

    def pair_identical(self) -> None:
        """Pair subtrees that are equal, the highest first; unique ones before repeated ones."""
        repeated: list[tuple[list[int], list[int]]] = []
        for lefts, rights in self._equal_groups():
            if len(lefts) == len(rights) == 1:
                self._pair_subtrees(lefts[0], rights[0])
            else:
                repeated.append((lefts, rights))
        for lefts, rights in repeated:
            for one, other in self._ranked(lefts, rights):
                if one not in self.pairs and other not in self._taken:
                    self._pair_subtrees(one, other)

    def pair_containers(self) -> None:
        """Pair inner nodes by common descendants, from the leaves up, and the roots in any case."""
        root = len(self.left) - 1
        for node in range(len(self.left)):
            if node in self.pairs or self.left.heights[node] == 0:
                continue
            partner = self._best_container(node)
            if partner is not None:
                self._pair(node, partner)
                self._pair_rest(node, partner)
        last = len(self.right) - 1
        if (
            root not in self.pairs
            and last not in self._taken
            and self.left.kinds[root] == self.right.kinds[last]
        ):
            self._pair(root, last)
            self._pair_rest(root, last)

    def _equal_groups(self) -> Iterator[tuple[list[int], list[int]]]:
        """Yield the nodes of equal subtrees on both sides, those within an already paired subtree left out.

        Parents are higher than their children, so that by descending height a subtree comes before its parts.
        """
        by_hash: tuple[dict[int, list[int]], dict[int, list[int]]] = (defaultdict(list), defaultdict(list))
        for tree, groups in zip((self.left, self.right), by_hash, strict=True):
            for node, height in enumerate(tree.heights):
                if height >= MIN_HEIGHT:
                    groups[tree.hashes[node]].append(node)
        common = [value for value in by_hash[0] if value in by_hash[1]]
        for value in sorted(common, key=lambda value: -self.left.heights[by_hash[0][value][0]]):
            lefts = [node for node in by_hash[0][value] if node not in self.pairs]
            rights = [node for node in by_hash[1][value] if node not in self._taken]
            if lefts and rights:
                yield lefts, rights

    def _ranked(self, lefts: list[int], rights: list[int]) -> list[tuple[int, int]]:
        """Return the pairs of repeated equal subtrees, the most plausible first."""
        if len(lefts) * len(rights) > _MAX_CHOICES:
            return list(zip(lefts, rights, strict=False))
        scale = len(self.right) / len(self.left)
        choices = [(one, other) for one in lefts for other in rights]
        around: dict[tuple[int, int], float] = {}
        for one, other in choices:
            parents = self.left.parents[one], self.right.parents[other]
            if parents not in around:
                around[parents] = self._dice(*parents) if min(parents) >= 0 else 0.0

        def rank(pair: tuple[int, int]) -> tuple[float, float]:
            parents = self.left.parents[pair[0]], self.right.parents[pair[1]]
            return -around[parents], abs(pair[0] * scale - pair[1])

        return sorted(choices, key=rank)

    def _best_container(self, node: int) -> int | None:
        """Return the unpaired node of the same kind with the most common descendants, if they are enough."""
        kind, parents = self.left.kinds[node], self.right.parents
        common: dict[int, int] = defaultdict(int)
        for below in range(self.left.first[node], node):
            above = self.pairs.get(below, -1)
            while above >= 0:
                above = parents[above]
                if above >= 0 and self.right.kinds[above] == kind and above not in self._taken:
                    common[above] += 1
        size = self.left.size(node) - 1
        scores = {other: 2 * count / (size + self.right.size(other) - 1) for other, count in common.items()}
        best = max(scores, key=scores.__getitem__, default=None)
        return best if best is not None and scores[best] >= MIN_DICE else None

    def _dice(self, node: int, other: int) -> float:
        start, end = self.right.first[other], other
        common = sum(start <= self.pairs.get(below, -1) < end for below in range(self.left.first[node], node))
        return 2 * common / max(self.left.size(node) + self.right.size(other) - 2, 1)

    def _pair_rest(self, node: int, partner: int) -> None:
        """Pair what is left below two containers by the edit distance, if it is little."""
        lefts = _rest(self.left, node, self.pairs)
        rights = _rest(self.right, partner, self._taken)
        if not 1 < len(lefts) <= MAX_REST_NODES or not 1 < len(rights) <= MAX_REST_NODES:
            return
        small = [
            reduced(list(zip(tree.kinds, tree.texts, strict=True)), tree.first, nodes)
            for tree, nodes in ((self.left, lefts), (self.right, rights))
        ]
        if cells(*small) > MAX_REST_CELLS:
            return
        for one, other in edit_mapping(*small)[1]:
            left, right = lefts[one], rights[other]
            same_kind = self.left.kinds[left] == self.right.kinds[right]
            if same_kind and left not in self.pairs and right not in self._taken:
                self._pair(left, right)

    def _pair(self, node: int, partner: int) -> None:
        self.pairs[node] = partner
        self._taken.add(partner)

    def _pair_subtrees(self, node: int, partner: int) -> None:
        shift = partner - node
        for below in range(self.left.first[node], node + 1):
            self._pair(below, below + shift)


def _rest(tree: SyntaxTree, node: int, paired: dict[int, int] | set[int]) -> list[int]:
    """Return a node and what is left below it when paired subtrees are taken out, ascending."""
    rest = [node]
    below = node - 1
    while below >= tree.first[node]:
        if below in paired:
            below = tree.first[below] - 1
        else:
            rest.append(below)
            below -= 1
    return rest[::-1]
