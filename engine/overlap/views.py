"""Views of a field that holds a unified diff: what it adds, or what its hunks say afterwards."""

from __future__ import annotations

from engine.patches.diff import PatchError, parse_diff
from engine.problems import BenchCheckerError

_SIGNS = {"added": "+", "after": "+ "}


def split_view(spec: str) -> tuple[str, str | None]:
    """Return the field that `spec` names and the view it asks for (`NAME`, `NAME:added`, `NAME:after`).

    Raises:
        BenchCheckerError: If the view is unknown.
    """
    name, separator, view = spec.rpartition(":")
    if not separator:
        return spec, None
    if view not in _SIGNS:
        raise BenchCheckerError(f"{spec!r}: unknown view {view!r}; known are {', '.join(sorted(_SIGNS))}")
    return name, view


def apply_view(text: str, view: str | None) -> str | None:
    """Return what `view` shows of a diff; the text itself without a view, None if it is no diff."""
    if view is None:
        return text
    try:
        patch = parse_diff(text)
    except PatchError:
        return None
    shown = (
        line
        for file in patch.files
        for hunk in file.hunks
        for sign, line in hunk.lines
        if sign in _SIGNS[view]
    )
    return "\n".join(shown)
