"""The tree edit distance, held against apted."""

from __future__ import annotations

from itertools import combinations

from apted import APTED, Config
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.presence.alignment.edit_distance import (
    DELETE,
    INSERT,
    RENAME,
    REPLACE,
    Label,
    OrderedTree,
    cells,
    edit_mapping,
    reduced,
)


class Node:
    """A tree as apted wants it."""

    def __init__(self, label: Label, children: list[Node]) -> None:
        self.label = label
        self.children = children


class Costs(Config):
    """The same costs, for apted."""

    def rename(self, node1: Node, node2: Node) -> int:
        return label_cost(node1.label, node2.label)


def label_cost(one: Label, other: Label) -> int:
    if one == other:
        return 0
    return RENAME if one[0] == other[0] else REPLACE


def flatten(root: Node) -> OrderedTree:
    labels: list[Label] = []
    first: list[int] = []

    def visit(node: Node) -> int:
        starts = [visit(child) for child in node.children]
        labels.append(node.label)
        first.append(starts[0] if starts else len(labels) - 1)
        return first[-1]

    visit(root)
    return OrderedTree(labels, first)


labels = st.tuples(st.sampled_from("ab"), st.sampled_from("xy"))
trees = st.recursive(
    st.builds(Node, labels, st.just([])),
    lambda below: st.builds(Node, labels, st.lists(below, min_size=1, max_size=4)),
    max_leaves=8,
)


@settings(deadline=None, max_examples=150)
@given(trees, trees)
def test_the_distance_is_apteds(left: Node, right: Node) -> None:
    distance, _ = edit_mapping(flatten(left), flatten(right))
    assert distance == APTED(left, right, Costs()).compute_edit_distance()


@settings(deadline=None, max_examples=150)
@given(trees, trees)
def test_the_mapping_has_that_cost_and_keeps_order_and_ancestry(left: Node, right: Node) -> None:
    one, other = flatten(left), flatten(right)
    distance, pairs = edit_mapping(one, other)
    renamed = sum(label_cost(one.labels[i], other.labels[j]) for i, j in pairs)
    deleted, inserted = len(one.labels) - len(pairs), len(other.labels) - len(pairs)
    assert renamed + deleted * DELETE + inserted * INSERT == distance
    for (i, j), (k, m) in combinations(sorted(pairs), 2):
        assert j < m, "postorder is kept, and no node is paired twice"
        assert (one.first[k] <= i) == (other.first[m] <= j), "an ancestor stays one"


def test_a_known_distance() -> None:
    """The example of Zhang and Shasha's paper: f(d(a c(b)) e) and f(c(d(a b)) e) are two edits apart."""

    def node(label: str, *children: Node) -> Node:
        return Node((label, ""), list(children))

    left = node("f", node("d", node("a"), node("c", node("b"))), node("e"))
    right = node("f", node("c", node("d", node("a"), node("b"))), node("e"))
    assert edit_mapping(flatten(left), flatten(right))[0] == 2


def test_the_work_is_told_beforehand() -> None:
    label = ("a", "")
    leaf = Node(label, [])
    chain = flatten(Node(label, [Node(label, [leaf])]))
    star = flatten(Node(label, [leaf, leaf, leaf]))
    assert cells(chain, chain) == 3 * 3
    assert cells(chain, star) == 3 * (4 + 1 + 1), "each leaf with a left sibling is a problem of its own"


@given(trees, st.data())
def test_a_tree_less_some_subtrees(root: Node, data: st.DataObject) -> None:
    whole = flatten(root)
    nodes = list(range(len(whole.labels)))
    cut = data.draw(st.sets(st.sampled_from(nodes[:-1]), max_size=3)) if len(nodes) > 1 else set()
    kept = [node for node in nodes if not any(whole.first[top] <= node <= top for top in cut)]
    tree = reduced(whole.labels, whole.first, kept)
    for place, node in enumerate(kept):
        below = [other for other in kept if whole.first[node] <= other <= node]
        assert place - tree.first[place] + 1 == len(below)
        assert tree.labels[place] == whole.labels[node]
