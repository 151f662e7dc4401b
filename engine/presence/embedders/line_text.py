"""Logical lines as texts for an embedder."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from engine.patches.syntax import LogicalLine
from engine.patches.tokens import IDENTIFIER, Token

LineText = Callable[[LogicalLine], str]

_KEPT = frozenset({"self", "cls", "super"})
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


def plain_text(line: LogicalLine) -> str:
    """Return a line as it stands in normal form, for models trained on code."""
    return line.text


def without_names(line: LogicalLine) -> str:
    """Return a line with its variables numbered and the names of what it calls and reads split into words.

    Embedders trained on prose follow names: with them, other logic on the same variables looks more alike
    than the same logic on renamed ones.
    """
    numbers: dict[str, str] = {}
    return " ".join(_word(line.tokens, place, numbers) for place in range(len(line.tokens)))


def _word(tokens: Sequence[Token], place: int, numbers: dict[str, str]) -> str:
    token = tokens[place]
    if token.kind != IDENTIFIER or token.text in _KEPT:
        return token.text
    is_called = place + 1 < len(tokens) and tokens[place + 1].text == "("
    is_member = place > 0 and tokens[place - 1].text == "."
    if is_called or is_member:
        return " ".join(word.lower() for word in _WORDS.findall(token.text)) or token.text
    return numbers.setdefault(token.text, f"v{len(numbers) + 1}")
