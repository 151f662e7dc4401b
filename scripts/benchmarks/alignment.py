"""Tree alignment's speed beside apted, the exact tree edit distance, on the same pairs in the same run.

Each pair is a made-up Python function of about so many nodes and a copy with some of its names, operators and
statements changed. apted pairs every node at the least cost; the alignment pairs what is identical and what
holds it. How many nodes each pairs is printed too: speed with few pairs would be worth nothing.

Run it when the machine is quiet. apted is among the development dependencies.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable

from apted import APTED, Config

from engine.patches.syntax import parse_source
from engine.presence.alignment import SyntaxTree, align

SEED = 13
CHANGED_LINES = 0.2


class Node:
    """A node as apted wants it."""

    def __init__(self, label: tuple[str, str]) -> None:
        self.label = label
        self.children: list[Node] = []


class Costs(Config):  # type: ignore[misc]  # apted has no types
    """One for a deletion, an insertion, or another label."""

    def rename(self, node1: Node, node2: Node) -> int:
        """Cost of turning one node into another."""
        return int(node1.label != node2.label)


def main() -> None:
    """Make the pairs, time both programs, print medians and their ratio."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, nargs="+", default=[100, 300, 1000], help="sizes of the trees")
    parser.add_argument("--pairs", type=int, default=5, help="pairs of each size [5]")
    parser.add_argument("--apted-nodes", type=int, default=300, help="largest size for apted [300]")
    arguments = parser.parse_args()
    generator = random.Random(SEED)
    for nodes in arguments.nodes:
        pairs = [make_pair(nodes, generator) for _ in range(arguments.pairs)]
        sizes = statistics.mean(len(tree) for pair in pairs for tree in pair)
        ours, ours_paired = measure(pairs, lambda one, other: len(align(one, other).pairs))
        line = f"{sizes:6.0f} nodes: alignment {ours * 1e3:8.2f} ms, {ours_paired:4.0f} pairs"
        if nodes <= arguments.apted_nodes:
            theirs, theirs_paired = measure(pairs, apted_pairs)
            line += f"; apted {theirs * 1e3:8.1f} ms, {theirs_paired:4.0f} pairs; {theirs / ours:.0f} times"
        print(line)


def measure(
    pairs: list[tuple[SyntaxTree, SyntaxTree]], count: Callable[[SyntaxTree, SyntaxTree], int]
) -> tuple[float, float]:
    """Return the median seconds of a pair, and the mean number of nodes paired."""
    seconds, counts = [], []
    for one, other in pairs:
        start = time.perf_counter()
        counts.append(count(one, other))
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), statistics.mean(counts)


def apted_pairs(one: SyntaxTree, other: SyntaxTree) -> int:
    """Return how many nodes of the same label or kind apted maps onto each other."""
    mapping = APTED(as_nodes(one), as_nodes(other), Costs()).compute_edit_mapping()
    return sum(a is not None and b is not None and a.label[0] == b.label[0] for a, b in mapping)


def as_nodes(tree: SyntaxTree) -> Node:
    """Return a tree as nodes with lists of children."""
    nodes = [Node(label) for label in zip(tree.kinds, tree.texts, strict=True)]
    for node, parent in enumerate(tree.parents):
        if parent >= 0:
            nodes[parent].children.append(nodes[node])
    return nodes[-1]


def make_pair(nodes: int, generator: random.Random) -> tuple[SyntaxTree, SyntaxTree]:
    """Return the trees of a function of about `nodes` nodes and of a changed copy."""
    lines: list[str] = []
    while True:
        lines.append(make_line(generator))
        tree = as_tree(lines)
        if len(tree) >= nodes:
            break
    changed = [make_line(generator) if generator.random() < CHANGED_LINES else line for line in lines]
    return tree, as_tree(changed)


def make_line(generator: random.Random) -> str:
    """Return one statement of few names, so that subtrees repeat as they do in real code."""

    def name() -> str:
        return generator.choice(("self", "value", "other", "index", "result", "options", "count", "key"))

    return generator.choice(
        (
            f"{name()} = {name()}.{name()}({name()}, {name()}={generator.randrange(9)})",
            f"if {name()} {generator.choice(('<', '<=', '=='))} {name()}:\n        return {name()}[{name()}]",
            f"for {name()} in {name()}.{name()}():\n        {name()}.append({name()} + 1)",
            f"raise {name().title()}('{name()} {name()}' % {name()})",
        )
    )


def as_tree(lines: list[str]) -> SyntaxTree:
    """Parse statements as the body of a function."""
    text = "def function(self, value):\n" + "".join(f"    {line}\n" for line in lines)
    source = parse_source(text.encode(), "made_up.py")
    assert source is not None
    tree = SyntaxTree.of(source.scopes[1].node)
    assert tree is not None
    return tree


if __name__ == "__main__":
    main()
