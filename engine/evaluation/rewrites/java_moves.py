"""Rewrites that move code: into a helper method, into another class, into another source folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

import tree_sitter

from engine.evaluation.rewrites.edits import Edit, Files, Span, edited
from engine.evaluation.rewrites.java_code import (
    COMMENTS,
    TYPES,
    JavaCode,
    below,
    enclosing,
    field,
    identifiers,
    modifiers,
    parameter_names,
    text,
)

_DECLARES = frozenset({"variable_declarator", "formal_parameter", "catch_formal_parameter", "resource"})


def extract_method(source: bytes, spans: Sequence[Span]) -> bytes | None:
    """Move the body of each method in `spans` into a private method beside it, which it calls."""
    code = JavaCode.parse(source)
    if code is None:
        return None
    taken = identifiers(code.root)
    edits: list[Edit] = []
    for method in code.methods(spans):
        name = text(field(method, "name")) + b"Inner"
        names = parameter_names(method)
        if name in taken or names is None or method.parent is None or method.parent.type != "class_body":
            continue
        taken.add(name)
        edits += _extraction(code, method, name, names)
    return edited(source, edits)


def _extraction(code: JavaCode, method: tree_sitter.Node, name: bytes, names: Sequence[bytes]) -> list[Edit]:
    body, outer = field(method, "body"), code.rows.indent(method.start_point.row + 1)
    words = [b"private", *(word for word in modifiers(method) if word in (b"static", b"strictfp"))]
    helper = b"\n\n" + outer + b" ".join(words) + b" " + _signature(code, method, name) + text(body)
    return [
        Edit(body.start_byte, body.end_byte, _call(method, name, names, outer)),
        Edit(method.end_byte, method.end_byte, helper),
    ]


def _signature(code: JavaCode, method: tree_sitter.Node, name: bytes) -> bytes:
    """Return the head of a method under another name, from its type parameters to its exceptions."""
    first = next(
        child for child in method.children if child.type != "modifiers" and child.type not in COMMENTS
    )
    old = field(method, "name")
    before = code.source[first.start_byte : old.start_byte]
    return before + name + code.source[old.end_byte : field(method, "body").start_byte]


def _call(method: tree_sitter.Node, name: bytes, names: Sequence[bytes], outer: bytes) -> bytes:
    keyword = b"" if field(method, "type").type == "void_type" else b"return "
    call = keyword + name + b"(" + b", ".join(names) + b");"
    return b"{\n" + outer + b"    " + call + b"\n" + outer + b"}"


def move_to_class(path: str, source: bytes, spans: Sequence[Span]) -> Files | None:
    """Move the body of each method in `spans` that needs nothing of its object to a class of its own.

    The class stands in a new file of the same package and has the same imports. Members that are inherited
    cannot be seen from one file: a lower-case name that nothing here declares counts as one.
    """
    code = JavaCode.parse(source)
    if code is None:
        return None
    head = b"".join(
        text(child) + b"\n"
        for child in code.root.named_children
        if child.type in ("package_declaration", "import_declaration")
    )
    members = _members(code.root)
    folder = PurePosixPath(path).parent
    edits: list[Edit] = []
    files: dict[str, bytes | None] = {}
    for method in code.methods(spans):
        names = parameter_names(method)
        own = text(field(method, "name"))
        kind = own[:1].upper() + own[1:] + b"Support"
        target = str(folder / f"{kind.decode('utf-8')}.java")
        if (
            names is None
            or target in files
            or kind in identifiers(code.root)
            or not _stands_alone(method, members)
        ):
            continue
        signature = _signature(code, method, own)
        files[target] = (
            head
            + b"\nfinal class "
            + kind
            + b" {\n    static "
            + signature
            + text(field(method, "body"))
            + b"\n}\n"
        )
        outer = code.rows.indent(method.start_point.row + 1)
        body = field(method, "body")
        edits.append(Edit(body.start_byte, body.end_byte, _call(method, kind + b"." + own, names, outer)))
    kept = edited(source, edits)
    return None if kept is None else {path: kept, **files}


def _members(root: tree_sitter.Node) -> set[bytes]:
    """Return the names of all fields, methods and types that a file declares, and of its type parameters."""
    found = set()
    for node in below(root):
        if node.type in TYPES or node.type in ("method_declaration", "enum_constant"):
            found.add(text(node.child_by_field_name("name")))
        elif node.type == "type_parameter":
            found |= identifiers(node)
        elif node.type == "field_declaration":
            found |= {
                text(part.child_by_field_name("name"))
                for part in node.named_children
                if part.type == "variable_declarator"
            }
    return found


def _stands_alone(method: tree_sitter.Node, members: set[bytes]) -> bool:
    """Whether a method uses only its parameters, its variables, and members of other things."""
    owner = enclosing(method, TYPES)
    if method.parent is None or method.parent.type != "class_body" or owner is None:
        return False
    parts = list(below(method))
    if any(part.type in ("this", "super", "class_body", "annotation", "marker_annotation") for part in parts):
        return False
    known = {text(part.child_by_field_name("name")) for part in parts if part.type in _DECLARES}
    for part in parts:
        if part.type in ("inferred_parameters", "spread_parameter"):
            known |= identifiers(part)
        elif part.type in ("enhanced_for_statement", "instanceof_expression", "lambda_expression"):
            known |= {text(part.child_by_field_name(name)) for name in ("name", "parameters")}
    return not any(_needs_object(part, known, members) for part in parts)


def _needs_object(node: tree_sitter.Node, known: set[bytes], members: set[bytes]) -> bool:
    parent = node.parent
    if node.type == "method_invocation" and node.child_by_field_name("object") is None:
        return True
    if node.type not in ("identifier", "type_identifier") or parent is None:
        return False
    name = text(node)
    if parent.type == "method_declaration" and parent.child_by_field_name("name") == node:
        return False
    if name in members and name not in known:
        return True
    member = {
        "method_invocation": parent.child_by_field_name("name"),
        "field_access": parent.child_by_field_name("field"),
        "method_reference": parent.children[-1],
    }.get(parent.type)
    qualified = member is not None and member == node
    constant = name.upper() == name
    return not qualified and name not in known and (name[:1].islower() or constant)


def move_source_root(path: str, source: bytes, spans: Sequence[Span]) -> Files | None:
    """Move the file to another source folder of the project; its package stays."""
    parts = PurePosixPath(path).parts
    for folder in ("java", "src"):
        if folder in parts[:-1]:
            at = parts.index(folder)
            return {path: None, str(PurePosixPath(*parts[:at], f"{folder}-shared", *parts[at + 1 :])): source}
    return {path: None, f"shared/{path}": source}
