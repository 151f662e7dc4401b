"""All rewrites, by language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.evaluation.rewrites import (
    java_format,
    java_moves,
    java_names,
    java_statements,
    python_format,
    python_moves,
    python_names,
    python_statements,
    python_strings,
)
from engine.evaluation.rewrites.edits import Files, Span
from engine.patches.syntax import Language

_Apply = Callable[[str, bytes, Sequence[Span]], Files | None]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One rewrite of one language.

    Attributes:
        name: What a programmer would call it; the same in both languages where it is the same.
        language: The language.
        apply: Returns the files of a rewritten file from its path, its text and the lines to be rewritten;
            None where it finds nothing to change.
    """

    name: str
    language: Language
    apply: _Apply


def _in_place(function: Callable[[bytes, Sequence[Span]], bytes | None]) -> _Apply:
    def apply(path: str, source: bytes, spans: Sequence[Span]) -> Files | None:
        rewritten = function(source, spans)
        return None if rewritten is None else {path: rewritten}

    return apply


REWRITES: tuple[Rewrite, ...] = (
    Rewrite("rename locals", Language.PYTHON, _in_place(python_names.rename_locals)),
    Rewrite("add type hints", Language.PYTHON, _in_place(python_names.add_type_hints)),
    Rewrite("reformat", Language.PYTHON, _in_place(python_format.reformat)),
    Rewrite("add comments", Language.PYTHON, _in_place(python_format.add_comments)),
    Rewrite("remove comments", Language.PYTHON, _in_place(python_format.remove_comments)),
    Rewrite("toggle docstrings", Language.PYTHON, _in_place(python_format.toggle_docstrings)),
    Rewrite("to f-strings", Language.PYTHON, _in_place(python_strings.to_fstrings)),
    Rewrite("from f-strings", Language.PYTHON, _in_place(python_strings.from_fstrings)),
    Rewrite("reorder statements", Language.PYTHON, _in_place(python_statements.reorder_statements)),
    Rewrite("reorder functions", Language.PYTHON, _in_place(python_statements.reorder_functions)),
    Rewrite("introduce variables", Language.PYTHON, _in_place(python_statements.introduce_variables)),
    Rewrite("inline variables", Language.PYTHON, _in_place(python_statements.inline_variables)),
    Rewrite("invert conditions", Language.PYTHON, _in_place(python_statements.invert_conditions)),
    Rewrite("guard clauses", Language.PYTHON, _in_place(python_statements.guard_clauses)),
    Rewrite("extract function", Language.PYTHON, _in_place(python_moves.extract_function)),
    Rewrite("move function to another file", Language.PYTHON, python_moves.move_to_module),
    Rewrite("rename file", Language.PYTHON, python_moves.rename_module),
    Rewrite("rename locals", Language.JAVA, _in_place(java_names.rename_locals)),
    Rewrite("reformat", Language.JAVA, _in_place(java_format.reflow)),
    Rewrite("add comments", Language.JAVA, _in_place(java_format.add_comments)),
    Rewrite("remove comments", Language.JAVA, _in_place(java_format.remove_comments)),
    Rewrite("reorder statements", Language.JAVA, _in_place(java_statements.reorder_statements)),
    Rewrite("reorder functions", Language.JAVA, _in_place(java_statements.reorder_methods)),
    Rewrite("introduce variables", Language.JAVA, _in_place(java_statements.introduce_variables)),
    Rewrite("inline variables", Language.JAVA, _in_place(java_statements.inline_variables)),
    Rewrite("invert conditions", Language.JAVA, _in_place(java_statements.invert_conditions)),
    Rewrite("extract function", Language.JAVA, _in_place(java_moves.extract_method)),
    Rewrite("move function to another file", Language.JAVA, java_moves.move_to_class),
    Rewrite("rename file", Language.JAVA, java_moves.move_source_root),
)
