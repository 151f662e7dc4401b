"""Rewrites that the parser does not see: layout, comments, docstrings."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterator, Sequence

from engine.evaluation.rewrites.edits import Edit, Span, edited
from engine.evaluation.rewrites.python_code import (
    Function,
    PythonCode,
    bodies,
    first_row,
    is_docstring,
    last_row,
)

_LINE_LENGTH = 72


def reformat(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Format the lines of `spans` with Black, more narrowly than its default; None where Black is missing."""
    try:
        import black
        from black.parsing import InvalidInput
        from black.report import NothingChanged
    except ImportError:
        return None
    code = PythonCode.parse(source)
    if code is None:
        return None
    mode = black.Mode(line_length=_LINE_LENGTH)
    try:
        text = black.format_str(source.decode("utf-8"), mode=mode, lines=[(s.first, s.last) for s in spans])
    except (InvalidInput, NothingChanged):
        return None
    result = text.encode("utf-8")
    return None if result == source else result


def add_comments(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Put a comment before every statement of the functions in `spans`."""
    code = PythonCode.parse(source)
    if code is None:
        return None
    rows = {
        first_row(statement)
        for function in code.functions(spans)
        for statements in bodies(function)
        for statement in statements
        if code.rows.begins(first_row(statement), _column(statement))
    }
    return edited(source, [_comment(code, row, number) for number, row in enumerate(sorted(rows), start=1)])


def _column(statement: ast.stmt) -> int:
    # A decorator's at sign stands before its expression.
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return decorators[0].col_offset - 1 if decorators else statement.col_offset


def _comment(code: PythonCode, row: int, number: int) -> Edit:
    place = code.rows.start(row)
    return Edit(place, place, code.rows.indent(row) + b"# Step %d of the work that is done here.\n" % number)


def remove_comments(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Remove the comments in `spans`."""
    code = PythonCode.parse(source)
    if code is None:
        return None
    comments = [token for token in code.tokens() if token.type == tokenize.COMMENT]
    inside = [
        token for token in comments if any(span.meets(token.start[0], token.start[0]) for span in spans)
    ]
    return edited(source, [_without_comment(code, token) for token in inside])


def _without_comment(code: PythonCode, token: tokenize.TokenInfo) -> Edit:
    row, place = token.start[0], code.place(*token.start)
    start = code.rows.start(row)
    before = code.source[start:place]
    if not before.strip():
        return Edit(start, code.rows.end(row), b"")
    return Edit(start + len(before.rstrip()), place + len(token.string.encode("utf-8")), b"")


def toggle_docstrings(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Give the functions in `spans` a docstring where they have none, and take it where they have one."""
    code = PythonCode.parse(source)
    if code is None:
        return None
    return edited(source, [edit for f in code.functions(spans) for edit in _docstring(code, f)])


def _docstring(code: PythonCode, function: Function) -> Iterator[Edit]:
    first = function.body[0]
    row = first_row(first)
    if not code.rows.begins(row, _column(first)):
        return
    start = code.rows.start(row)
    if not is_docstring(first):
        yield Edit(start, start, code.rows.indent(row) + b'"""Do what the callers of this need."""\n')
    elif len(function.body) > 1 and first_row(function.body[1]) > last_row(first):
        yield Edit(start, code.rows.end(last_row(first)), b"")
