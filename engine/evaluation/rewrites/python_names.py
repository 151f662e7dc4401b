"""Rewrites of names and types: local variables renamed, type hints added."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterator, Sequence

from engine.evaluation.rewrites.edits import Edit, Span, edited
from engine.evaluation.rewrites.python_code import (
    Function,
    PythonCode,
    body_nodes,
    names_in,
    own_nodes,
    parameters,
    reflects,
)


def rename_locals(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Rename the local variables of the functions in `spans`; parameters stay, callers may name them."""
    code = PythonCode.parse(source)
    if code is None:
        return None
    return edited(source, [edit for f in code.functions(spans) for edit in _renames(code, f)])


def _renames(code: PythonCode, function: Function) -> Iterator[Edit]:
    if reflects(function):
        return
    used = names_in(function)
    renamed = {name: _fresh(f"{name}_value", used) for name in sorted(_plain_locals(function))}
    for node in body_nodes(function):
        if isinstance(node, ast.Name) and node.id in renamed:
            yield Edit(code.start(node), code.end(node), renamed[node.id].encode("utf-8"))


def _fresh(name: str, used: set[str]) -> str:
    while name in used:
        name += "_"
    used.add(name)
    return name


def _plain_locals(function: Function) -> set[str]:
    """Return the local variables that are bound and used by nothing but plain names.

    A name that a nested function binds as well can be renamed with the others; one that is an attribute of a
    nested class, or stands in an f-string (whose nodes have no reliable place before Python 3.12), cannot.
    """
    bound = {
        node.id
        for node in own_nodes(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return bound - _otherwise_bound(function)


def _otherwise_bound(function: Function) -> set[str]:
    names = {argument.arg for argument in parameters(function)}
    for node in body_nodes(function):
        match node:
            case ast.arg(arg=name):
                names.add(name)
            case ast.Global(names=listed) | ast.Nonlocal(names=listed):
                names.update(listed)
            case ast.alias(name=name, asname=asname):
                names.add(asname or name.partition(".")[0])
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                names.add(name)
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                names.add(name)
            case ast.ClassDef(name=name):
                names.update([name], _names_below(node))
            case ast.JoinedStr():
                names.update(_names_below(node))
    return names


def _names_below(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def add_type_hints(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Annotate parameters, results and constant-valued variables; hints are strings, so none is evaluated."""
    code = PythonCode.parse(source)
    if code is None:
        return None
    tokens = code.tokens()
    return edited(source, [edit for f in code.functions(spans) for edit in _hints(code, f, tokens)])


def _hints(code: PythonCode, function: Function, tokens: Sequence[tokenize.TokenInfo]) -> Iterator[Edit]:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    by_name = dict(zip((argument.arg for argument in positional), defaults, strict=True))
    for argument in parameters(function):
        if argument.annotation is None and argument.arg not in ("self", "cls"):
            place = code.end(argument)
            yield Edit(place, place, b': "%s"' % _type_of(by_name.get(argument.arg)))
    colon = _header_colon(function, tokens)
    if function.returns is None and colon is not None:
        place = code.place(*colon)
        yield Edit(place, place, b' -> "object"')
    yield from _variable_hints(code, function)


def _variable_hints(code: PythonCode, function: Function) -> Iterator[Edit]:
    elsewhere = _otherwise_bound(function)
    for node in own_nodes(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value):
                hint = _type_of(value)
                if name not in elsewhere and hint != b"object":
                    place = code.end(target)
                    yield Edit(place, place, b': "%s"' % hint)


def _type_of(value: ast.expr | None) -> bytes:
    match value:
        case ast.Constant(value=bool()):
            return b"bool"
        case ast.Constant(value=str() | int() | float() | bytes()):
            return type(value.value).__name__.encode()
        case ast.List() | ast.ListComp():
            return b"list"
        case ast.Dict() | ast.DictComp():
            return b"dict"
        case _:
            return b"object"


def _header_colon(function: Function, tokens: Sequence[tokenize.TokenInfo]) -> tuple[int, int] | None:
    """Return where the colon that ends a function's header stands."""
    depth = 0
    for token in tokens:
        if token.start < (function.lineno, function.col_offset) or token.type != tokenize.OP:
            continue
        if token.string in "([{":
            depth += 1
        elif token.string in ")]}":
            depth -= 1
        elif token.string == ":" and depth == 0:
            return token.start
    return None
