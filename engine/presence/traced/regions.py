"""Where a fix may be in a snapshot: at its place, in functions near it, or in other files.

The place is the function of the same name in the file that the patch names, renames followed. Where that name
is gone, a function of the same last name, or one that is nearly the same code, is taken for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from rapidfuzz.distance import Indel

from engine.patches.blocks import Block, is_test_path
from engine.patches.syntax import Scope, SourceFile
from engine.patches.tokens import encode
from engine.presence.snapshot import Snapshot

SAME_CODE = 0.55
"""Similarity of a scope's lines from which a scope of another name is taken for the renamed one."""
SAME_NAME = 0.3
"""The same for one of the same full name in another file."""
MAX_HELPERS = 12
MAX_FILES = 8
MIN_WORD = 4
"""Shortest identifier worth looking for in the whole snapshot."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block is at home in a snapshot.

    Attributes:
        path: Its file, or where that last was.
        source: The parsed file, None when gone or not parsable.
        scopes: The scopes at the place; empty when the function is gone.
        renamed: Whether they have another name than in the patch.
    """

    path: str
    source: SourceFile | None
    scopes: tuple[Scope, ...]
    renamed: bool


def find_place(block: Block, snapshot: Snapshot) -> Place:
    """Return where a block is at home in a snapshot."""
    path = snapshot.path_of(block.base_path or block.path, block.base_commit)
    source = snapshot.source(path)
    if source is None:
        return Place(path, None, (), renamed=False)
    scopes = source.scopes_by_name.get(block.scope, ())
    if scopes or block.kind == "module":
        return Place(path, source, scopes, renamed=False)
    known = snapshot.source_in(block.base_commit, path) if block.base_commit is not None else None
    found = _renamed(block, source, known)
    return Place(path, source, (found,) if found is not None else (), renamed=found is not None)


def helpers(place: Place) -> list[Scope]:
    """Return the functions of the file that the place calls, at most `MAX_HELPERS`."""
    assert place.source is not None
    called = {token.text for scope in place.scopes for line in scope.lines for token in line.tokens}
    near = [
        scope
        for scope in place.source.scopes
        if scope.kind == "function" and scope.simple_name in called and scope not in place.scopes
    ]
    return near if len(near) <= MAX_HELPERS else []


def other_files(
    suffix: str, words: Sequence[str], snapshot: Snapshot, own: str, *, least: int = 1
) -> Iterator[str]:
    """Yield other files of the snapshot that hold the rarest three of some words, or as many as can be found.

    Args:
        suffix: End of the files' names.
        words: The words, rarest first.
        snapshot: Where to look.
        own: The path that is not looked at.
        least: How many of the words a file must hold.
    """
    chosen = [word for word in words if len(word) >= MIN_WORD][:3]
    for count in range(len(chosen), max(least, 1) - 1, -1):
        found = [
            path
            for path in snapshot.files_with(chosen[:count], suffix)
            if path != own and not is_test_path(path)
        ]
        if found:
            yield from found[:MAX_FILES]
            return


def moved_files(block: Block, context_words: Sequence[str], snapshot: Snapshot, own: str) -> list[str]:
    """Return other files that may hold what a block's scope was moved to: by its name, and by its words.

    Args:
        block: The block.
        context_words: Identifiers of the code around the fix, rarest first.
        snapshot: Where to look.
        own: Path of the block's own file.
    """
    suffix = PurePosixPath(block.path).suffix
    names = [name for name in block.scope.split(".")[-2:] if len(name) >= MIN_WORD]
    files = dict.fromkeys(other_files(suffix, names, snapshot, own, least=len(names)))
    files |= dict.fromkeys(other_files(suffix, context_words, snapshot, own, least=2))
    return list(files)


def moved_scope(block: Block, path: str, snapshot: Snapshot) -> Scope | None:
    """Return the scope of another file that a block's scope may have moved to.

    It has the same name, or nearly the same code, and was not there before the fix.
    """
    source = snapshot.source(path)
    if source is None:
        return None
    known = snapshot.source_in(block.base_commit, path) if block.base_commit is not None else None
    code = "".join(encode(line.tokens) for line in block.fixed)
    new = [one for one in source.scopes if known is None or one.name not in known.scopes_by_name]
    return _most_similar(block, code, new)


def _most_similar(block: Block, code: str, scopes: Sequence[Scope]) -> Scope | None:
    """Return the scope most like the block's, if any is like enough for how its name is."""
    found, best = None, 0.0
    last_name = block.scope.rpartition(".")[2]
    for scope in scopes:
        if scope.kind != block.kind:
            continue
        same = scope.name == block.scope or scope.simple_name == last_name
        needed = max(best, SAME_NAME if same else SAME_CODE)
        similarity = Indel.normalized_similarity(code, "".join(scope.codes), score_cutoff=needed)
        if similarity > best:
            found, best = scope, similarity
    return found


def _renamed(block: Block, source: SourceFile, before: SourceFile | None) -> Scope | None:
    """Return the scope that a block's scope was renamed to: the most similar of those that are new since."""
    known = "".join(encode(line.tokens) for line in block.fixed)
    last_name = block.scope.rpartition(".")[2]
    found: Scope | None = None
    best = SAME_CODE
    for scope in source.scopes:
        if scope.kind != block.kind or (before is not None and scope.name in before.scopes_by_name):
            continue
        bonus = 0.1 if scope.simple_name == last_name else 0.0
        similarity = Indel.normalized_similarity(
            known, "".join(scope.codes), score_cutoff=min(1.0, best - bonus)
        )
        if similarity and similarity + bonus > best:
            best, found = similarity + bonus, scope
    return found
