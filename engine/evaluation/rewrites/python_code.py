"""Python source as the rewrites see it: its syntax tree, and where its nodes are in the text."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Iterator, Sequence

from engine.evaluation.rewrites.edits import Rows, Span

Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_REFLECTION = frozenset({"locals", "vars", "eval", "exec", "globals", "dir"})


class PythonCode:
    """A file that the running Python can parse.

    Attributes:
        source: Its bytes.
        tree: Its syntax tree.
        rows: Where its lines are.
    """

    def __init__(self, source: bytes, tree: ast.Module) -> None:
        self.source = source
        self.tree = tree
        self.rows = Rows(source)

    @classmethod
    def parse(cls, source: bytes) -> PythonCode | None:
        """Return the parsed file; None where it is not UTF-8, or not of the running Python's language."""
        try:
            text = source.decode("utf-8")
            if source.startswith(b"\xef\xbb\xbf") or "\f" in text:
                return None
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return cls(source, ast.parse(text))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    def start(self, node: ast.expr | ast.stmt | ast.arg) -> int:
        """Return the offset of a node's first byte."""
        return self.rows.start(node.lineno) + node.col_offset

    def end(self, node: ast.expr | ast.stmt | ast.arg) -> int:
        """Return the offset behind a node's last byte."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.rows.start(node.end_lineno) + node.end_col_offset

    def text(self, node: ast.expr | ast.stmt) -> bytes:
        """Return the text of a node."""
        return self.source[self.start(node) : self.end(node)]

    def functions(self, spans: Sequence[Span]) -> Iterator[Function]:
        """Yield the functions that meet any of the spans and are not nested in another function."""
        for _, function in self.placed_functions(spans):
            yield function

    def placed_functions(self, spans: Sequence[Span]) -> Iterator[tuple[ast.ClassDef | None, Function]]:
        """Yield these functions with the class that each is a member of, None for one of the module."""
        stack: list[tuple[ast.ClassDef | None, ast.AST]] = [(None, self.tree)]
        while stack:
            owner, node = stack.pop()
            for child in ast.iter_child_nodes(node):
                if isinstance(child, _FUNCTIONS):
                    if any(span.meets(first_row(child), last_row(child)) for span in spans):
                        yield owner, child
                elif isinstance(child, ast.ClassDef):
                    stack.append((child, child))
                elif isinstance(child, (ast.stmt, ast.ExceptHandler)):
                    stack.append((owner, child))

    def tokens(self) -> list[tokenize.TokenInfo]:
        """Return the tokens of the file; columns count characters. Empty where they cannot be had."""
        try:
            return list(tokenize.tokenize(io.BytesIO(self.source).readline))
        except (tokenize.TokenError, SyntaxError, IndentationError):
            return []

    def place(self, row: int, column: int) -> int:
        """Return the offset of a token's position (line, characters into it)."""
        line = self.rows.lines[row - 1].decode("utf-8")
        return self.rows.start(row) + len(line[:column].encode("utf-8"))


def first_row(node: ast.stmt) -> int:
    """Return the first line of a statement, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def last_row(node: ast.stmt) -> int:
    """Return the last line of a statement."""
    assert node.end_lineno is not None
    return node.end_lineno


def is_docstring(statement: ast.stmt) -> bool:
    """Whether a statement is a lone string."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def body_after_docstring(function: Function) -> list[ast.stmt]:
    """Return the statements of a function less its docstring."""
    return function.body[1:] if is_docstring(function.body[0]) else list(function.body)


def own_nodes(function: Function, *, into_comprehensions: bool = False) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body that belong to its own scope."""
    stack: list[ast.AST] = list(reversed(function.body))
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, SCOPES) or (isinstance(node, COMPREHENSIONS) and not into_comprehensions):
            continue
        stack += reversed(list(ast.iter_child_nodes(node)))


def body_nodes(function: Function) -> Iterator[ast.AST]:
    """Yield every node of a function's body, nested scopes included."""
    for statement in function.body:
        yield from ast.walk(statement)


def names_in(function: Function) -> set[str]:
    """Return every name that occurs in a function, however it is used."""
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    return names | {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}


def reflects(function: Function) -> bool:
    """Whether a function looks at its own variables by name, so that none can be renamed or moved."""
    return any(isinstance(node, ast.Name) and node.id in _REFLECTION for node in ast.walk(function))


def parameters(function: Function) -> list[ast.arg]:
    """Return all parameters in the order of the text."""
    arguments = function.args
    variadic = [arguments.vararg] if arguments.vararg else []
    keywords = [arguments.kwarg] if arguments.kwarg else []
    return [*arguments.posonlyargs, *arguments.args, *variadic, *arguments.kwonlyargs, *keywords]


def bodies(root: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield every list of statements below a node."""
    for node in ast.walk(root):
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            if isinstance(statements, list) and statements and isinstance(statements[0], ast.stmt):
                yield statements


def spans_lines(node: ast.AST) -> bool:
    """Whether a string of more than one line stands anywhere below a node."""
    return any(
        isinstance(part, (ast.Constant, ast.JoinedStr))
        and (isinstance(part, ast.JoinedStr) or isinstance(part.value, (str, bytes)))
        and part.lineno != part.end_lineno
        for part in ast.walk(node)
    )
