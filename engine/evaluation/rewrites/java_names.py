"""Rewrites of names: local variables renamed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import tree_sitter

from engine.evaluation.rewrites.edits import Edit, Span, edited
from engine.evaluation.rewrites.java_code import JavaCode, below, field, identifiers, text

_DECLARATION = "local_variable_declaration"
_BLOCKS = frozenset({"block", "constructor_body", "for_statement"})
_OTHER_CODE = frozenset({"class_body", "lambda_expression"})


def rename_locals(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Rename the local variables of the methods in `spans`."""
    code = JavaCode.parse(source)
    if code is None:
        return None
    fields = {
        text(declarator.child_by_field_name("name"))
        for node in below(code.root)
        if node.type == "field_declaration"
        for declarator in node.named_children
        if declarator.type == "variable_declarator"
    }
    return edited(source, [edit for method in code.callables(spans) for edit in _renames(method, fields)])


def _renames(method: tree_sitter.Node, fields: set[bytes]) -> Iterator[Edit]:
    used = identifiers(method)
    for name, blocks in sorted(_locals(method).items()):
        new = name + b"Value"
        if name in fields or new in used or new in fields:
            continue
        uses = [node for node in below(method) if node.type == "identifier" and text(node) == name]
        variables = [node for node in uses if _is_variable(node)]
        if _all_within(variables, blocks) and not _bound_otherwise(method, name):
            yield from (Edit(node.start_byte, node.end_byte, new) for node in variables)


def _locals(method: tree_sitter.Node) -> dict[bytes, list[tuple[int, int]]]:
    """Return the plain local variables of a method with the byte ranges in which each is known."""
    found: dict[bytes, list[tuple[int, int]]] = {}
    for node in below(field(method, "body"), stop=_OTHER_CODE):
        if node.type != _DECLARATION or node.parent is None:
            continue
        for declarator in node.named_children:
            if declarator.type == "variable_declarator":
                block = node.parent if node.parent.type in _BLOCKS else node
                name = field(declarator, "name")
                found.setdefault(text(name), []).append((name.start_byte, block.end_byte))
    return found


def _all_within(nodes: Sequence[tree_sitter.Node], ranges: Sequence[tuple[int, int]]) -> bool:
    return all(any(start <= node.start_byte < end for start, end in ranges) for node in nodes)


def _is_variable(node: tree_sitter.Node) -> bool:
    """Whether an identifier can name a local variable, and not a member, a label or an element."""
    parent = node.parent
    if parent is None:
        return False
    match parent.type:
        case "method_invocation":
            return parent.child_by_field_name("name") != node
        case "field_access":
            return parent.child_by_field_name("field") != node
        case "method_reference":
            return parent.children[0] == node
        case "labeled_statement" | "break_statement" | "continue_statement" | "element_value_pair":
            return False
        case "method_declaration" | "marker_annotation" | "annotation" | "scoped_identifier":
            return False
    return True


def _bound_otherwise(method: tree_sitter.Node, name: bytes) -> bool:
    """Whether a name is also bound by something else than a local variable's declaration."""
    for node in below(method):
        if node.type == "class_body" and name in identifiers(node):
            return True
        if node.type == "inferred_parameters" and name in identifiers(node):
            return True
        if node.type == "lambda_expression" and text(node.child_by_field_name("parameters")) == name:
            return True
        declares = node.type not in ("variable_declarator",) and node.parent is not None
        if declares and text(node.child_by_field_name("name")) == name and node.type not in _USES:
            return True
        inside = node.parent is not None and node.parent.type != _DECLARATION
        if node.type == "variable_declarator" and inside and text(node.child_by_field_name("name")) == name:
            return True
    return False


_USES = frozenset({"method_invocation", "field_access"})
