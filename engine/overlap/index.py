"""The evaluation set as the scanner needs it: token ids, n-grams and hash tables, built once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.overlap.evaluation_set import Item
from engine.overlap.hashing import I64, U64, TextBatch, all_windows, rolling, text_batch, token_hashes
from engine.overlap.lookup import HashSet
from engine.overlap.rules import Rules

I32 = NDArray[np.int32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class HashTable:
    """Where each hash occurs.

    Attributes:
        keys: The distinct hashes; a row of the table is an entry of this set.
        offsets: Start of each row's part of `positions`, and their number at the end.
        positions: Positions in the evaluation set, ascending in a row.
    """

    keys: HashSet
    offsets: I64
    positions: I64

    @classmethod
    def build(cls, hashes: U64, positions: I64) -> HashTable:
        """Build the table of `hashes`, one for each of `positions` (ascending)."""
        order = np.argsort(hashes, kind="stable")
        ordered = hashes[order]
        first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
        return cls(HashSet.build(ordered[first]), np.append(first, len(hashes)), positions[order])

    def expand(self, where: I64, rows: I64) -> tuple[I64, I64]:
        """Return every pair of a probed index and a position of its row."""
        first = self.offsets[rows]
        return repeat_ranges(where, first, self.offsets[rows + 1] - first, self.positions)

    def sizes(self, rows: I64) -> I64:
        """Return how many positions each row has."""
        sizes: I64 = self.offsets[rows + 1] - self.offsets[rows]
        return sizes


def repeat_ranges(keys: I64, first: I64, counts: I64, values: I64 | None = None) -> tuple[I64, I64]:
    """Expand each range `first .. first + count - 1` beside its key; through `values` where given."""
    repeated = np.repeat(np.arange(len(keys)), counts)
    before = np.cumsum(counts) - counts
    index = first[repeated] + np.arange(len(repeated)) - before[repeated]
    return keys[repeated], index if values is None else values[index]


@dataclass(frozen=True, slots=True)
class Seed:
    """Token windows by which documents are found.

    Attributes:
        size: Tokens of a window.
        step: Documents are probed at every so many tokens.
        least: Tokens of the shortest run that counts; every such run holds a window that is probed.
        table: The windows at every position of the items that they are for.
    """

    size: int
    step: int
    least: int
    table: HashTable


@dataclass(frozen=True, slots=True)
class EvaluationIndex:
    """Tokens, n-grams and hash tables of an evaluation set.

    Positions count the tokens of all items, in order. An n-gram is named by the position where it starts; an
    item with fewer than n tokens has one, its whole self.

    Attributes:
        names: Item ids.
        rules: The rules it was built for.
        batch: Canonical text of the items.
        ids: Token id at each position.
        vocabulary: Token hashes; a token's id is its entry here.
        sample: A position that holds each token of the vocabulary.
        item_of: Item at each position.
        offsets: First position of each item, and the number of positions at the end.
        groups: Number of the distinct n-gram that starts at each position, -1 where none does.
        kept: Whether the n-gram at a position counts (one does, and it is not dropped as too common).
        totals: n-grams that count, for each item; 0 where it cannot be judged.
        dropped: n-grams dropped for being in too many items, for each item.
        seeds: Token windows by which documents are found: the common ones, then those for each length of
            item that is shorter, longest first.
        spans: Byte windows for the character rule.
    """

    names: tuple[str, ...]
    rules: Rules
    batch: TextBatch
    ids: I32
    vocabulary: HashSet
    sample: I64
    item_of: I64
    offsets: I64
    groups: I64
    kept: Flags
    totals: I64
    dropped: I64
    seeds: tuple[Seed, ...]
    spans: HashTable

    @property
    def lengths(self) -> I64:
        """Number of tokens of each item."""
        return np.diff(self.offsets)

    @property
    def ngram_lengths(self) -> I64:
        """Length of each item's n-grams: n, or all its tokens if it has fewer; 0 where it is not judged."""
        lengths = self.lengths
        return np.where(lengths < self.rules.shortest_item, 0, np.minimum(lengths, self.rules.n))


def build_index(items: Sequence[Item], rules: Rules) -> EvaluationIndex:
    """Build the index of `items` under `rules`."""
    batch = text_batch([item.text for item in items])
    hashes = token_hashes(batch)
    vocabulary, sample, ids = np.unique(hashes, return_index=True, return_inverse=True)
    if len(set(batch.words.tobytes().replace(b"\0", b" ").split())) != len(vocabulary):
        raise AssertionError("two tokens of the evaluation set have one hash")
    offsets = batch.token_offsets
    lengths = np.diff(offsets)
    item_of = np.repeat(np.arange(len(items)), lengths)
    sizes = np.where(lengths < rules.shortest_item, 0, np.minimum(lengths, rules.n))
    groups = _groups(hashes, ids, offsets, sizes)
    starts = groups >= 0
    kept = starts.copy()
    if rules.max_items is not None:
        pairs = np.unique(np.stack((groups[starts], item_of[starts])), axis=1)
        frequency = np.bincount(pairs[0], minlength=int(groups.max(initial=-1)) + 1)
        kept[starts] = frequency[groups[starts]] <= rules.max_items
    count = len(items)
    return EvaluationIndex(
        names=tuple(item.item for item in items),
        rules=rules,
        batch=batch,
        ids=ids.astype(np.int32),
        vocabulary=HashSet.build(vocabulary),
        sample=sample.astype(np.int64),
        item_of=item_of,
        offsets=offsets,
        groups=groups,
        kept=kept,
        totals=np.bincount(item_of[kept], minlength=count),
        dropped=np.bincount(item_of[starts & ~kept], minlength=count),
        seeds=_seed_tables(hashes, offsets, sizes, rules),
        spans=_span_table(batch, rules),
    )


def _groups(hashes: U64, ids: I64, offsets: I64, sizes: I64) -> I64:
    """Number the distinct n-grams; -1 where none starts."""
    groups = np.full(len(hashes), -1, np.int64)
    used = 0
    for size in np.unique(sizes[sizes > 0]):
        chosen = np.flatnonzero(sizes == size)
        counts = offsets[chosen + 1] - offsets[chosen] - size + 1
        _, positions = repeat_ranges(chosen, offsets[chosen], counts)
        windows = rolling(hashes, int(size))[positions]
        _, first, number = np.unique(windows, return_index=True, return_inverse=True)
        same = positions[first][number]
        if any((ids[positions + step] != ids[same + step]).any() for step in range(int(size))):
            raise AssertionError("two n-grams of the evaluation set have one hash")
        groups[positions] = used + number
        used += int(number.max()) + 1
    return groups


def _seed_tables(hashes: U64, offsets: I64, sizes: I64, rules: Rules) -> tuple[Seed, ...]:
    lengths = np.diff(offsets)

    def seed(chosen: I64, size: int, step: int, least: int) -> Seed:
        _, positions = repeat_ranges(chosen, offsets[chosen], lengths[chosen] - size + 1)
        return Seed(size, step, least, HashTable.build(rolling(hashes, size)[positions], positions))

    common = seed(np.flatnonzero(sizes >= rules.seed), rules.seed_window, rules.seed_step, rules.seed)
    short = sorted({int(size) for size in np.unique(sizes) if 0 < size < rules.seed}, reverse=True)
    return common, *(seed(np.flatnonzero(sizes == size), size, 1, size) for size in short)


def _span_table(batch: TextBatch, rules: Rules) -> HashTable:
    size = rules.span_step * rules.span_steps
    windows = all_windows(batch.text, rules.span_step, rules.span_steps)
    lengths = batch.text_ends - batch.text_starts
    chosen = np.flatnonzero(lengths >= size)
    _, positions = repeat_ranges(chosen, batch.text_starts[chosen], lengths[chosen] - size + 1)
    return HashTable.build(windows[positions], positions)
