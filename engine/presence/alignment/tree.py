"""Abstract syntax trees as flat arrays, made from tree-sitter's concrete ones.

What formatters and writers of comments change is left out: comments, docstrings, punctuation and the brackets
around an expression, whose order the tree already tells. A leaf is a token in the normal form of
`engine.patches.tokens`.
"""

from __future__ import annotations

from dataclasses import dataclass

import tree_sitter

from engine.patches.tokens import tokens_of

MAX_NODES = 20_000
"""Larger pieces of code are no functions but tables; they are not aligned."""
MAX_HEIGHT = 400
"""Deeper nesting is made by machines; climbing it for every node would take quadratic time."""

_DROPPED = frozenset(
    {"comment", "line_comment", "block_comment", "line_continuation"}
    | {"(", ")", "[", "]", "{", "}", ",", ":", ";", "."}
)
_STRINGS = frozenset({"string", "string_literal", "character_literal"})
_WRAPPERS = frozenset({"parenthesized_expression", "expression_statement"})


@dataclass(frozen=True, slots=True)
class SyntaxTree:
    """A tree in postorder: the descendants of node i are the nodes `first[i]` to i - 1.

    Attributes:
        kinds: Grammar's name of each node.
        texts: Token of each leaf; empty for inner nodes.
        parents: Parent of each node, -1 for the root, which comes last.
        first: The first node of each subtree.
        heights: Longest way down to a leaf; 0 for a leaf.
        hashes: Equal for subtrees of the same kinds and texts, within one process.
        rows: 1-based first and last physical line of each node.
    """

    kinds: tuple[str, ...]
    texts: tuple[str, ...]
    parents: tuple[int, ...]
    first: tuple[int, ...]
    heights: tuple[int, ...]
    hashes: tuple[int, ...]
    rows: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.kinds)

    def size(self, node: int) -> int:
        """Return the number of nodes in a subtree, its root included."""
        return node - self.first[node] + 1

    @classmethod
    def of(cls, node: tree_sitter.Node, leave_out: frozenset[str] = frozenset()) -> SyntaxTree | None:
        """Build the tree of a node.

        Args:
            node: Any node of a tree-sitter tree.
            leave_out: Kinds whose subtrees are not taken, such as functions within a class body.

        Returns:
            The tree, or None when it has more than `MAX_NODES` nodes or is deeper than `MAX_HEIGHT`.
        """
        return _Builder(leave_out).build(node)


class _Builder:
    """Collects nodes in postorder with an explicit stack, so that no nesting is too deep to read."""

    def __init__(self, leave_out: frozenset[str]) -> None:
        self._leave_out = leave_out
        self._kinds: list[str] = []
        self._texts: list[str] = []
        self._parents: list[int] = []
        self._first: list[int] = []
        self._heights: list[int] = []
        self._hashes: list[int] = []
        self._rows: list[tuple[int, int]] = []

    def build(self, root: tree_sitter.Node) -> SyntaxTree | None:
        """See `SyntaxTree.of`."""
        # A frame holds a node, its children still to be visited, and the finished ones.
        frames: list[tuple[tree_sitter.Node, list[tree_sitter.Node], list[int]]] = []
        frames.append((root, self._children(root), []))
        while frames:
            if len(frames) > MAX_HEIGHT or len(self._kinds) > MAX_NODES:
                return None
            node, waiting, done = frames[-1]
            if waiting:
                self._visit(waiting.pop(), frames, done)
                continue
            frames.pop()
            number = self._add(node.type, "", _rows(node), done)
            if frames:
                frames[-1][2].append(number)
        return self._finish()

    def _finish(self) -> SyntaxTree:
        return SyntaxTree(
            kinds=tuple(self._kinds),
            texts=tuple(self._texts),
            parents=tuple(self._parents),
            first=tuple(self._first),
            heights=tuple(self._heights),
            hashes=tuple(self._hashes),
            rows=tuple(self._rows),
        )

    def _visit(
        self,
        node: tree_sitter.Node,
        frames: list[tuple[tree_sitter.Node, list[tree_sitter.Node], list[int]]],
        done: list[int],
    ) -> None:
        if node.type in _STRINGS or node.child_count == 0:
            text = " ".join(token.text for token in tokens_of([node])) or _text(node)
            done.append(self._add(node.type, text, _rows(node), []))
        else:
            frames.append((node, self._children(node), []))

    def _children(self, node: tree_sitter.Node) -> list[tree_sitter.Node]:
        """Return the children that count, last one first."""
        found: list[tree_sitter.Node] = []
        stack = list(node.children)
        while stack:
            child = stack.pop()
            if child.type in _DROPPED or child.type in self._leave_out or _is_docstring(child):
                continue
            if child.type in _WRAPPERS:
                stack += child.children
            else:
                found.append(child)
        return found

    def _add(self, kind: str, text: str, rows: tuple[int, int], children: list[int]) -> int:
        number = len(self._kinds)
        for child in children:
            self._parents[child] = number
        self._kinds.append(kind)
        self._texts.append(text)
        self._parents.append(-1)
        self._first.append(self._first[children[0]] if children else number)
        self._heights.append(1 + max(self._heights[child] for child in children) if children else 0)
        self._hashes.append(hash((kind, text, *(self._hashes[child] for child in children))))
        self._rows.append(rows)
        return number


def _is_docstring(node: tree_sitter.Node) -> bool:
    return node.type == "expression_statement" and all(child.type == "string" for child in node.children)


def _rows(node: tree_sitter.Node) -> tuple[int, int]:
    return node.start_point.row + 1, node.end_point.row + 1


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
