"""Rewrites that move code: into a helper function, into another module, into a renamed module."""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from engine.evaluation.rewrites.edits import Edit, Files, Span, edited
from engine.evaluation.rewrites.python_code import (
    Function,
    PythonCode,
    body_after_docstring,
    body_nodes,
    first_row,
    is_docstring,
    last_row,
    own_nodes,
    parameters,
    reflects,
    spans_lines,
)

_BUILTINS = frozenset(dir(builtins))
_MODULE_NAMES = frozenset({"__name__", "__file__", "__package__", "__path__", "__spec__", "__doc__"})
_UNLIKE_METHODS = frozenset({"__new__", "__init_subclass__", "__class_getitem__", "__getattribute__"})
"""Their first parameter is a class without a decorator that says so, or they answer every look-up."""


def extract_function(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Move the body of each function in `spans` into a helper beside it, which it calls."""
    code = PythonCode.parse(source)
    if code is None:
        return None
    taken: set[str] = {node.id for node in ast.walk(code.tree) if isinstance(node, ast.Name)}
    taken |= {str(getattr(node, "name", "")) for node in ast.walk(code.tree)}
    edits: list[Edit] = []
    for owner, function in code.placed_functions(spans):
        name = f"_{function.name.strip('_')}_inner"
        if name not in taken and b"." + name.encode() not in source and _extractable(owner, function):
            edits += _extraction(code, owner, function, name)
            taken.add(name)
    return edited(source, edits)


def _extractable(owner: ast.ClassDef | None, function: Function) -> bool:
    if isinstance(function, ast.AsyncFunctionDef) or reflects(function) or function.name in _UNLIKE_METHODS:
        return False
    decorators = {getattr(decorator, "id", "") for decorator in function.decorator_list}
    if owner is not None and (decorators & {"staticmethod", "classmethod"} or not _receiver(function)):
        return False
    suspends = (ast.Yield, ast.YieldFrom, ast.Await)
    return not any(isinstance(node, suspends) for node in own_nodes(function, into_comprehensions=True))


def _receiver(function: Function) -> str:
    positional = [*function.args.posonlyargs, *function.args.args]
    return positional[0].arg if positional else ""


def _extraction(code: PythonCode, owner: ast.ClassDef | None, function: Function, name: str) -> list[Edit]:
    row = _body_row(function)
    statements = body_after_docstring(function)
    if not statements or row is None or not code.rows.begins(statements[0].lineno, statements[0].col_offset):
        return []
    outer, inner = code.rows.indent(function.lineno), code.rows.indent(statements[0].lineno)
    start, end = code.rows.start(row), code.rows.end(last_row(function))
    body = code.source[start:end]
    if not body.endswith(b"\n"):
        body += b"\n"
    receiver = f"{_receiver(function)}." if owner is not None else ""
    call = f"return {receiver}{name}({_arguments(function, skip_first=owner is not None)})\n"
    before = code.rows.start(first_row(function))
    gap = b"\n" if owner is not None else b"\n\n"
    helper = outer + f"def {name}({_signature(function)}):\n".encode() + body + gap
    return [Edit(before, before, helper), Edit(start, end, inner + call.encode())]


def _body_row(function: Function) -> int | None:
    """Return the first row behind header and docstring; None when other code shares it."""
    first = function.body[0]
    if is_docstring(first):
        following = function.body[1:2]
        row = last_row(first) + 1
        return row if first.lineno > function.lineno and following and following[0].lineno >= row else None
    return first_row(first) if first.lineno > _header_end(function) else None


def _header_end(function: Function) -> int:
    parts = [argument.end_lineno or 0 for argument in parameters(function)]
    returns = function.returns.end_lineno if function.returns else None
    return max([function.lineno, *parts, returns or 0])


def _signature(function: Function) -> str:
    arguments = function.args
    parts = [argument.arg for argument in [*arguments.posonlyargs, *arguments.args]]
    if arguments.vararg:
        parts.append(f"*{arguments.vararg.arg}")
    elif arguments.kwonlyargs:
        parts.append("*")
    parts += [argument.arg for argument in arguments.kwonlyargs]
    return ", ".join(parts + ([f"**{arguments.kwarg.arg}"] if arguments.kwarg else []))


def _arguments(function: Function, *, skip_first: bool) -> str:
    arguments = function.args
    parts = [argument.arg for argument in [*arguments.posonlyargs, *arguments.args]][1 if skip_first else 0 :]
    parts += [f"*{arguments.vararg.arg}"] if arguments.vararg else []
    parts += [f"{argument.arg}={argument.arg}" for argument in arguments.kwonlyargs]
    return ", ".join(parts + ([f"**{arguments.kwarg.arg}"] if arguments.kwarg else []))


def move_to_module(path: str, source: bytes, spans: Sequence[Span]) -> Files | None:
    """Move each function in `spans` to a new module beside its own, which imports it in its place.

    What the function uses of its old module is imported when it is called, so that the modules may import
    each other.
    """
    code = PythonCode.parse(source)
    if code is None or len(PurePosixPath(path).parts) < 2:
        return None
    try:
        table = symtable.symtable(source.decode("utf-8"), path, "exec")
    except (SyntaxError, ValueError, RecursionError):
        return None
    folder, stem = PurePosixPath(path).parent, PurePosixPath(path).stem
    old = "." if stem == "__init__" else f".{stem}"
    edits: list[Edit] = []
    files: dict[str, bytes | None] = {}
    for _, function in code.placed_functions(spans):
        module = f"_moved_{function.name.strip('_')}"
        text = _moved(code, function, table, old)
        if text is None or str(folder / f"{module}.py") in files:
            continue
        files[str(folder / f"{module}.py")] = text
        start, end = code.rows.start(first_row(function)), code.end(function)
        indent = code.rows.indent(function.lineno)
        edits.append(Edit(start, end, indent + f"from .{module} import {function.name}".encode()))
    kept = edited(source, edits)
    return None if kept is None else {path: kept, **files}


def _moved(code: PythonCode, function: Function, table: symtable.SymbolTable, old: str) -> bytes | None:
    """Return the text of the new module, None when the function cannot live outside its own."""
    found = _table_of(table, function)
    needed = None if found is None else _module_names(found, table)
    row = _body_row(function)
    if needed is None or row is None or not _self_contained(code, function):
        return None
    outer = code.rows.indent(function.lineno)
    inner = code.rows.indent(body_after_docstring(function)[0].lineno)
    lines = [
        code.rows.lines[number - 1].removeprefix(outer)
        for number in range(first_row(function), last_row(function) + 1)
    ]
    imports = inner.removeprefix(outer) + f"from {old} import {', '.join(needed)}\n".encode()
    at = row - first_row(function)
    text = b"".join([*lines[:at], *([imports] if needed else []), *lines[at:]])
    return text if text.endswith(b"\n") else text + b"\n"


def _self_contained(code: PythonCode, function: Function) -> bool:
    """Whether nothing of the header is evaluated and nothing depends on the place of the function."""
    arguments = function.args
    defaults = [*arguments.defaults, *(default for default in arguments.kw_defaults if default)]
    annotations = [argument.annotation for argument in parameters(function) if argument.annotation]
    return (
        function.name not in ("__getattr__", "__dir__")  # a module that has them answers for all its names
        and not _is_mangled(function.name)
        and not function.decorator_list
        and not reflects(function)
        and all(isinstance(value, ast.Constant) for value in [*defaults, *annotations])
        and (function.returns is None or isinstance(function.returns, ast.Constant))
        and not any(_bound_to_place(node) for node in body_nodes(function))
        and (not code.rows.indent(function.lineno) or not _long_strings(function))
    )


def _bound_to_place(node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name):
            return name in ("super", "__class__") or name in _MODULE_NAMES or _is_mangled(name)
        case ast.Attribute(attr=name):
            return _is_mangled(name)
        case ast.Import() | ast.Global():
            return True
        case ast.ImportFrom(level=level):
            return level == 0 and node.module == "__future__"
    return False


def _is_mangled(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__")


def _long_strings(function: Function) -> bool:
    return any(spans_lines(statement) for statement in body_after_docstring(function))


def _table_of(table: symtable.SymbolTable, function: Function) -> symtable.SymbolTable | None:
    rows = {function.lineno, first_row(function)}
    stack = [table]
    while stack:
        candidate = stack.pop()
        if candidate.get_name() == function.name and candidate.get_lineno() in rows:
            return candidate
        stack += candidate.get_children()
    return None


def _module_names(table: symtable.SymbolTable, module: symtable.SymbolTable) -> list[str] | None:
    """Return the names a function takes from its module; None when some cannot be resolved."""
    bound = {
        s.get_name() for s in module.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()
    }
    needed = {name for name in _free_names(table) if name in bound}
    unknown = {name for name in _free_names(table) if name not in bound and name not in _BUILTINS}
    return None if unknown else sorted(needed)


def _free_names(table: symtable.SymbolTable) -> Iterator[str]:
    stack = [table]
    while stack:
        scope = stack.pop()
        for symbol in scope.get_symbols():
            if symbol.is_global():
                yield symbol.get_name()
        stack += scope.get_children()


def rename_module(path: str, source: bytes, spans: Sequence[Span]) -> Files | None:
    """Give the module another name; under the old one stands a module that puts the new one in its place."""
    place = PurePosixPath(path)
    if place.suffix != ".py" or place.stem.startswith("_") or len(place.parts) < 2:
        return None
    name = f"_{place.stem}"
    stand_in = f"import sys\n\nfrom . import {name}\n\nsys.modules[__name__] = {name}\n"
    return {path: stand_in.encode(), str(place.parent / f"{name}.py"): source}
