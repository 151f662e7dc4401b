"""The modified diff: the gold patch, its blocks replaced by their counterparts in a snapshot (Section 3.4).

The counterpart of changed lines is what stands between the nearest unchanged lines around them: anchors,
equal in the fixed code and in the snapshot's. Where context changed too, the anchors lie further out, at
worst at the ends of the function, which is then replaced whole.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from engine.patches.blocks import Block
from engine.patches.diff import Patch
from engine.patches.syntax import LogicalLine, Scope, SourceFile, parse_source
from engine.patches.tokens import encode
from engine.presence.localisation import Localiser
from engine.presence.verification.diffs import file_diff
from engine.problems import BenchCheckerError

_TAB = 8
_PYTHON_SCOPES = frozenset({"function_definition", "decorated_definition", "class_definition", "module"})


class NoCounterpart(BenchCheckerError):
    """A block has no aligned block in the snapshot, so that there is nothing to put in its place."""


@dataclass(frozen=True, slots=True)
class _Edit:
    """Rows `start` to `end` of the fixed file (1-based, inclusive; empty when end < start) become `text`."""

    start: int
    end: int
    text: tuple[str, ...]


def modified_diff(
    patch: Patch,
    blocks: Sequence[Block],
    read_base: Callable[[str], bytes | None],
    source_at: Callable[[str], SourceFile | None],
) -> str:
    """Return the diff that puts the snapshot's code where the gold patch puts its own.

    What is no block (imports, data files, documentation, deletions) is taken from the gold patch.

    Args:
        patch: The gold patch.
        blocks: Its blocks.
        read_base: Returns the bytes of a file at the base commit, None when it is not there.
        source_at: Returns a parsed file of the snapshot, None when it is not there.

    Raises:
        NoCounterpart: If a block is nowhere in its file of the snapshot, or what is there does not fit in.
        PatchError: If the gold patch does not fit the base commit.
    """
    parts = []
    for file in patch.files:
        if not file.hunks:
            continue
        base = b"" if file.old_path is None else read_base(file.old_path) or b""
        old = base.decode("utf-8", "surrogateescape")
        new = file.apply(old).text if file.new_path is not None else ""
        inside = [block for block in blocks if block.path == file.path and not block.is_deletion]
        if inside:
            new = _with_counterparts(new, inside, source_at(file.path))
        parts.append(file_diff(file.old_path, old, file.new_path, new))
    return "".join(parts)


def _with_counterparts(fixed: str, blocks: Sequence[Block], snapshot: SourceFile | None) -> str:
    path = blocks[0].path
    source = parse_source(fixed.encode("utf-8", "surrogateescape"), path)
    if snapshot is None or source is None:
        raise NoCounterpart(f"{path} is not in the snapshot")
    edits = [edit for block in blocks for edit in _edits(block, source, snapshot)]
    rows = fixed.split("\n")
    before = len(rows) + 1
    for edit in sorted(edits, key=lambda edit: -edit.start):
        if edit.end >= before:
            raise NoCounterpart(f"{path}: the places of two blocks overlap")
        rows[edit.start - 1 : edit.end] = edit.text
        before = edit.start
    text = "\n".join(rows)
    result = parse_source(text.encode("utf-8", "surrogateescape"), path)
    assert result is not None
    if result.scopes[0].node.has_error and not source.scopes[0].node.has_error:
        raise NoCounterpart(f"{path}: the snapshot's code does not fit into the buggy file")
    return text


def _edits(block: Block, source: SourceFile, snapshot: SourceFile) -> list[_Edit]:
    changed = [line for line in block.added if not line.is_import]
    if not changed:
        return []
    where = f"{block.scope or 'the module'} in {block.path}"
    target = _target(block, snapshot)
    if target is None:
        raise NoCounterpart(f"{where}: no aligned code in the snapshot")
    own = _holding(source.scopes_by_name.get(block.scope, ()), block.start)
    pair = _Pair(own, target, source, snapshot)
    edits: list[tuple[int, _Edit]] = []
    for first, last in _runs(own, changed):
        edit = pair.edit(first, last)
        while edits and edit is not None and edits[-1][1].end >= edit.start:
            # The places of two runs meet where no anchor parts them: they are one.
            first = edits.pop()[0]
            edit = pair.edit(first, last)
        if edit is None:
            raise NoCounterpart(f"{where}: what replaced line {own.lines[first].start} is not clear")
        edits.append((first, edit))
    return [edit for _, edit in edits]


def _target(block: Block, snapshot: SourceFile) -> Scope | None:
    """Return the scope of the snapshot that corresponds to the block's."""
    named = snapshot.scopes_by_name.get(block.scope, ())
    if len(named) == 1:
        return named[0]
    localiser = Localiser(block)
    if not named:
        place = localiser.locate(snapshot)
        return None if place is None else place.scope
    places = [place for scope in named if (place := localiser.locate_in(scope)) is not None]
    return max(places, key=lambda place: place.coverage).scope if places else named[0]


def _holding(scopes: Sequence[Scope], row: int) -> Scope:
    return next((scope for scope in scopes if scope.start <= row <= scope.end), scopes[0])


def _runs(scope: Scope, changed: Sequence[LogicalLine]) -> list[tuple[int, int]]:
    """Return the first and last index of each unbroken run of changed lines of a scope."""
    places = sorted({line.start for line in changed})
    indices = [index for index, line in enumerate(scope.lines) if line.start in places]
    runs: list[tuple[int, int]] = []
    for index in indices:
        if runs and runs[-1][1] == index - 1:
            runs[-1] = (runs[-1][0], index)
        else:
            runs.append((index, index))
    return runs


class _Pair:
    """A scope of the fixed file and its counterpart in the snapshot, with the anchors they share."""

    def __init__(self, own: Scope, other: Scope, source: SourceFile, snapshot: SourceFile) -> None:
        self._own, self._other = own, other
        own_text, self._text = _rows_of(source), _rows_of(snapshot)
        self._shift = _indent(own_text, own) - _indent(self._text, other)
        matcher = SequenceMatcher(None, _keys(own, own_text), _keys(other, self._text), autojunk=False)
        self._anchors = [
            (block.a + offset, block.b + offset)
            for block in matcher.get_matching_blocks()
            for offset in range(block.size)
        ]
        self._own_places = [place for place, _ in self._anchors]

    def edit(self, first: int, last: int) -> _Edit | None:
        """Return what becomes of the lines `first` to `last` of the own scope, None if that is not clear."""
        before = bisect_left(self._own_places, first) - 1
        after = bisect_left(self._own_places, last + 1)
        own_start, other_start = self._after(before)
        own_end, other_end = self._before(after)
        if own_start > self._own.lines[first].start or own_end < self._own.lines[last].end:
            return None
        if self._own.kind != "function" and self._splits(own_start, own_end):
            return None
        if self._own.kind != "function" and self._splits_other(other_start, other_end):
            return None
        text = [_shifted(row, self._shift) for row in self._text[other_start - 1 : other_end]]
        return _Edit(own_start, own_end, tuple(text))

    def _after(self, anchor: int) -> tuple[int, int]:
        """Return the first rows after an anchor on both sides, or the scopes' own first rows."""
        if anchor < 0:
            return self._own.start, self._other.start
        one, other = self._anchors[anchor]
        return self._own.lines[one].end + 1, self._other.lines[other].end + 1

    def _before(self, anchor: int) -> tuple[int, int]:
        """Return the last rows before an anchor on both sides, or the scopes' own last rows."""
        if anchor >= len(self._anchors):
            return self._own.end, self._other.end
        one, other = self._anchors[anchor]
        return self._own.lines[one].start - 1, self._other.lines[other].start - 1

    def _splits(self, start: int, end: int) -> bool:
        return _holds_scope(self._own, start, end)

    def _splits_other(self, start: int, end: int) -> bool:
        return _holds_scope(self._other, start, end)


def _holds_scope(scope: Scope, start: int, end: int) -> bool:
    """Whether a function or class inside `scope` touches some of its rows, which are then not its own."""
    stack = list(scope.node.children)
    while stack:
        node = stack.pop()
        if node.end_point.row + 1 < start or node.start_point.row + 1 > end:
            continue
        if node.type in scope.nested_kinds and node != scope.node:
            return True
        stack += node.children
    return False


def _keys(scope: Scope, rows: Sequence[str]) -> list[tuple[int, int, str]]:
    """Return what must be equal for two lines to be the same: their tokens and how deep they stand.

    In Python the indentation must be equal too, for rows are put beside the others as they are. A line that
    shares its row with others is equal to none: rows are replaced whole.
    """
    lines = scope.lines
    alone = [
        (place == 0 or lines[place - 1].end < line.start)
        and (place == len(lines) - 1 or line.end < lines[place + 1].start)
        for place, line in enumerate(lines)
    ]
    base = _indent(rows, scope)
    is_python = scope.node.type in _PYTHON_SCOPES
    return [
        (line.depth, _columns(rows[line.start - 1]) - base if is_python else 0, encode(line.tokens))
        if free
        else (-1 - place, 0, "")
        for place, (line, free) in enumerate(zip(lines, alone, strict=True))
    ]


def _rows_of(source: SourceFile) -> list[str]:
    return source.text.decode("utf-8", "surrogateescape").split("\n")


def _indent(rows: Sequence[str], scope: Scope) -> int:
    if scope.kind == "module":
        return 0
    return _columns(rows[scope.start - 1])


def _columns(row: str) -> int:
    """Return how many columns a row is indented by."""
    row = row.expandtabs(_TAB)
    return len(row) - len(row.lstrip())


def _shifted(row: str, columns: int) -> str:
    """Return a row moved to the right, or to the left as far as it is blank."""
    if columns == 0 or not row.strip():
        return row
    return " " * max(_columns(row) + columns, 0) + row.lstrip()
