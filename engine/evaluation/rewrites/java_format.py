"""Rewrites that the compiler does not see: layout and comments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import tree_sitter

from engine.evaluation.rewrites.edits import Edit, Span, edited
from engine.evaluation.rewrites.java_code import COMMENTS, JavaCode, below, field

_ATOMS = frozenset({"string_literal", "character_literal", *COMMENTS})
_INDENT = b"  "
_STATEMENTS = frozenset({"block", "constructor_body"})


def reflow(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Lay out the bodies of the methods in `spans` anew: braces on their own lines, a statement a line."""
    code = JavaCode.parse(source)
    if code is None:
        return None
    edits = []
    for method in code.callables(spans):
        body = field(method, "body")
        outer = code.rows.indent(method.start_point.row + 1)
        laid_out = b"\n" + b"".join(_lines(list(_atoms(body)), outer))
        edits.append(Edit(body.start_byte, body.end_byte, laid_out.rstrip()))
    return edited(source, edits)


def _atoms(root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the tokens below a node, literals and comments whole."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in _ATOMS or not node.children:
            yield node
        else:
            stack += reversed(node.children)


def _lines(atoms: Sequence[tree_sitter.Node], outer: bytes) -> Iterator[bytes]:
    depth, brackets = 0, 0
    line: list[bytes] = []
    previous: tree_sitter.Node | None = None

    def ended() -> Iterator[bytes]:
        if line:
            yield outer + _INDENT * depth + b"".join(line) + b"\n"
            line.clear()

    for atom in atoms:
        kind = atom.type
        if kind in ("{", "}"):
            yield from ended()
            depth -= kind == "}"
            line.append(kind.encode())
            yield from ended()
            depth += kind == "{"
        else:
            brackets += (kind in "([") - (kind in ")]") if len(kind) == 1 else 0
            apart = previous is not None and previous.end_byte < atom.start_byte
            line += [b" "] * bool(line and apart) + [atom.text or b""]
            # The semicolons of a `for` header stand in brackets.
            if kind in COMMENTS or (kind == ";" and not brackets):
                yield from ended()
        previous = atom
    yield from ended()


def add_comments(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Put a comment before every statement of the methods in `spans`."""
    code = JavaCode.parse(source)
    if code is None:
        return None
    rows = {
        statement.start_point.row + 1
        for method in code.callables(spans)
        for node in below(method)
        if node.type in _STATEMENTS
        for statement in node.named_children
        if code.rows.begins(statement.start_point.row + 1, statement.start_point.column)
    }
    edits = []
    for number, row in enumerate(sorted(rows), start=1):
        place = code.rows.start(row)
        comment = b"// Step %d of the work that is done here.\n" % number
        edits.append(Edit(place, place, code.rows.indent(row) + comment))
    return edited(source, edits)


def remove_comments(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Remove the comments in `spans`, and those before its methods."""
    code = JavaCode.parse(source)
    if code is None:
        return None
    comments = [node for node in below(code.root) if node.type in COMMENTS]
    return edited(source, [_without(code, node) for node in comments if _wanted(node, spans)])


def _wanted(comment: tree_sitter.Node, spans: Sequence[Span]) -> bool:
    following = comment.next_named_sibling
    rows = [comment.start_point.row + 1]
    rows += [following.start_point.row + 1] if following is not None else []
    return any(span.meets(row, row) for span in spans for row in rows)


def _without(code: JavaCode, comment: tree_sitter.Node) -> Edit:
    first, last = comment.start_point.row + 1, comment.end_point.row + 1
    end = comment.end_byte
    rest = code.source[end : code.rows.end(last)]
    if code.rows.begins(first, comment.start_point.column) and not rest.strip():
        return Edit(code.rows.start(first), code.rows.end(last), b"")
    return Edit(comment.start_byte, end, b" ")
