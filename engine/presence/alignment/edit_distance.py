"""Zhang and Shasha's tree edit distance with the mapping behind it (SIAM J. Comput. 18(6), 1989).

Exact, and quadratic at best: for small trees only. `cells` tells beforehand how much work a pair is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

INSERT = DELETE = 1
RENAME = 1
"""Cost of another text on a node of the same kind."""
REPLACE = INSERT + DELETE
"""Cost of another kind: no cheaper than a deletion and an insertion."""

Label = tuple[str, str]
"""Kind and text of a node."""


@dataclass(frozen=True, slots=True)
class OrderedTree:
    """A small tree in postorder.

    Attributes:
        labels: Label of each node.
        first: Leftmost leaf below each node; the node itself for a leaf.
    """

    labels: Sequence[Label]
    first: Sequence[int]

    @property
    def keyroots(self) -> list[int]:
        """The nodes with a left sibling, and the root, in order: the roots of the separate subproblems."""
        last_with: dict[int, int] = {leaf: node for node, leaf in enumerate(self.first)}
        return sorted(last_with.values())


def cells(left: OrderedTree, right: OrderedTree) -> int:
    """Return how many table cells `edit_mapping` fills for a pair."""
    return _work(left) * _work(right)


def _work(tree: OrderedTree) -> int:
    return sum(root - tree.first[root] + 1 for root in tree.keyroots)


def edit_mapping(left: OrderedTree, right: OrderedTree) -> tuple[int, list[tuple[int, int]]]:
    """Return the edit distance of two trees and a mapping that has this cost.

    Returns:
        The distance, and pairs of nodes that are kept or renamed; nodes in no pair are deleted or inserted.
        The mapping keeps the order of siblings and who is whose ancestor.
    """
    distances = [[0] * len(right.labels) for _ in left.labels]
    for root in left.keyroots:
        for other in right.keyroots:
            _forest(left, right, root, other, distances)
    if not left.labels or not right.labels:
        return len(left.labels) + len(right.labels), []
    return distances[-1][-1], _trace(left, right, distances)


def _cost(one: Label, other: Label) -> int:
    if one == other:
        return 0
    return RENAME if one[0] == other[0] else REPLACE


def _forest(
    left: OrderedTree, right: OrderedTree, root: int, other: int, distances: list[list[int]]
) -> list[list[int]]:
    """Fill the table of forest distances of two subtrees, and the tree distances found on the way.

    Row i stands for the nodes `left.first[root]` to `left.first[root] + i - 1`, columns alike.
    """
    top, side = left.first[root], right.first[other]
    table = [list(range(0, (other - side + 2) * INSERT, INSERT))]
    for i in range(top, root + 1):
        above, row = table[-1], [table[-1][0] + DELETE]
        whole = left.first[i] == top
        label, before = left.labels[i], table[left.first[i] - top]
        known = distances[i]
        for j in range(side, other + 1):
            start = right.first[j]
            best = min(above[j - side + 1] + DELETE, row[-1] + INSERT)
            if whole and start == side:
                kept = above[j - side] + _cost(label, right.labels[j])
                best = min(best, kept)
                known[j] = best
            else:
                best = min(best, before[start - side] + known[j])
            row.append(best)
        table.append(row)
    return table


def _trace(left: OrderedTree, right: OrderedTree, distances: list[list[int]]) -> list[tuple[int, int]]:
    """Read the mapping off the tables, from the roots down."""
    pairs: list[tuple[int, int]] = []
    waiting = [(len(left.labels) - 1, len(right.labels) - 1)]
    while waiting:
        root, other = waiting.pop()
        table = _forest(left, right, root, other, distances)
        top, side = left.first[root], right.first[other]
        i, j = root, other
        while i >= top and j >= side:
            here = table[i - top + 1][j - side + 1]
            if here == table[i - top][j - side + 1] + DELETE:
                i -= 1
            elif here == table[i - top + 1][j - side] + INSERT:
                j -= 1
            elif left.first[i] == top and right.first[j] == side:
                pairs.append((i, j))
                i, j = i - 1, j - 1
            else:
                waiting.append((i, j))
                i, j = left.first[i] - 1, right.first[j] - 1
    return pairs


def reduced(labels: Sequence[Label], first: Sequence[int], nodes: Sequence[int]) -> OrderedTree:
    """Return the tree of some nodes of a tree: those left when whole subtrees are taken out.

    Args:
        labels: Labels of the whole tree, in postorder.
        first: Its leftmost leaves.
        nodes: The nodes kept, ascending.
    """
    return OrderedTree(
        [labels[node] for node in nodes],
        [min(bisect_left(nodes, first[node]), place) for place, node in enumerate(nodes)],
    )
