"""The blocks of a gold patch: what has to be found in a snapshot for the fix to be there.

A block is what the patch changes inside one function, class body or module. Deletions alone make a block too:
it is present while the deleted lines are gone.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from engine.patches.diff import FilePatch, Patch, PatchError
from engine.patches.encoding import as_utf8
from engine.patches.syntax import (
    MAX_SOURCE_BYTES,
    LogicalLine,
    Scope,
    SourceFile,
    language_of,
    parse_source,
)

_TEST_PATH = re.compile(
    r"(^|/)(tests?|testing|test-[\w-]+|testFixtures)/|(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$|Tests?\.java$"
)


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a gold patch.

    Attributes:
        index: 0-based position in the patch.
        path: File after the patch.
        base_path: File before the patch, None for a new file.
        scope: Dotted name of the function or class in the fixed file; empty for the module.
        kind: `function`, `class` or `module`.
        start: 1-based first changed physical line in the fixed file (the scope's first for a deletion).
        added: Logical lines of the fixed code that the patch touched.
        removed: Logical lines of the buggy code that the patch touched.
        fixed: All logical lines of the scope after the fix; empty when the fix removed the scope.
        buggy: All logical lines of the scope before the fix; empty when the fix made the scope.
        base_commit: The commit the patch applies to, where that is known.
        fixed_text: The whole fixed file, for those who need its syntax tree.
    """

    index: int
    path: str
    base_path: str | None
    scope: str
    kind: str
    start: int
    added: tuple[LogicalLine, ...]
    removed: tuple[LogicalLine, ...]
    fixed: tuple[LogicalLine, ...]
    buggy: tuple[LogicalLine, ...]
    base_commit: str | None = None
    fixed_text: bytes = field(default=b"", repr=False, compare=False)

    @property
    def is_deletion(self) -> bool:
        """Whether the fix only took code away here."""
        return not self.added

    @property
    def written(self) -> tuple[LogicalLine, ...]:
        """The added lines that are new, and not only moved, indented or reformatted."""
        return lines_without(self.added, self.removed)

    @property
    def dropped(self) -> tuple[LogicalLine, ...]:
        """The removed lines that are gone, and not only moved, indented or reformatted."""
        return lines_without(self.removed, self.added)


def is_test_path(path: str) -> bool:
    """Whether a path holds tests, which are not part of a fix."""
    return bool(_TEST_PATH.search(path))


def blocks_of(patch: Patch, read_base: Callable[[str], bytes | None]) -> tuple[Block, ...]:
    """Return the blocks of a patch.

    Args:
        patch: The gold patch.
        read_base: Returns the bytes of a file at the base commit, None when it is not there.

    Returns:
        Blocks in the order of the patch. Test files, documentation, and files in a language without a grammar
        are left out; the result is empty when nothing else is left.

    Raises:
        PatchError: If a file the patch changes is missing at the base commit, or the patch does not fit it.
    """
    found: list[Block] = []
    for file in patch.files:
        if not file.hunks or is_test_path(file.path):
            continue
        for block in _file_blocks(file, read_base):
            found.append(_numbered(block, len(found)))
    return tuple(found)


def _numbered(block: Block, index: int) -> Block:
    return Block(index, *(getattr(block, name) for name in Block.__slots__[1:]))


def _file_blocks(file: FilePatch, read_base: Callable[[str], bytes | None]) -> Iterable[Block]:
    if language_of(file.path) is None:
        return
    base = b"" if file.old_path is None else read_base(file.old_path)
    if base is None:
        raise PatchError(f"{file.old_path} is not in the base commit")
    patched = file.apply(as_utf8(base).decode("utf-8"))
    # What has no UTF-8 form becomes a question mark.
    fixed = parse_source(patched.text.encode("utf-8", "replace"), file.path)
    buggy = parse_source(base, file.path)
    if fixed is None or buggy is None:
        raise PatchError(f"{file.path} has more than {MAX_SOURCE_BYTES} bytes")
    changed = _touched(fixed, patched.added)
    removed = _touched(buggy, patched.removed)
    for name in dict.fromkeys([*changed, *removed]):
        yield _scope_block(file, name, fixed, buggy, changed.get(name, []), removed.get(name, []))


def _touched(source: SourceFile, rows: frozenset[int]) -> dict[str, list[LogicalLine]]:
    """Return, by scope name, the logical lines that lie on any of `rows`."""
    ordered = sorted(rows)

    def is_hit(start: int, end: int) -> bool:
        first = bisect_left(ordered, start)
        return first < len(ordered) and ordered[first] <= end

    touched: dict[str, list[LogicalLine]] = {}
    for scope in source.scopes:
        if not is_hit(scope.start, scope.end):
            continue
        lines = [line for line in scope.lines if is_hit(line.start, line.end)]
        if lines:
            touched.setdefault(scope.name, []).extend(lines)
    return touched


def _scope_block(
    file: FilePatch,
    name: str,
    fixed: SourceFile,
    buggy: SourceFile,
    changed: list[LogicalLine],
    removed: list[LogicalLine],
) -> Block:
    fixed_scopes = fixed.scopes_by_name.get(name, ())
    buggy_scopes = buggy.scopes_by_name.get(name, ())
    scope: Scope = (fixed_scopes or buggy_scopes)[0]
    start = min((line.start for line in changed), default=scope.start)
    return Block(
        index=0,
        path=file.path,
        base_path=file.old_path,
        scope=name,
        kind=scope.kind,
        start=start,
        added=tuple(changed),
        removed=tuple(removed),
        fixed=tuple(line for part in fixed_scopes for line in part.lines),
        buggy=tuple(line for part in buggy_scopes for line in part.lines),
        fixed_text=fixed.text,
    )


def lines_without(lines: tuple[LogicalLine, ...], others: tuple[LogicalLine, ...]) -> tuple[LogicalLine, ...]:
    """Return `lines` less those with a counterpart of the same tokens in `others`, one for one."""
    spare = Counter(line.tokens for line in others)
    kept = []
    for line in lines:
        if spare[line.tokens] > 0:
            spare[line.tokens] -= 1
        else:
            kept.append(line)
    return tuple(kept)
