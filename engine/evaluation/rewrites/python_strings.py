"""Rewrites of string formatting: to f-strings, and from them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence

from engine.evaluation.rewrites.edits import Edit, Span, edited
from engine.evaluation.rewrites.python_code import Function, PythonCode

_PLAIN = re.compile(r"(['\"])((?:(?!\1)[^\\\n])*)\1", re.DOTALL)
_PERCENT = re.compile(r"%(.)", re.DOTALL)
_FIELD = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
_CONVERSIONS = {"s": "!s", "r": "!r", "a": "!a"}
_NO_CONVERSION = -1


_Rewrite = Callable[[PythonCode, ast.expr], str | None]


def to_fstrings(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Turn `'%s' % (x,)` and `'{}'.format(x)` into f-strings, where the outcome is the same for any value."""
    return _replace(source, spans, _fstring)


def from_fstrings(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Turn f-strings into calls of `str.format`."""
    return _replace(source, spans, lambda code, node: _format_call(node))


def _replace(source: bytes, spans: Sequence[Span], rewrite: _Rewrite) -> bytes | None:
    code = PythonCode.parse(source)
    if code is None:
        return None
    edits = []
    for function in code.functions(spans):
        for node in _placed_expressions(function):
            text = rewrite(code, node)
            if text is not None:
                edits.append(Edit(code.start(node), code.end(node), text.encode("utf-8")))
    return edited(source, edits)


def _placed_expressions(function: Function) -> Iterator[ast.expr]:
    """Yield the expressions of a function, less those inside f-strings, misplaced before Python 3.12."""
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.expr):
            yield node
        if not isinstance(node, ast.JoinedStr):
            stack += ast.iter_child_nodes(node)


class _Unsuitable(Exception):
    """The formatting has no equal f-string."""


def _fstring(code: PythonCode, node: ast.expr) -> str | None:
    try:
        match node:
            case ast.BinOp(
                left=ast.Constant(value=str()) as left, op=ast.Mod(), right=ast.Tuple(elts=values)
            ):
                quote, body = _plain(code, left)
                return f"f{quote}{_fill_percent(code, body, values, quote)}{quote}"
            case ast.Call(
                func=ast.Attribute(value=ast.Constant(value=str()) as left, attr="format"),
                args=values,
                keywords=keywords,
            ):
                quote, body = _plain(code, left)
                return f"f{quote}{_fill_fields(code, body, values, keywords, quote)}{quote}"
    except _Unsuitable:
        return None
    return None


def _plain(code: PythonCode, node: ast.expr) -> tuple[str, str]:
    """Return quote and body of a literal without prefix, escapes and further parts."""
    match = _PLAIN.fullmatch(code.text(node).decode("utf-8"))
    if match is None:
        raise _Unsuitable
    return match[1], match[2]


def _fill_percent(code: PythonCode, body: str, values: Sequence[ast.expr], quote: str) -> str:
    rest = list(values)

    def field(match: re.Match[str]) -> str:
        if match[1] == "%":
            return "%"
        if match[1] not in _CONVERSIONS or not rest:
            raise _Unsuitable
        return f"{{{_expression(code, rest.pop(0), quote)}{_CONVERSIONS[match[1]]}}}"

    filled = _PERCENT.sub(field, body.replace("{", "{{").replace("}", "}}"))
    if rest:
        raise _Unsuitable
    return filled


def _fill_fields(
    code: PythonCode,
    body: str,
    values: Sequence[ast.expr],
    keywords: Sequence[ast.keyword],
    quote: str,
) -> str:
    # Arguments are evaluated once and in their order: every field must use its own, in order.
    named = {str(keyword.arg): keyword.value for keyword in keywords}
    given = [*(str(number) for number in range(len(values))), *named]
    order: list[str] = []

    def field(match: re.Match[str]) -> str:
        if match[0] in ("{{", "}}"):
            return match[0]
        name = match[1] or str(len(order))
        order.append(name)
        value = named.get(name) or (
            values[int(name)] if name.isdecimal() and int(name) < len(values) else None
        )
        if value is None:
            raise _Unsuitable
        return f"{{{_expression(code, value, quote)}}}"

    filled = _FIELD.sub(field, body)
    if order != given:
        raise _Unsuitable
    return filled


def _expression(code: PythonCode, node: ast.expr, quote: str) -> str:
    """Return an expression as it may stand in an f-string of Python before 3.12."""
    text = code.text(node).decode("utf-8")
    if isinstance(node, ast.Starred) or quote in text or any(mark in text for mark in ("\\", "\n", "#", "{")):
        raise _Unsuitable
    simple = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    return text if simple else f"({text})"


def _format_call(node: ast.expr) -> str | None:
    if not isinstance(node, ast.JoinedStr):
        return None
    literal, values = "", []
    for part in node.values:
        match part:
            case ast.Constant(value=str(text)):
                literal += text.replace("{", "{{").replace("}", "}}")
            case ast.FormattedValue(value=value, conversion=conversion, format_spec=spec):
                mark = "" if conversion == _NO_CONVERSION else f"!{chr(conversion)}"
                match spec:
                    case None:
                        literal += f"{{{mark}}}"
                    case ast.JoinedStr(values=[ast.Constant(value=str(text))]) if "{" not in text:
                        literal += f"{{{mark}:{text}}}"
                    case _:
                        return None
                values.append(ast.unparse(value))
            case _:
                return None
    return f"{literal!r}.format({', '.join(values)})" if values else None
