"""Java source as the rewrites see it: its syntax tree, and what its names are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import tree_sitter

from engine.evaluation.rewrites.edits import Rows, Span
from engine.patches.syntax import Language, SourceFile

COMMENTS = frozenset({"line_comment", "block_comment"})
TYPES = frozenset({"class_declaration", "interface_declaration", "enum_declaration", "record_declaration"})
_CALLABLES = frozenset({"method_declaration", "constructor_declaration"})
_BODIES = frozenset({"class_body", "enum_body", "enum_body_declarations", "interface_body"})


class JavaCode:
    """A file without syntax errors.

    Attributes:
        source: Its bytes.
        root: The root of its syntax tree.
        rows: Where its lines are.
    """

    def __init__(self, source: bytes, root: tree_sitter.Node) -> None:
        self.source = source
        self.root = root
        self.rows = Rows(source)

    @classmethod
    def parse(cls, source: bytes) -> JavaCode | None:
        """Return the parsed file, None where it has errors or is not UTF-8."""
        try:
            source.decode("utf-8")
        except UnicodeDecodeError:
            return None
        root = SourceFile(source, Language.JAVA).scopes[0].node
        return None if root.has_error or not root.named_children else cls(source, root)

    def callables(self, spans: Sequence[Span]) -> Iterator[tree_sitter.Node]:
        """Yield the methods and constructors with a body that meet any of the spans, outermost only."""
        stack = [self.root]
        while stack:
            node = stack.pop()
            if node.type in _CALLABLES:
                rows = node.start_point.row + 1, node.end_point.row + 1
                if node.child_by_field_name("body") and any(span.meets(*rows) for span in spans):
                    yield node
            elif node is self.root or node.type in TYPES or node.type in _BODIES:
                stack += reversed(node.children)

    def methods(self, spans: Sequence[Span]) -> Iterator[tree_sitter.Node]:
        """Yield those that are methods."""
        return (node for node in self.callables(spans) if node.type == "method_declaration")


def text(node: tree_sitter.Node | None) -> bytes:
    """Return the text of a node, nothing for no node."""
    return (node.text or b"") if node is not None else b""


def field(node: tree_sitter.Node, name: str) -> tree_sitter.Node:
    """Return a child that the grammar says is always there.

    Raises:
        KeyError: If it is not.
    """
    child = node.child_by_field_name(name)
    if child is None:
        raise KeyError(f"{node.type} has no {name}")
    return child


def below(root: tree_sitter.Node, stop: frozenset[str] = frozenset()) -> Iterator[tree_sitter.Node]:
    """Yield the nodes below `root` in source order, without going into those whose type is in `stop`."""
    stack = list(reversed(root.children))
    while stack:
        node = stack.pop()
        yield node
        if node.type not in stop:
            stack += reversed(node.children)


def identifiers(root: tree_sitter.Node) -> set[bytes]:
    """Return every name that occurs below a node."""
    return {text(node) for node in below(root) if node.type in ("identifier", "type_identifier")}


def modifiers(node: tree_sitter.Node) -> list[bytes]:
    """Return the modifiers of a declaration, annotations left out."""
    return [
        text(word)
        for child in node.children
        if child.type == "modifiers"
        for word in child.children
        if "annotation" not in word.type and word.type not in COMMENTS
    ]


def parameter_names(method: tree_sitter.Node) -> list[bytes] | None:
    """Return the names of a method's parameters; None where they are unusual."""
    names = []
    for parameter in field(method, "parameters").named_children:
        if parameter.type in COMMENTS:
            continue
        declarator = [child for child in parameter.named_children if child.type == "variable_declarator"]
        name = parameter.child_by_field_name("name") or (
            declarator[0].child_by_field_name("name") if declarator else None
        )
        if parameter.type not in ("formal_parameter", "spread_parameter") or name is None:
            return None
        names.append(text(name))
    return names


def enclosing(node: tree_sitter.Node, kinds: frozenset[str]) -> tree_sitter.Node | None:
    """Return the nearest node around `node` of one of some kinds."""
    place = node.parent
    while place is not None and place.type not in kinds:
        place = place.parent
    return place
