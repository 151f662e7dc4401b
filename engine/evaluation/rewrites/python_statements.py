"""Rewrites of statements: reordered, split, merged, conditions inverted, guard clauses."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

from engine.evaluation.rewrites.edits import Edit, Span, edited
from engine.evaluation.rewrites.python_code import (
    Function,
    PythonCode,
    bodies,
    body_nodes,
    first_row,
    last_row,
    names_in,
    own_nodes,
    reflects,
    spans_lines,
)

_PURE = (ast.Constant, ast.Name, ast.Tuple, ast.List, ast.Dict, ast.Load, ast.Store)
_HARMLESS_DECORATORS = frozenset({"property", "classmethod", "staticmethod"})
_NEGATED: dict[type[ast.cmpop], bytes] = {
    ast.Is: b"is not",
    ast.IsNot: b"is",
    ast.In: b"not in",
    ast.NotIn: b"in",
}


def reorder_statements(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Swap neighbouring assignments of constants and names that do not touch each other's names."""
    code = PythonCode.parse(source)
    if code is None:
        return None
    edits: list[Edit] = []
    for function in code.functions(spans):
        for statements in bodies(function):
            taken: ast.stmt | None = None
            for first, second in pairwise(statements):
                if first is not taken and _independent(first, second):
                    edits += _swapped(code, first, second)
                    taken = second
    return edited(source, edits)


def _independent(first: ast.stmt, second: ast.stmt) -> bool:
    if not (_is_plain(first) and _is_plain(second)):
        return False
    one, two = _stored_and_loaded(first), _stored_and_loaded(second)
    return one[0].isdisjoint(two[0] | two[1]) and two[0].isdisjoint(one[1])


def _is_plain(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign) and all(
        isinstance(part, _PURE) for part in ast.walk(statement) if part is not statement
    )


def _stored_and_loaded(statement: ast.stmt) -> tuple[set[str], set[str]]:
    names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
    return (
        {node.id for node in names if isinstance(node.ctx, ast.Store)},
        {node.id for node in names if isinstance(node.ctx, ast.Load)},
    )


def _swapped(code: PythonCode, first: ast.stmt, second: ast.stmt) -> list[Edit]:
    return [
        Edit(code.start(first), code.end(first), code.text(second)),
        Edit(code.start(second), code.end(second), code.text(first)),
    ]


def reorder_functions(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Swap each function in `spans` with the next one of its class or module."""
    code = PythonCode.parse(source)
    if code is None:
        return None
    edits: list[Edit] = []
    for node in ast.walk(code.tree):
        if not isinstance(node, (ast.Module, ast.ClassDef)):
            continue
        taken: ast.stmt | None = None
        for first, second in pairwise(node.body):
            wanted = any(span.meets(first_row(first), last_row(second)) for span in spans)
            if wanted and first is not taken and _exchangeable(first, second):
                edits += _swapped_rows(code, first, second)
                taken = second
    return edited(source, edits)


def _exchangeable(first: ast.stmt, second: ast.stmt) -> bool:
    named_apart = getattr(first, "name", None) != getattr(second, "name", None)
    return named_apart and _movable(first) and _movable(second)


def _movable(statement: ast.stmt) -> bool:
    """Whether defining a function earlier or later changes nothing: nothing of its header is evaluated."""
    if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    arguments = statement.args
    evaluated = [*arguments.defaults, *(default for default in arguments.kw_defaults if default)]
    annotations = [part.annotation for part in ast.walk(arguments) if isinstance(part, ast.arg)]
    names = [
        decorator.id if isinstance(decorator, ast.Name) else "" for decorator in statement.decorator_list
    ]
    return (
        all(isinstance(value, ast.Constant) for value in evaluated)
        and not any([statement.returns, *annotations])
        and _HARMLESS_DECORATORS.issuperset(names)
    )


def _swapped_rows(code: PythonCode, first: ast.stmt, second: ast.stmt) -> list[Edit]:
    one, two = _rows(code, first), _rows(code, second)
    return [Edit(*one, code.source[slice(*two)]), Edit(*two, code.source[slice(*one)])]


def _rows(code: PythonCode, statement: ast.stmt) -> tuple[int, int]:
    return code.rows.start(first_row(statement)), code.end(statement)


def introduce_variables(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Give the value of a `return` a name first."""
    code = PythonCode.parse(source)
    if code is None:
        return None
    return edited(source, [edit for f in code.functions(spans) for edit in _named_results(code, f)])


def _named_results(code: PythonCode, function: Function) -> Iterator[Edit]:
    if reflects(function):
        return
    used = names_in(function)
    name = next(name for name in ("result", "outcome", "_returned") if name not in used or name[0] == "_")
    for node in body_nodes(function):
        match node:
            case ast.Return(value=ast.expr() as value) if not isinstance(value, (ast.Constant, ast.Name)):
                row = node.lineno
                after = code.source[code.end(node) : code.rows.end(last_row(node))].strip()
                if code.rows.begins(row, node.col_offset) and (not after or after.startswith(b"#")):
                    yield Edit(code.start(node), code.start(node) + len(b"return"), name.encode() + b" =")
                    line = code.rows.indent(row) + b"return " + name.encode()
                    place = code.rows.end(last_row(node))
                    ended = code.source[:place].endswith((b"\n", b"\r"))
                    yield Edit(place, place, line + b"\n" if ended else b"\n" + line)


def inline_variables(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Merge `name = value` and `return name` into one statement, where nothing else uses the name."""
    code = PythonCode.parse(source)
    if code is None:
        return None
    return edited(source, [edit for f in code.functions(spans) for edit in _merged_results(code, f)])


def _merged_results(code: PythonCode, function: Function) -> Iterator[Edit]:
    if reflects(function):
        return
    used = [node.id for node in ast.walk(function) if isinstance(node, ast.Name)]
    declared = {name for node in body_nodes(function) for name in getattr(node, "names", [])}
    for first, second in (pair for statements in bodies(function) for pair in pairwise(statements)):
        match first, second:
            case ast.Assign(targets=[ast.Name(id=name)], value=value), ast.Return(
                value=ast.Name(id=returned)
            ):
                alone = name == returned and used.count(name) == 2 and name not in declared
                apart = first_row(second) > last_row(first)
                # A yield may stand on the right of a name without brackets, but not behind `return`.
                if alone and apart and not isinstance(value, (ast.Yield, ast.YieldFrom)):
                    yield Edit(code.start(first), _value_start(code, first), b"return ")
                    yield _removed_row(code, second)


def _value_start(code: PythonCode, statement: ast.Assign) -> int:
    """Return where the right side starts, brackets around it included."""
    after_name = code.end(statement.targets[0])
    equals = code.source.index(b"=", after_name)
    return equals + 1 + len(code.source[equals + 1 :]) - len(code.source[equals + 1 :].lstrip(b" \t"))


def _removed_row(code: PythonCode, statement: ast.stmt) -> Edit:
    row = first_row(statement)
    if code.rows.lines[row - 1].strip() == code.text(statement):
        return Edit(code.rows.start(row), code.rows.end(row), b"")
    return Edit(code.start(statement), code.end(statement), b"pass")


def invert_conditions(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Negate the condition of every `if` with an `else`, and swap the branches."""
    code = PythonCode.parse(source)
    if code is None:
        return None
    return edited(source, [edit for f in code.functions(spans) for edit in _inversions(code, f)])


def _inversions(code: PythonCode, function: Function) -> Iterator[Edit]:
    for node in own_nodes(function):
        if not isinstance(node, ast.If) or not node.orelse or _is_elif(code, node):
            continue
        other = node.orelse[0]
        if isinstance(other, ast.If) and _is_elif(code, other):
            continue
        body_row, else_row = _row_after_header(code, node), _else_row(code, node)
        if body_row is None or else_row is None or body_row > else_row:
            continue
        end = code.rows.end(last_row(node))
        body = code.source[code.rows.start(body_row) : code.rows.start(else_row)]
        header = _negated_header(code, node, body_row)
        otherwise = code.source[code.rows.end(else_row) : end]
        if not otherwise.endswith(b"\n"):
            otherwise += b"\n"
        else_line = code.rows.lines[else_row - 1]
        # One edit for the whole statement: what is nested in it stays as it is.
        yield Edit(code.start(node), end, header + otherwise + else_line + body)


def _is_elif(code: PythonCode, node: ast.If) -> bool:
    return code.source[code.start(node) :].startswith(b"elif")


def _row_after_header(code: PythonCode, node: ast.If | ast.For | ast.While) -> int | None:
    """Return the first row behind the header; None when the body starts on the header's row."""
    row = first_row(node.body[0])
    head = code.rows.lines[row - 2].split(b"#")[0].rstrip()
    while not head and row > node.lineno:
        row -= 1
        head = code.rows.lines[row - 2].split(b"#")[0].rstrip()
    return row if row - 1 >= node.lineno and head.endswith(b":") else None


def _else_row(code: PythonCode, node: ast.If) -> int | None:
    """Return the row of the `else`; None when it holds more than that."""
    for row in range(first_row(node.orelse[0]) - 1, last_row(node.body[-1]), -1):
        line = code.rows.lines[row - 1].split(b"#")[0].split()
        if line:
            return row if line in ([b"else:"], [b"else", b":"]) else None
    return None


def _negated_header(code: PythonCode, node: ast.If, body_row: int) -> bytes:
    test = node.test
    before = code.source[code.start(node) : code.start(test)]
    after = code.source[code.end(test) : code.rows.start(body_row)]
    return before + negated(code, test) + after


def negated(code: PythonCode, test: ast.expr) -> bytes:
    """Return the text of a condition's negation."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand) if code.text(test).endswith(code.text(operand)):
            return code.text(operand)
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in _NEGATED:
            between = code.source[code.end(left) : code.start(right)]
            if not between.strip(b" abcdefghijklmnopqrstuvwxyz"):
                return code.text(left) + b" " + _NEGATED[type(operator)] + b" " + code.text(right)
    return b"not (" + code.text(test) + b")"


def guard_clauses(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Turn an `if` that ends a function into an early `return` with the opposite condition."""
    code = PythonCode.parse(source)
    if code is None:
        return None
    return edited(source, [edit for f in code.functions(spans) for edit in _guard(code, f)])


def _guard(code: PythonCode, function: Function) -> Iterator[Edit]:
    last = function.body[-1]
    if not isinstance(last, ast.If) or last.orelse or any(spans_lines(part) for part in last.body):
        return
    body_row = _row_after_header(code, last)
    outer = code.rows.indent(last.lineno)
    if body_row is None:
        return
    inner = code.rows.indent(first_row(last.body[0]))
    rows = [code.rows.lines[row - 1] for row in range(body_row, last_row(last) + 1)]
    if not inner.startswith(outer) or any(row.strip() and not row.startswith(outer) for row in rows):
        return
    shorter = [outer + row[len(inner) :] if row.startswith(inner) else row for row in rows]
    header = _negated_header(code, last, body_row)
    text = header + inner + b"return\n" + b"".join(shorter)
    yield Edit(code.start(last), code.rows.end(last_row(last)), text)
