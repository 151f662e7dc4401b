"""Exact common runs of tokens and bytes between documents and items, all pairs of a batch at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.overlap.hashing import I64, U8, TextBatch
from engine.overlap.index import I32, EvaluationIndex, Seed, repeat_ranges

_MAX_PAIRS = 1 << 20
_LOOK_AHEAD = 32


@dataclass(frozen=True, slots=True)
class Runs:
    """Maximal runs of agreement along a diagonal.

    Attributes:
        item: Start in the evaluation set (a token position, or a byte offset).
        document: Start in the batch (likewise).
        length: Tokens or bytes.
    """

    item: I64
    document: I64
    length: I64

    def __len__(self) -> int:
        return len(self.item)

    def of_length(self, least: int) -> Runs:
        """Return the runs of at least this length."""
        chosen = self.length >= least
        return Runs(self.item[chosen], self.document[chosen], self.length[chosen])

    @property
    def item_end(self) -> I64:
        """Position after the last one, in the evaluation set."""
        return self.item + self.length

    @property
    def document_end(self) -> I64:
        """Position after the last one, in the batch."""
        return self.document + self.length


def token_runs(
    index: EvaluationIndex, batch: TextBatch, ids: I32, seed: Seed, where: I64, rows: I64
) -> Iterator[Runs]:
    """Yield the maximal exact runs through the windows at `where`, confirmed token by token.

    Args:
        index: The evaluation set.
        batch: The documents.
        ids: Token ids of the batch, -1 for tokens foreign to the set.
        seed: The windows that were probed.
        where: Each window found, in steps of the seed.
        rows: Their rows in the seed's table.
    """
    for part in _parts(where, seed.table.sizes(rows)):
        document, item = seed.table.expand(where[part] * seed.step, rows[part])
        same = np.ones(len(item), np.bool_)
        for offset in range(seed.size):
            same &= index.ids[item + offset] == ids[document + offset]
        item, document = item[same], document[same]
        runs = _join(item, document, index.item_of[item], seed.size, seed.step)
        if seed.step > 1:
            owner, inside = index.item_of[runs.item], batch.document_of_token(runs.document)
            sides = (
                _Side(index.ids, index.offsets[owner], index.offsets[owner + 1]),
                _Side(ids, batch.token_offsets[inside], batch.token_offsets[inside + 1]),
            )
            runs = _widen(runs, *sides, seed.step - 1).of_length(seed.least)
        yield runs


def byte_runs(index: EvaluationIndex, batch: TextBatch, where: I64, rows: I64) -> Iterator[Runs]:
    """Yield the maximal common spans of bytes through the aligned windows at `where` (in steps)."""
    step = index.rules.span_step
    size = step * index.rules.span_steps
    texts, item_texts = batch.text, index.batch.text
    for part in _parts(where, index.spans.sizes(rows)):
        document, item = index.spans.expand(where[part] * step, rows[part])
        same = np.ones(len(item), np.bool_)
        for offset in range(size):
            same &= item_texts[item + offset] == texts[document + offset]
        item, document = item[same], document[same]
        runs = _join(item, document, index.batch.document_of_byte(item), size, step)
        owner, inside = index.batch.document_of_byte(runs.item), batch.document_of_byte(runs.document)
        yield _widen(
            runs,
            _Side(item_texts, index.batch.text_starts[owner], index.batch.text_ends[owner]),
            _Side(texts, batch.text_starts[inside], batch.text_ends[inside]),
            step,
        )


def _parts(where: I64, sizes: I64) -> Iterator[slice]:
    """Cut windows into parts of about `_MAX_PAIRS` pairs, never between two that could be one run."""
    if not len(where):
        return
    heads = np.concatenate(([0], np.flatnonzero(np.diff(where) > 1) + 1))
    pairs = np.add.reduceat(sizes, heads)
    block = (np.cumsum(pairs) - pairs) // _MAX_PAIRS
    first = heads[np.concatenate(([0], np.flatnonzero(np.diff(block)) + 1))]
    for start, end in zip(first, [*first[1:], len(where)], strict=True):
        yield slice(int(start), int(end))


def _join(item: I64, document: I64, owner: I64, size: int, step: int) -> Runs:
    """Join windows that follow one another by `step` on one diagonal of one item."""
    if not len(item):
        return Runs(item, document, item)
    order = np.lexsort((item, item - document))
    item, document, owner = item[order], document[order], owner[order]
    new = np.ones(len(item), np.bool_)
    new[1:] = (np.diff(item - document) != 0) | (np.diff(item) != step) | (np.diff(owner) != 0)
    heads = np.flatnonzero(new)
    last = np.concatenate((heads[1:], [len(item)])) - 1
    return Runs(item[heads], document[heads], item[last] - item[heads] + size)


@dataclass(frozen=True, slots=True)
class _Side:
    """What runs are compared in.

    Attributes:
        values: Token ids or bytes.
        low: First position of the item or document that each run lies in.
        high: Position after its last.
    """

    values: I32 | U8
    low: I64
    high: I64


def _widen(runs: Runs, items: _Side, documents: _Side, most: int) -> Runs:
    """Extend runs by at most so many to both sides; what is farther had been found by the next window."""
    item, document, length = runs.item.copy(), runs.document.copy(), runs.length.copy()
    open_left = np.ones(len(item), np.bool_)
    open_right = open_left.copy()
    for _ in range(most):
        open_left &= (item > items.low) & (document > documents.low)
        open_left &= items.values[item - open_left] == documents.values[document - open_left]
        item, document, length = item - open_left, document - open_left, length + open_left
        a, b = item + length, document + length
        open_right &= (a < items.high) & (b < documents.high)
        a, b = np.where(open_right, a, item), np.where(open_right, b, document)
        open_right &= items.values[a] == documents.values[b]
        length = length + open_right
    return Runs(item, document, length)


@dataclass(frozen=True, slots=True)
class Extended:
    """Matches of Llama 2's rule: exact runs, continued to the right over a few differing tokens.

    Attributes:
        runs: Start and whole length of each match, the differing tokens included.
        item: Positions of the agreeing tokens beyond the exact run, for all matches together.
        match: The match that each of these belongs to.
    """

    runs: Runs
    item: I64
    match: I64


def extend(runs: Runs, index: EvaluationIndex, ids: I32, document_end: I64, skips: int) -> Extended:
    """Continue each exact run while at most `skips` tokens differ and the last one agrees.

    Args:
        runs: Maximal exact runs.
        index: The evaluation set.
        ids: Token ids of the batch.
        document_end: End of the document that each run lies in.
        skips: Tokens that may differ.
    """
    item_end = index.offsets[index.item_of[runs.item] + 1]
    room = np.minimum(item_end - runs.item_end, document_end - runs.document_end)
    gained = np.zeros(len(runs), np.int64)
    differing = np.zeros(len(runs), np.int64)
    agreeing: list[I64] = []
    owners: list[I64] = []
    active, at = np.flatnonzero(room > 0), 0
    steps = np.arange(_LOOK_AHEAD)
    while len(active):
        ahead = at + steps[None, :]
        inside = ahead < room[active, None]
        item = np.where(inside, runs.item_end[active, None] + ahead, 0)
        document = np.where(inside, runs.document_end[active, None] + ahead, 0)
        equal = inside & (index.ids[item] == ids[document])
        seen = differing[active, None] + np.cumsum(inside & ~equal, axis=1)
        good = equal & (seen <= skips)
        row, column = np.nonzero(good)
        agreeing.append(item[row, column])
        owners.append(active[row])
        np.maximum.at(gained, active[row], at + column + 1)
        differing[active] = seen[:, -1]
        at += _LOOK_AHEAD
        active = active[(seen[:, -1] <= skips) & (room[active] > at)]
    joined = [np.concatenate([*parts, np.empty(0, np.int64)]) for parts in (agreeing, owners)]
    return Extended(Runs(runs.item, runs.document, runs.length + gained), joined[0], joined[1])


def covered(runs: Runs, window: I64) -> tuple[I64, I64]:
    """Return (run, item position) for every window of `window[run]` tokens that lies inside a run."""
    counts = np.maximum(runs.length - window + 1, 0)
    return repeat_ranges(np.arange(len(runs)), runs.item, counts)
