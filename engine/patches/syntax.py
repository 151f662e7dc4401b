"""Source files as scopes and logical lines, for Python and Java, by tree-sitter.

A scope is a function (with what is nested in it), a class body without its functions, or the module without
both. A logical line is one simple statement, or the header of a compound one, as a token sequence in normal
form: no comments, docstrings, line breaks, redundant brackets, quote style or trailing commas (design.md).
Two sources that differ only in formatting have the same logical lines.

tree-sitter never fails: whatever the bytes, there is a tree, with error nodes where they do not parse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property
from pathlib import PurePosixPath

import tree_sitter
import tree_sitter_java
import tree_sitter_python

from engine.patches.encoding import as_utf8
from engine.patches.tokens import SYMBOL, Token, encode, tokens_of

MAX_LINE_BYTES = 200_000
"""A longer line is data, whose parsing takes seconds to minutes."""
MAX_SOURCE_BYTES = 3_000_000
"""Larger files are generated code; they are not parsed."""


class Language(StrEnum):
    """A language whose grammar is at hand."""

    PYTHON = "python"
    JAVA = "java"


_SUFFIXES = {".py": Language.PYTHON, ".pyx": Language.PYTHON, ".java": Language.JAVA}

_FUNCTIONS = frozenset(
    {
        "function_definition",
        "method_declaration",
        "constructor_declaration",
        "compact_constructor_declaration",
        "static_initializer",
        "annotation_type_element_declaration",
    }
)
_CLASSES = frozenset(
    {
        "class_definition",
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
    }
)
_CLAUSES = frozenset(
    {
        "block",
        "constructor_body",
        "class_body",
        "interface_body",
        "enum_body",
        "enum_body_declarations",
        "annotation_type_body",
        "switch_block",
        "switch_block_statement_group",
        "switch_rule",
        "elif_clause",
        "else_clause",
        "except_clause",
        "except_group_clause",
        "finally_clause",
        "case_clause",
        "catch_clause",
        "decorated_definition",
    }
)
_TRANSPARENT = frozenset({"module", "program", "block", "decorated_definition", "ERROR"})
_BODIES = frozenset(
    {
        "constructor_body",
        "class_body",
        "interface_body",
        "enum_body",
        "enum_body_declarations",
        "annotation_type_body",
        "switch_block",
        "switch_block_statement_group",
    }
)


_COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
_LONGEST_NAME = 2_000
_Place = tuple[tree_sitter.Node, str, tree_sitter.Node | None]

_IMPORTS = frozenset(Token(word, SYMBOL) for word in ("import", "from", "package"))


@dataclass(frozen=True, slots=True)
class LogicalLine:
    """One logical line.

    Attributes:
        tokens: Its normal form.
        start: 1-based first physical line.
        end: 1-based last physical line.
        depth: How many compound statements enclose it inside its scope.
    """

    tokens: tuple[Token, ...]
    start: int
    end: int
    depth: int

    @property
    def text(self) -> str:
        """The normal form as one string, tokens separated by blanks."""
        return " ".join(token.text for token in self.tokens)

    @property
    def is_import(self) -> bool:
        """Whether the line imports a name or declares the package."""
        return self.tokens[0] in _IMPORTS


_CODES: dict[bytes, tuple[str, ...]] = {}
_CODES_KEPT = 40_000


class Scope:
    """A function, class body or module of one source file.

    Attributes:
        name: Dotted name inside the file, as `Query.build_filter`; empty for the module.
        kind: `function`, `class` or `module`.
        start: 1-based first physical line.
        end: 1-based last physical line.
        node: Its node in the syntax tree.
    """

    __slots__ = ("__dict__", "end", "kind", "name", "node", "start")

    def __init__(self, name: str, kind: str, node: tree_sitter.Node) -> None:
        self.name = name
        self.kind = kind
        self.start = node.start_point.row + 1
        self.end = node.end_point.row + 1
        self.node = node

    @property
    def simple_name(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]

    @property
    def nested_kinds(self) -> frozenset[str]:
        """Kinds of the nodes inside it that are scopes of their own, whose code is not its own."""
        return frozenset() if self.kind == "function" else _FUNCTIONS | _CLASSES

    @property
    def source(self) -> bytes:
        """The source text of the scope, nested scopes included."""
        return self.node.text or b""

    @cached_property
    def lines(self) -> tuple[LogicalLine, ...]:
        """The logical lines of the scope in source order, those of nested scopes left out."""
        return tuple(_logical_lines(self.node, self.kind))

    @property
    def codes(self) -> tuple[str, ...]:
        """The lines as encoded token sequences (`tokens.encode`).

        Those of functions are remembered by source text: most are the same in most versions of a file.
        """
        if self.kind != "function":
            return tuple(encode(line.tokens) for line in self.lines)
        source = self.source
        codes = _CODES.get(source)
        if codes is None:
            codes = tuple(encode(line.tokens) for line in self.lines)
            if len(_CODES) >= _CODES_KEPT:
                _CODES.clear()
            _CODES[source] = codes
        return codes


class SourceFile:
    """A parsed source file.

    Args:
        text: The bytes of the file; any bytes are accepted.
        language: Its language.

    Attributes:
        text: The same text as UTF-8.
        language: Its language.
    """

    def __init__(self, text: bytes, language: Language) -> None:
        self.text = as_utf8(text)
        self.language = language
        self._tree = _parser(language).parse(self.text)

    @cached_property
    def scopes(self) -> tuple[Scope, ...]:
        """Every scope in source order; the module comes first."""
        root = self._tree.root_node
        found = [Scope("", "module", root)]
        # A node, the name of the scope around it, and the definition with decorators that it belongs to.
        stack: list[_Place] = [(child, "", None) for child in reversed(root.children)]
        while stack:
            node, prefix, decorated = stack.pop()
            if node.type in _FUNCTIONS:
                found.append(Scope(_join(prefix, _name(node)), "function", decorated or node))
            elif node.type in _CLASSES:
                name = _join(prefix, _name(node))
                found.append(Scope(name, "class", node))
                stack += _inside(node.child_by_field_name("body"), name)
            elif node.type == "enum_constant":
                stack += _inside(node.child_by_field_name("body"), _join(prefix, _name(node)))
            elif node.type == "decorated_definition":
                stack += [(child, prefix, node) for child in reversed(node.children)]
            elif node.type in _TRANSPARENT or node.type in _CLAUSES or node.type.endswith("_statement"):
                stack += _inside(node, prefix)
        return tuple(found)

    @cached_property
    def scopes_by_name(self) -> dict[str, tuple[Scope, ...]]:
        """The scopes under each full name; overloads share one."""
        groups: dict[str, list[Scope]] = {}
        for scope in self.scopes:
            groups.setdefault(scope.name, []).append(scope)
        return {name: tuple(group) for name, group in groups.items()}


def language_of(path: str) -> Language | None:
    """Return the language of a path by its suffix, None when no grammar is at hand."""
    return _SUFFIXES.get(PurePosixPath(path).suffix.lower())


def parse_source(text: bytes, path: str) -> SourceFile | None:
    """Parse a file by the language of its path.

    Returns:
        None when no grammar is at hand, the file is larger than `MAX_SOURCE_BYTES`, or a line of it is longer
        than `MAX_LINE_BYTES`.
    """
    language = language_of(path)
    if language is None or len(text) > MAX_SOURCE_BYTES:
        return None
    if len(text) > MAX_LINE_BYTES and any(len(line) > MAX_LINE_BYTES for line in text.splitlines()):
        return None
    return SourceFile(text, language)


@cache
def _parser(language: Language) -> tree_sitter.Parser:
    grammar = {Language.PYTHON: tree_sitter_python, Language.JAVA: tree_sitter_java}[language]
    return tree_sitter.Parser(tree_sitter.Language(grammar.language()))


def _name(node: tree_sitter.Node) -> str:
    name = node.child_by_field_name("name")
    return (name.text or b"").decode("utf-8", "replace") if name else f"<{node.type}>"


def _inside(node: tree_sitter.Node | None, name: str) -> list[_Place]:
    return [] if node is None else [(child, name, None) for child in reversed(node.children)]


def _join(prefix: str, name: str) -> str:
    """Return the name of a scope inside another; one that is nested absurdly deep shares its container's."""
    if len(prefix) > _LONGEST_NAME:
        return prefix
    return f"{prefix}.{name}" if prefix else name


def _logical_lines(root: tree_sitter.Node, kind: str) -> Iterator[LogicalLine]:
    """Walk the statements of a scope with an explicit stack, so that no nesting is too deep."""
    stack: list[tuple[tree_sitter.Node, int]] = [(root, -1)]
    while stack:
        node, depth = stack.pop()
        if node.type in _COMMENTS:
            continue
        nested = (
            kind != "function" and node is not root and (node.type in _CLASSES or node.type in _FUNCTIONS)
        )
        if nested:
            continue
        if kind != "function" and node.type == "decorated_definition" and _holds_function(node):
            continue
        header, bodies = _split(node)
        if header and not _is_noise(node, header):
            tokens = tokens_of(header, node.type if header[0] != node else "")
            if tokens:
                start, end = header[0].start_point.row + 1, header[-1].end_point.row + 1
                yield LogicalLine(tokens, start, end, max(depth, 0))
        deeper = depth + (1 if node.type not in _TRANSPARENT else 0)
        stack += [(body, deeper) for body in reversed(bodies)]


def _split(node: tree_sitter.Node) -> tuple[list[tree_sitter.Node], list[tree_sitter.Node]]:
    """Split a statement into the nodes of its header and the statements it contains."""
    if node.type in _TRANSPARENT or node.type in _BODIES:
        return [], [child for child in node.children if child.is_named]
    if node.type == "expression_statement" or not node.children:
        return [node], []
    # A comment between a header and its body belongs to neither.
    header = [
        child
        for child in node.children
        if not _is_statement(child) and child.type != "else" and child.type not in _COMMENTS
    ]
    bodies = [child for child in node.children if _is_statement(child)]
    return header, bodies


def _holds_function(node: tree_sitter.Node) -> bool:
    return any(child.type in _FUNCTIONS for child in node.children)


def _is_statement(node: tree_sitter.Node) -> bool:
    kind = node.type
    return (
        kind in _CLAUSES
        or kind in _FUNCTIONS
        or kind in _CLASSES
        or (kind.endswith("_statement") and kind != "print_statement")
    )


def _is_noise(node: tree_sitter.Node, header: list[tree_sitter.Node]) -> bool:
    """Whether a line holds no code: a docstring or a bare `pass`."""
    if node.type == "pass_statement":
        return True
    if node.type != "expression_statement" or len(node.children) == 0:
        return False
    return all(child.type in ("string", "concatenated_string", ";", "comment") for child in node.children)
