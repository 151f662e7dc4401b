"""Fixes in real repositories, judged by the traced detector."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from scratch_repository import new_scratch

from engine.history.repository import RepositoryHistory
from engine.patches.blocks import Block, blocks_of
from engine.patches.diff import parse_diff
from engine.presence.snapshot import Snapshot, SourceCache
from engine.presence.traced.detector import TracedDetector
from engine.presence.verdicts import BlockVerdict, SampleVerdict, combine

Tree = Mapping[str, str | None]


def patch_blocks(before: Tree, after: Tree, base_commit: str | None = None) -> tuple[Block, ...]:
    """Return the blocks of the change from one set of files to another."""
    diffs = []
    for path, new in after.items():
        old = before.get(path)
        sides = ((old or "").splitlines(keepends=True), (new or "").splitlines(keepends=True))
        names = (f"a/{path}" if old is not None else "/dev/null", f"b/{path}" if new else "/dev/null")
        diffs += list(difflib.unified_diff(*sides, *names))
    blocks = blocks_of(parse_diff("".join(diffs)), lambda path: (before[path] or "").encode())
    return tuple(replace(block, base_commit=base_commit) for block in blocks)


def judge(folder: Path, before: Tree, after: Tree, *later: Tree) -> list[SampleVerdict]:
    """Judge the change from `before` to `after` in a repository that goes on with `later`.

    Every state names the files that it changes, None where it removes one.

    Returns:
        The verdict before the change, after it, and in each later state, judged one after the other.
    """
    scratch = new_scratch(folder / "scratch.git")
    states = [dict(before), dict(after), *map(dict, later)]
    commits = [
        (
            f"2020-01-{day:02}",
            {path: None if text is None else text.encode() for path, text in state.items()},
        )
        for day, state in enumerate(states, start=1)
    ]
    scratch.chain(*commits)
    history = RepositoryHistory.open(scratch.path)
    blocks = patch_blocks(before, after, scratch.names["c0"])
    detector, cache = TracedDetector(), SourceCache(history)
    chosen = detector.select(blocks)
    verdicts = []
    previous: list[BlockVerdict | None] = [None] * len(chosen)
    for position in range(len(states)):
        snapshot = Snapshot(cache, position)
        found = [detector.judge(block, snapshot, last) for block, last in zip(chosen, previous, strict=True)]
        alone = [detector.judge_alone(block, snapshot) for block in chosen]
        assert all(one in (None, known) for one, known in zip(alone, found, strict=True))
        verdicts.append(combine(found, [block.scope for block in chosen]))
        # What stood before the landing is no verdict that a later one could go on from.
        previous = [*found] if position else [None] * len(chosen)
    history.close()
    return verdicts
