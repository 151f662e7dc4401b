"""Rewrites of statements: reordered, split, merged, conditions inverted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import tree_sitter

from engine.evaluation.rewrites.edits import Edit, Span, edited
from engine.evaluation.rewrites.java_code import COMMENTS, JavaCode, below, field, identifiers, text

_OTHER_CODE = frozenset({"class_body", "lambda_expression"})
_SIMPLE = frozenset(
    {
        "identifier",
        "string_literal",
        "character_literal",
        "decimal_integer_literal",
        "decimal_floating_point_literal",
        "true",
        "false",
        "null_literal",
        "this",
    }
)
_OPPOSITE = {b"==": b"!=", b"!=": b"=="}


_Pairing = Callable[[tree_sitter.Node, tree_sitter.Node], bool]


def reorder_statements(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Swap neighbouring declarations of local variables that start as constants or names."""
    code = JavaCode.parse(source)
    if code is None:
        return None
    edits: list[Edit] = []
    for method in code.callables(spans):
        for node in below(method):
            if node.type in ("block", "constructor_body"):
                edits += _swaps(node.named_children, _independent)
    return edited(source, edits)


def reorder_methods(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Swap each method in `spans` with the next one of its class."""
    code = JavaCode.parse(source)
    if code is None:
        return None
    wanted = {node.start_byte for node in code.methods(spans)}
    edits: list[Edit] = []
    for node in below(code.root):
        if node.type == "class_body":
            members = [child for child in node.named_children if child.type not in COMMENTS]
            edits += _swaps(
                members,
                lambda first, second: (
                    first.type == second.type == "method_declaration"
                    and not wanted.isdisjoint((first.start_byte, second.start_byte))
                ),
            )
    return edited(source, edits)


def _swaps(nodes: Sequence[tree_sitter.Node], allowed: _Pairing) -> Iterator[Edit]:
    taken: tree_sitter.Node | None = None
    for first, second in pairwise(nodes):
        if first != taken and allowed(first, second):
            yield Edit(first.start_byte, first.end_byte, text(second))
            yield Edit(second.start_byte, second.end_byte, text(first))
            taken = second


def _independent(first: tree_sitter.Node, second: tree_sitter.Node) -> bool:
    one, two = _plain_declaration(first), _plain_declaration(second)
    return (
        one is not None
        and two is not None
        and one not in identifiers(second)
        and two not in identifiers(first)
    )


def _plain_declaration(node: tree_sitter.Node) -> bytes | None:
    """Return the name that a declaration gives to a constant or a name, None for any other node."""
    declarator = _only_declarator(node)
    value = declarator.child_by_field_name("value") if declarator is not None else None
    return text(field(declarator, "name")) if declarator and value and value.type in _SIMPLE else None


def _only_declarator(node: tree_sitter.Node) -> tree_sitter.Node | None:
    if node.type != "local_variable_declaration":
        return None
    declarators = [child for child in node.named_children if child.type == "variable_declarator"]
    return declarators[0] if len(declarators) == 1 else None


def introduce_variables(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Give the value of a `return` a name first."""
    code = JavaCode.parse(source)
    if code is None:
        return None
    return edited(source, [edit for method in code.methods(spans) for edit in _named_results(code, method)])


def _named_results(code: JavaCode, method: tree_sitter.Node) -> Iterator[Edit]:
    kind, name = text(field(method, "type")), b"outcome"
    if name in identifiers(method) or method.child_by_field_name("dimensions") is not None:
        return
    for node in below(field(method, "body"), stop=_OTHER_CODE):
        value = _returned(node)
        if value is None or value.type in _SIMPLE or node.parent is None:
            continue
        between = b"\n" + code.rows.indent(node.start_point.row + 1)
        statements = kind + b" " + name + b" = " + text(value) + b";" + between + b"return " + name + b";"
        in_block = node.parent.type == "block"
        yield Edit(node.start_byte, node.end_byte, statements if in_block else b"{ " + statements + b" }")


def _returned(node: tree_sitter.Node) -> tree_sitter.Node | None:
    if node.type != "return_statement":
        return None
    values = [child for child in node.named_children if child.type not in COMMENTS]
    return values[0] if len(values) == 1 else None


def inline_variables(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Merge `T name = value; return name;` into one statement, where `T` is what the method returns."""
    code = JavaCode.parse(source)
    if code is None:
        return None
    edits: list[Edit] = []
    for method in code.methods(spans):
        kind = text(field(method, "type"))
        for node in below(method, stop=_OTHER_CODE):
            if node.type == "block":
                for first, second in pairwise(node.named_children):
                    edits += _merged(first, second, kind)
    return edited(source, edits)


def _merged(first: tree_sitter.Node, second: tree_sitter.Node, kind: bytes) -> Iterator[Edit]:
    declarator, returned = _only_declarator(first), _returned(second)
    value = declarator.child_by_field_name("value") if declarator is not None else None
    if declarator is None or value is None or returned is None or value.type == "array_initializer":
        return
    same = text(returned) == text(declarator.child_by_field_name("name"))
    if same and text(first.child_by_field_name("type")) == kind:
        yield Edit(first.start_byte, second.end_byte, b"return " + text(value) + b";")


def invert_conditions(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Negate the condition of every `if` with an `else`, and swap the branches."""
    code = JavaCode.parse(source)
    if code is None:
        return None
    edits: list[Edit] = []
    for method in code.callables(spans):
        for node in below(field(method, "body")):
            if node.type == "if_statement":
                edits += _inversion(code, node)
    return edited(source, edits)


def _inversion(code: JavaCode, node: tree_sitter.Node) -> Iterator[Edit]:
    condition, body = field(node, "condition"), field(node, "consequence")
    other = node.child_by_field_name("alternative")
    if other is None or body.type != "block" or other.type != "block":
        return
    inner = [child for child in condition.named_children if child.type not in COMMENTS]
    if len(inner) == 1:
        before = code.source[node.start_byte : condition.start_byte]
        between = code.source[condition.end_byte : body.start_byte]
        middle = code.source[body.end_byte : other.start_byte]
        # One edit for the whole statement: what is nested in it stays as it is.
        parts = [before, b"(", _negated(inner[0]), b")", between, text(other), middle, text(body)]
        yield Edit(node.start_byte, node.end_byte, b"".join(parts))


def _negated(condition: tree_sitter.Node) -> bytes:
    operator = text(condition.child_by_field_name("operator"))
    if condition.type == "binary_expression" and operator in _OPPOSITE:
        left, right = text(field(condition, "left")), text(field(condition, "right"))
        return left + b" " + _OPPOSITE[operator] + b" " + right
    if condition.type == "unary_expression" and operator == b"!":
        return text(field(condition, "operand"))
    return b"!(" + text(condition) + b")"
