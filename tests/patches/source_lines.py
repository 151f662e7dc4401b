"""Reads sources as tests compare them."""

from __future__ import annotations

from engine.patches.syntax import Language, SourceFile

Lines = list[tuple[str, int]]


def parse(text: str | bytes, language: Language = Language.PYTHON) -> SourceFile:
    return SourceFile(text.encode() if isinstance(text, str) else text, language)


def lines_by_scope(text: str | bytes, language: Language = Language.PYTHON) -> list[tuple[str, str, Lines]]:
    """Every scope with its name, kind, and logical lines with their depth."""
    return [
        (scope.name, scope.kind, [(line.text, line.depth) for line in scope.lines])
        for scope in parse(text, language).scopes
    ]


def all_lines(text: str | bytes, language: Language = Language.PYTHON) -> list[str]:
    return [line.text for scope in parse(text, language).scopes for line in scope.lines]
