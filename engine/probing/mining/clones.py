"""Code block clones: functions and groups of statements that are near copies (paper, Section 4.1).

As in NiCad, blocks are normalised (layout and comments go) and compared line by line: two blocks are clones
when the lines they share in order are a large enough part of the longer one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

from engine.patches.syntax import LogicalLine, Scope, SourceFile, language_of
from engine.probing.mining.passages import Group, Passage, without_overlaps
from engine.probing.queries import PatternKind

LEAST_LINES = 3
MOST_LINES = 120
SIMILARITY = 0.7
"""NiCad's usual near-miss setting: up to 30% of the lines may differ."""
_COMMON_LINE = 60
"""A line in more blocks than this tells nothing of two of them being copies."""


@dataclass(frozen=True, slots=True)
class Block:
    """A function or a statement group, as hashes of its normalised lines."""

    passage: Passage
    lines: tuple[int, ...]


def clone_groups(texts: Mapping[str, str]) -> list[Group]:
    """Return the groups of near copies, in different files or in one."""
    blocks = [block for path, text in texts.items() for block in blocks_of(path, text)]
    groups = []
    for members in _connected(blocks):
        passages = without_overlaps(blocks[index].passage for index in members)
        if len(passages) > 1:
            groups.append(Group(PatternKind.CLONE, passages))
    return groups


def blocks_of(path: str, text: str) -> Iterator[Block]:
    """Yield the functions of a file, and the statement groups inside them."""
    language = language_of(path)
    if language is None:
        return
    source = SourceFile(text.encode("utf-8", "replace"), language)
    starts = _line_starts(text)
    for scope in source.scopes:
        if scope.kind == "function":
            for lines in _stretches(scope):
                first, last = lines[0].start - 1, min(lines[-1].end, len(starts) - 1)
                passage = Passage(path, starts[first], text[starts[first] : starts[last]])
                yield Block(passage, tuple(hash(line.text) for line in lines))


def _stretches(scope: Scope) -> Iterator[Sequence[LogicalLine]]:
    """Yield the lines of a function, and of each compound statement in it."""
    lines = scope.lines
    if LEAST_LINES <= len(lines) <= MOST_LINES:
        yield lines
    for index, line in enumerate(lines):
        end = index + 1
        while end < len(lines) and lines[end].depth > line.depth:
            end += 1
        if index and LEAST_LINES <= end - index <= MOST_LINES:
            yield lines[index:end]


def _line_starts(text: str) -> list[int]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def _connected(blocks: Sequence[Block]) -> list[list[int]]:
    """Return groups of block indices, each a component of the relation "is a near copy of"."""
    parents = list(range(len(blocks)))

    def root(index: int) -> int:
        while parents[index] != index:
            parents[index] = parents[parents[index]]
            index = parents[index]
        return index

    exact: dict[tuple[int, ...], int] = {}
    holders: dict[int, list[int]] = defaultdict(list)
    for index, block in enumerate(blocks):
        twin = exact.setdefault(block.lines, index)
        if twin != index:
            parents[index] = twin
            continue
        for other in _candidates(block, blocks, holders):
            if root(other) != root(index) and _alike(block.lines, blocks[other].lines):
                parents[root(index)] = root(other)
        for line in set(block.lines):
            holders[line].append(index)
    members: dict[int, list[int]] = defaultdict(list)
    for index in range(len(blocks)):
        members[root(index)].append(index)
    return [group for group in members.values() if len(group) > 1]


def _candidates(block: Block, blocks: Sequence[Block], holders: Mapping[int, list[int]]) -> list[int]:
    """Return the earlier blocks that share enough of the telling lines, those that share most first."""
    shared: Counter[int] = Counter()
    telling = 0
    for line in set(block.lines):
        found = holders.get(line, ())
        if len(found) <= _COMMON_LINE:
            telling += 1
            shared.update(found)
    least = max(2, SIMILARITY * telling * 0.5)
    return [index for index, count in shared.most_common(8) if count >= least]


def _alike(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    longer = max(len(one), len(other))
    if min(len(one), len(other)) < SIMILARITY * longer:
        return False
    return int(LCSseq.similarity(one, other)) >= SIMILARITY * longer
