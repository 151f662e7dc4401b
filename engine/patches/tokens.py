"""Tokens of a syntax tree in normal form.

What formatters change is removed here, so that Black's output has the tokens of the unformatted source:
comments, line breaks, quote style, trailing commas, statement ends, and brackets around a whole expression.
Brackets inside an operator expression stay, because they can be the fix, and so does the comma that makes a
tuple of one element.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import tree_sitter

from engine.patches.literals import number_text, string_content, string_start, string_text, text_block

IDENTIFIER, STRING, NUMBER, SYMBOL = "i", "s", "n", "k"

_DROPPED = frozenset({"comment", "line_comment", "block_comment", "line_continuation", ";"})
_IDENTIFIERS = frozenset({"identifier", "type_identifier"})
_NUMBERS = frozenset(
    {
        "integer",
        "float",
        "decimal_integer_literal",
        "hex_integer_literal",
        "octal_integer_literal",
        "binary_integer_literal",
        "decimal_floating_point_literal",
        "hex_floating_point_literal",
    }
)
_STRINGS = frozenset({"string", "string_literal", "character_literal"})
# Parts of an interpolated string that hold text beside their children in the tree.
_STRING_PARTS = frozenset({"string_start", "string_content", "string_end", "format_specifier"})
_STATEMENT_ENDS = frozenset({";", ":"})
# Inside these, brackets decide the order of evaluation.
_OPERATORS = frozenset(
    {
        "attribute",
        "await",
        "binary_expression",
        "binary_operator",
        "boolean_operator",
        "call",
        "cast_expression",
        "comparison_operator",
        "conditional_expression",
        "field_access",
        "method_invocation",
        "not_operator",
        "subscript",
        "ternary_expression",
        "unary_expression",
        "unary_operator",
    }
)
# What `await` binds as tightly as brackets do.
_PRIMARIES = frozenset({"attribute", "call", "identifier", "parenthesized_expression", "subscript"})
_CLOSING = frozenset({")", "]", "}"})
# Lists that may stand in brackets or without.
_OPEN_LISTS = frozenset({"import_from_statement", "future_import_statement", "with_clause"})
_TUPLES = frozenset({"tuple", "tuple_pattern"})
_BARE_LISTS = frozenset({"expression_list", "pattern_list"})
# Where a tuple needs no brackets.
_TUPLE_PLACES = frozenset(
    {
        "assignment",
        "augmented_assignment",
        "case_clause",
        "delete_statement",
        "expression_statement",
        "for_in_clause",
        "for_statement",
        "match_statement",
        "return_statement",
        "yield",
    }
)
# What the children of some nodes are told to be inside of, beside the kinds of the grammars.
_ONE_ELEMENT, _RAW = "tuple of one element", "raw string"


class Token(NamedTuple):
    """One token: its normal form and its kind (identifier, string, number or symbol)."""

    text: str
    kind: str


def tokens_of(nodes: Iterable[tree_sitter.Node], parent: str = "") -> tuple[Token, ...]:
    """Return the tokens below `nodes`, in source order and normal form.

    Args:
        nodes: Nodes side by side.
        parent: Kind of the node that holds them, on which depends what brackets mean; empty for nodes that
            are looked at by themselves.
    """
    tokens: list[Token] = []
    stack = [(node, parent) for node in reversed(_kept(list(nodes), parent, ""))]
    while stack:
        node, parent = stack.pop()
        kind = node.type
        if kind in _DROPPED:
            continue
        if kind in _STRING_PARTS or (kind in _STRINGS and not _has_interpolation(node)):
            tokens.append(Token(_string(node, parent), STRING))
            continue
        children = node.children
        if children:
            stack += reversed(_placed(_kept(children, kind, parent), kind, parent))
            continue
        # A comma before a closing bracket is the formatter's.
        if kind in _CLOSING and parent != _ONE_ELEMENT and tokens and tokens[-1] == (",", SYMBOL):
            tokens.pop()
        text = _text(node)
        if text:
            tokens.append(_leaf(text, kind))
    while tokens and tokens[-1].kind == SYMBOL and tokens[-1].text in _STATEMENT_ENDS:
        tokens.pop()
    return tuple(tokens)


def _placed(children: list[tree_sitter.Node], kind: str, parent: str) -> list[tuple[tree_sitter.Node, str]]:
    """Pair the children of a node of `kind` with what they are told to be inside of."""
    if not children:
        return []
    inner = kind
    if kind == "parenthesized_expression":
        # Once brackets are dropped, the content stands in their place; where they are kept, others inside
        # them are needless.
        inner = "" if children[0].type == "(" else parent
    elif kind == "case_pattern" and parent == "case_clause":
        inner = parent
    elif kind == "string":
        inner = _RAW if "r" in _text(children[0]).lower() else kind
    elif kind in _TUPLES or kind == "subscript":
        inner = _ONE_ELEMENT if sum(child.type == "," for child in children) == 1 else ""
    placed = [(child, inner) for child in children]
    if kind == "subscript":
        placed[0] = (children[0], kind)
    elif kind == "conditional_expression":
        # What follows `else` reaches to the end of the expression, with brackets or without.
        placed[-1] = (children[-1], "")
    return placed


def _kept(children: list[tree_sitter.Node], kind: str, parent: str) -> list[tree_sitter.Node]:
    """Return the children of a node of `kind` less brackets and commas that say nothing."""
    if kind == "parenthesized_expression":
        return children if _needs_brackets(children, parent) else _without_brackets(children)
    if kind in _OPEN_LISTS:
        return _without_last_comma(_without_brackets(children), 0)
    if kind in _TUPLES and parent in _TUPLE_PLACES:
        return _without_last_comma(_without_brackets(children), 1)
    if kind in _BARE_LISTS:
        return _without_last_comma(children, 1)
    if kind == "class_definition":
        return [child for child in children if child.type != "argument_list" or child.named_child_count]
    return children


def _without_brackets(children: list[tree_sitter.Node]) -> list[tree_sitter.Node]:
    return [child for child in children if child.type not in ("(", ")", "[", "]")]


def _without_last_comma(children: list[tree_sitter.Node], needed: int) -> list[tree_sitter.Node]:
    """Drop a comma at the end, unless there are only `needed` of them."""
    children = [child for child in children if child.type not in _DROPPED]
    commas = sum(child.type == "," for child in children)
    return children[:-1] if commas > needed and children[-1].type == "," else children


def _needs_brackets(children: Sequence[tree_sitter.Node], parent: str) -> bool:
    if parent not in _OPERATORS:
        return False
    content = next((child for child in children[1:] if child.is_named and child.type not in _DROPPED), None)
    if content is None:
        return True
    if parent == "await":
        return content.type not in _PRIMARIES
    if parent == "unary_operator" and content.type == "binary_operator":
        # A power binds tighter than a sign: formatters put these brackets for the eye.
        operator = content.child_by_field_name("operator")
        return operator is None or operator.type != "**"
    return True


def _has_interpolation(node: tree_sitter.Node) -> bool:
    return any(child.type == "interpolation" for child in node.children)


def _string(node: tree_sitter.Node, parent: str) -> str:
    text, kind = _text(node), node.type
    if kind == "string_content":
        return string_content(text, raw=parent == _RAW)
    if kind == "string_start":
        return string_start(text)
    if kind == "string_end":
        return '"'
    if kind == "string_literal" and text.startswith('"""'):
        return text_block(text)
    return text if kind in ("character_literal", "format_specifier") else string_text(text)


def _leaf(text: str, kind: str) -> Token:
    if kind in _IDENTIFIERS:
        return Token(text, IDENTIFIER)
    if kind in _NUMBERS:
        return Token(number_text(text), NUMBER)
    return Token(text, STRING if kind == "escape_sequence" else SYMBOL)


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


_CODE_POINTS: dict[str, str] = {}
_FIRST_CODE, _SURROGATES, _SURROGATES_END, _LAST_CODE = 0x21, 0xD800, 0xE000, 0x10FFFF


def encode(tokens: Iterable[Token]) -> str:
    """Return a token sequence as a string of one character per token, for fast edit distances.

    Equal tokens have equal characters within one process; the characters mean nothing outside it.
    """
    return "".join([_CODE_POINTS.get(token.text) or _assign(token.text) for token in tokens])


def _assign(text: str) -> str:
    number = _FIRST_CODE + len(_CODE_POINTS)
    if number >= _SURROGATES:
        number += _SURROGATES_END - _SURROGATES
    if number > _LAST_CODE:
        # A million distinct tokens: from here on a few of them share a character.
        number = _SURROGATES_END + hash(text) % (_LAST_CODE - _SURROGATES_END)
        return chr(number)
    return _CODE_POINTS.setdefault(text, chr(number))
