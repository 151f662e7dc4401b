"""Measures every pair of an item and a document of a batch: the rules of the gate, exactly.

Hash tables propose windows; `runs` confirms them token by token and byte by byte. Everything reported follows
from the confirmed runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.overlap.hashing import I64, U64, TextBatch, aligned_windows, rolling, text_batch, token_hashes
from engine.overlap.index import I32, EvaluationIndex, Seed, repeat_ranges
from engine.overlap.lookup import distinct
from engine.overlap.runs import Runs, byte_runs, covered, extend, token_runs

_NONE = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Matches:
    """What a batch of documents has in common with the evaluation set.

    The first seven arrays have one entry for each pair that shares anything, ordered by document and item.

    Attributes:
        document: Number of the document in the batch.
        item: Number of the item.
        ngrams: n-grams of the item that occur in the document and count (the numerator of the share).
        contaminated: Tokens of the item contaminated by the document, by Llama 2's rule.
        longest: Tokens of its longest such match, differing ones included; 0 without a match.
        span: Characters of the longest common span; 0 below the threshold of the rule.
        place: Token of the batch at which the longest run (else the span) starts.
        ngram_document: Document of each entry of `ngram_position`.
        ngram_position: Positions of matched n-grams, dropped ones included, each once a document.
        token_position: Positions of contaminated tokens, each once.
        matched_starts: Tokens of the batch at which an n-gram of the set starts that counts, each once.
        window_document: Document of each entry of `window_first`, ascending.
        window_first: Start, in the bytes of the set, of a stretch of windows of `Rules.span` bytes that the
            document holds; ascending for one document, stretches apart.
        window_count: Windows in each stretch, one a byte.
    """

    document: I64
    item: I64
    ngrams: I64
    contaminated: I64
    longest: I64
    span: I64
    place: I64
    ngram_document: I64
    ngram_position: I64
    token_position: I64
    matched_starts: I64
    window_document: I64
    window_first: I64
    window_count: I64

    def __len__(self) -> int:
        return len(self.document)


class _Best:
    """The greatest value for each key, and what came with it."""

    def __init__(self) -> None:
        self._parts: list[tuple[I64, I64, I64]] = []

    def add(self, keys: I64, values: I64, companions: I64) -> None:
        self._parts.append(_greatest(keys, values, companions))

    def result(self) -> tuple[I64, I64, I64]:
        if not self._parts:
            return _NONE, _NONE, _NONE
        keys, values, companions = (np.concatenate(parts) for parts in zip(*self._parts, strict=True))
        return _greatest(keys, values, companions)


def _greatest(keys: I64, values: I64, companions: I64) -> tuple[I64, I64, I64]:
    # Of equal values the first companion wins, so that results do not depend on the order of work.
    order = np.lexsort((-companions, values, keys))
    keys, values, companions = keys[order], values[order], companions[order]
    last = np.append(np.flatnonzero(np.diff(keys)), len(keys) - 1) if len(keys) else _NONE
    return keys[last], values[last], companions[last]


class Matcher:
    """Compares batches of documents with one evaluation set."""

    def __init__(self, index: EvaluationIndex) -> None:
        self.index = index
        self._ngram_lengths = index.ngram_lengths

    def match_texts(self, texts: Sequence[str]) -> tuple[TextBatch, Matches]:
        """Fold `texts` and match them."""
        batch = text_batch(texts)
        return batch, self.match(batch)

    def match(self, batch: TextBatch) -> Matches:
        """Return everything that the documents of `batch` share with the evaluation set."""
        hashes = token_hashes(batch)
        probes = [_probe(seed, batch, hashes) for seed in self.index.seeds]
        rules = self.index.rules
        spans = self.index.spans.keys.find(aligned_windows(batch.text, rules.span_step, rules.span_steps))
        if not any(len(where) for where, _ in [*probes, spans]):
            return _empty()
        work = _Work(self.index, self._ngram_lengths, batch)
        found = [where * seed.step for seed, (where, _) in zip(self.index.seeds, probes, strict=True)]
        documents = distinct(batch.document_of_token(np.concatenate(found)))
        ids = _token_ids(self.index, batch, hashes, documents)
        for seed, (where, rows) in zip(self.index.seeds, probes, strict=True):
            for runs in token_runs(self.index, batch, ids, seed, where, rows):
                work.add_tokens(runs, ids)
        for runs in byte_runs(self.index, batch, *spans):
            work.add_bytes(runs)
        return work.result()


def _probe(seed: Seed, batch: TextBatch, hashes: U64) -> tuple[I64, I64]:
    """Return the windows of the batch that the set may hold, in steps, and their rows in the table."""
    where, rows = seed.table.keys.find(rolling(hashes, seed.size, seed.step))
    start = where * seed.step
    inside = start + seed.size <= batch.token_offsets[batch.document_of_token(start) + 1]
    return where[inside], rows[inside]


class _Work:
    """Gathers the confirmed runs of one batch."""

    def __init__(self, index: EvaluationIndex, ngram_lengths: I64, batch: TextBatch) -> None:
        self._index, self._ngram_lengths, self._batch = index, ngram_lengths, batch
        self._positions, self._items = max(len(index.ids), 1), len(index.names)
        self._bytes = len(index.batch.text) + 1
        self._ngrams: list[I64] = []
        self._tokens: list[I64] = []
        self._starts: list[I64] = []
        self._shared: list[tuple[I64, I64]] = []
        self._run, self._longest, self._span = _Best(), _Best(), _Best()

    def add_tokens(self, runs: Runs, ids: I32) -> None:
        if not len(runs):
            return
        index, rules = self._index, self._index.rules
        item = index.item_of[runs.item]
        document = self._batch.document_of_token(runs.document)
        self._run.add(document * self._items + item, runs.length, runs.document)
        run, position = covered(runs, self._ngram_lengths[item])
        self._ngrams.append(distinct(document[run] * self._positions + position))
        counted = index.kept[position] & (self._ngram_lengths[item[run]] == rules.n)
        self._starts.append(distinct((runs.document[run] + position - runs.item[run])[counted]))
        exact = runs.of_length(rules.run)
        if len(exact):
            self._add_extended(exact, ids)

    def _add_extended(self, exact: Runs, ids: I32) -> None:
        index, rules = self._index, self._index.rules
        document = self._batch.document_of_token(exact.document)
        found = extend(exact, index, ids, self._batch.token_offsets[document + 1], rules.skips)
        matched = found.runs.length > rules.run
        keys = document * self._items + index.item_of[exact.item]
        self._longest.add(keys[matched], found.runs.length[matched], exact.document[matched])
        inside, position = repeat_ranges(document[matched], exact.item[matched], exact.length[matched])
        beyond = matched[found.match]
        self._tokens.append(
            distinct(
                np.concatenate(
                    (
                        inside * self._positions + position,
                        document[found.match[beyond]] * self._positions + found.item[beyond],
                    )
                )
            )
        )

    def add_bytes(self, runs: Runs) -> None:
        characters = self._characters(runs)
        long = characters >= self._index.rules.span
        item = self._index.batch.document_of_byte(runs.item[long])
        start = runs.document[long]
        document = self._batch.document_of_byte(start)
        token = np.searchsorted(self._batch.token_ends, start, side="right")
        self._span.add(document * self._items + item, characters[long], token)
        base = document * self._bytes
        windows_end = runs.item_end[long] - self._index.rules.span + 1
        self._shared.append((base + runs.item[long], base + windows_end))

    def _characters(self, runs: Runs) -> I64:
        """Count the characters that lie whole inside each run of bytes."""
        starts = (self._batch.text & 0xC0) != 0x80
        if starts.all():
            return runs.length
        before = np.concatenate(([0], np.cumsum(starts)))
        count = before[runs.document_end] - before[runs.document]
        # The last character is cut if the byte after the run continues it.
        after = np.append(starts, True)[runs.document_end]
        whole: I64 = count - ~after
        return whole

    def result(self) -> Matches:
        index = self._index
        ngrams, tokens = _union(self._ngrams), _union(self._tokens)
        document, position = np.divmod(ngrams, self._positions)
        kept = index.kept[position]
        counted = document[kept] * self._items + index.item_of[position[kept]]
        token_document, token_position = np.divmod(tokens, self._positions)
        token_pair = token_document * self._items + index.item_of[token_position]
        runs, longest, span = self._run.result(), self._longest.result(), self._span.result()
        pairs = _union([counted, token_pair, span[0]])
        place = _lookup(pairs, runs[0], runs[2], -1)
        return Matches(
            document=pairs // self._items,
            item=pairs % self._items,
            ngrams=_counts(pairs, counted),
            contaminated=_counts(pairs, token_pair),
            longest=_lookup(pairs, longest[0], longest[1], 0),
            span=_lookup(pairs, span[0], span[1], 0),
            place=np.where(place < 0, _lookup(pairs, span[0], span[2], 0), place),
            ngram_document=document,
            ngram_position=position,
            token_position=_union([token_position]),
            matched_starts=_union(self._starts),
            **self._windows(),
        )

    def _windows(self) -> dict[str, I64]:
        """Join the stretches of windows of each document that touch or overlap."""
        starts, ends = (np.concatenate([_NONE, *(pair[side] for pair in self._shared)]) for side in range(2))
        order = np.argsort(starts, kind="stable")
        starts, ends = starts[order], ends[order]
        new = np.append(True, starts[1:] > np.maximum.accumulate(ends)[:-1])[: len(starts)]
        heads = np.flatnonzero(new)
        document, first = np.divmod(starts[heads], self._bytes)
        return {
            "window_document": document,
            "window_first": first,
            "window_count": (np.maximum.reduceat(ends, heads) if len(heads) else ends) - starts[heads],
        }


def _union(parts: list[I64]) -> I64:
    return distinct(np.concatenate(parts)) if parts else _NONE


def _counts(keys: I64, values: I64) -> I64:
    return np.bincount(np.searchsorted(keys, values), minlength=len(keys))


def _lookup(keys: I64, present: I64, values: I64, otherwise: int) -> I64:
    result = np.full(len(keys), otherwise, np.int64)
    if len(keys):
        at = np.minimum(np.searchsorted(keys, present), len(keys) - 1)
        known = keys[at] == present
        result[at[known]] = values[known]
    return result


def _empty() -> Matches:
    return Matches(*(_NONE for _ in range(14)))


def _token_ids(index: EvaluationIndex, batch: TextBatch, hashes: U64, documents: I64) -> I32:
    """Return the exact ids of the tokens of `documents`, -1 elsewhere and for tokens foreign to the set."""
    ids = np.full(len(hashes), -1, np.int32)
    first = batch.token_offsets[documents]
    _, tokens = repeat_ranges(documents, first, batch.token_offsets[documents + 1] - first)
    known, at = index.vocabulary.find(hashes[tokens])
    tokens = tokens[known]
    sample = index.sample[at]
    start, other = batch.token_starts[tokens], index.batch.token_starts[sample]
    length = batch.token_ends[tokens] - start
    same = length == index.batch.token_ends[sample] - other
    # A hash of at most eight bytes tells the token; longer ones are compared byte by byte.
    doubtful, offset = np.flatnonzero(same & (length > 8)), 0
    while len(doubtful):
        same[doubtful] = batch.words[start[doubtful] + offset] == index.batch.words[other[doubtful] + offset]
        offset += 1
        doubtful = doubtful[same[doubtful] & (length[doubtful] > offset)]
    ids[tokens[same]] = at[same]
    return ids
