"""What a word is: the unit of the reference dictionary, of targets, and of an answer."""

from __future__ import annotations

import re

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""An identifier or a plain word of ASCII letters. Prefixes end just before one; targets are one."""

PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
"""Parts of an identifier in camel or snake case."""


def words(text: str) -> list[str]:
    """Return every word of a text in order, repeats included."""
    return WORD.findall(text)


def first_word(text: str) -> str:
    """Return the word that a continuation starts with; empty when it starts with anything else.

    What follows a prefix must be the target and no more: `namespaces` is not `namespace`.
    """
    match = WORD.match(text)
    return match.group() if match else ""


def parts(word: str) -> list[str]:
    """Return the lower-case parts of an identifier: `HTTPServer_v2` gives http, server, v, 2."""
    return [part.lower() for part in PARTS.findall(word)]
