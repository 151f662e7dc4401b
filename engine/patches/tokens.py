"""Tokens of a syntax tree in normal form.

What formatters change is removed here, so that Black's output has the tokens of the unformatted source:
comments, line breaks, quote style, trailing commas, statement ends, and brackets around a whole expression.
Brackets inside an operator expression stay, because they can be the fix.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import tree_sitter

IDENTIFIER, STRING, NUMBER, SYMBOL = "i", "s", "n", "k"

_COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
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
        "parenthesized_expression",
        "subscript",
        "ternary_expression",
        "unary_expression",
        "unary_operator",
    }
)
_CLOSING = frozenset({")", "]", "}"})


class Token(NamedTuple):
    """One token: its normal form and its kind (identifier, string, number or symbol)."""

    text: str
    kind: str


def tokens_of(nodes: Iterable[tree_sitter.Node]) -> tuple[Token, ...]:
    """Return the tokens below `nodes`, in source order and normal form."""
    tokens: list[Token] = []
    for node in nodes:
        for token in _leaves(node):
            # A comma before a closing bracket is the formatter's.
            if token.text in _CLOSING and token.kind == SYMBOL and tokens and tokens[-1] == (",", SYMBOL):
                tokens.pop()
            tokens.append(token)
    while tokens and tokens[-1].kind == SYMBOL and tokens[-1].text in _STATEMENT_ENDS:
        tokens.pop()
    return tuple(tokens)


def _leaves(root: tree_sitter.Node) -> Iterator[Token]:
    stack = [root]
    while stack:
        node = stack.pop()
        kind = node.type
        if kind in _COMMENTS or kind in ("line_continuation", ";"):
            continue
        if kind in _STRINGS and not _has_interpolation(node):
            yield Token(_string_text(node), STRING)
            continue
        children = node.children
        if not children:
            text = _text(node)
            if text:
                yield Token(text, _kind(kind))
            continue
        if kind == "parenthesized_expression" and not _keeps_brackets(node):
            children = children[1:-1]
        stack.extend(reversed(children))


def _keeps_brackets(node: tree_sitter.Node) -> bool:
    parent = node.parent
    return parent is not None and parent.type in _OPERATORS


def _has_interpolation(node: tree_sitter.Node) -> bool:
    return any(child.type == "interpolation" for child in node.children)


def _string_text(node: tree_sitter.Node) -> str:
    """Return a string literal with canonical quotes, prefix and escapes of quotes."""
    text = _text(node)
    match = re.fullmatch(r"""([A-Za-z]*)('''|\"""|'|")(.*)\2""", text, flags=re.DOTALL)
    if match is None:
        return text
    prefix, body = match[1].lower().replace("u", ""), match[3]
    if node.type == "character_literal":
        return f"'{body}'"
    if "r" not in prefix:
        body = body.replace("\\'", "'").replace('\\"', '"')
    return f'{prefix}"{body}"'


def _kind(node_type: str) -> str:
    if node_type in _IDENTIFIERS:
        return IDENTIFIER
    if node_type in _NUMBERS:
        return NUMBER
    if node_type in ("string_start", "string_content", "string_end", "string_fragment", "escape_sequence"):
        return STRING
    return SYMBOL


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
