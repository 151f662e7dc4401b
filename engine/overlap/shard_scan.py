"""Scans one shard: documents in, rows and coverage out, in memory that does not grow with the shard."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from engine.overlap.corpus import CorpusOptions, Shard
from engine.overlap.excerpts import Excerpts, paragraph_share
from engine.overlap.hashing import I64, TextBatch
from engine.overlap.index import EvaluationIndex, Flags
from engine.overlap.lookup import distinct
from engine.overlap.matcher import Matcher, Matches
from engine.overlap.pair_rows import PairRanges, PairRow, PairWriter
from engine.overlap.shard_reader import Document, ShardReader
from engine.store.facts import replacing

BATCH_CHARACTERS = 1 << 20
BATCH_DOCUMENTS = 1 << 14


@dataclass(slots=True)
class Coverage:
    """What the documents read so far have in common with each item.

    Attributes:
        seen: Whether the n-gram at each position of the set occurred.
        contaminated: Whether the token at each position was contaminated.
        longest: Longest contaminated span of each item, in tokens.
        frequency: Documents that hold each distinct n-gram.
        windows: Documents that hold the window of `Rules.span` bytes at each byte of the set, as differences
            from the byte before.
    """

    seen: Flags
    contaminated: Flags
    longest: I64
    frequency: I64
    windows: I64

    @classmethod
    def empty(cls, index: EvaluationIndex) -> Coverage:
        """Return the coverage by no document."""
        size = len(index.ids)
        groups = int(index.groups.max(initial=-1)) + 1
        return cls(
            np.zeros(size, np.bool_),
            np.zeros(size, np.bool_),
            np.zeros(len(index.names), np.int64),
            np.zeros(groups, np.int64),
            np.zeros(len(index.batch.text) + 1, np.int64),
        )

    def add(self, other: Coverage) -> None:
        """Join the coverage by other documents to this one."""
        self.seen |= other.seen
        self.contaminated |= other.contaminated
        np.maximum(self.longest, other.longest, out=self.longest)
        self.frequency += other.frequency
        self.windows += other.windows

    def add_matches(self, index: EvaluationIndex, found: Matches) -> None:
        """Join the coverage by a batch of documents."""
        self.seen[found.ngram_position] = True
        self.contaminated[found.token_position] = True
        np.maximum.at(self.longest, found.item, found.longest)
        groups = len(self.frequency)
        pairs = distinct(found.ngram_document * groups + index.groups[found.ngram_position])
        np.add.at(self.frequency, pairs % max(groups, 1), 1)
        np.add.at(self.windows, found.window_first, 1)
        np.add.at(self.windows, found.window_first + found.window_count, -1)

    def save(self, path: Path) -> None:
        """Write to `path`, atomically."""
        with replacing(path) as temporary, temporary.open("wb") as stream:
            np.savez_compressed(
                stream,
                seen=np.packbits(self.seen),
                contaminated=np.packbits(self.contaminated),
                longest=self.longest,
                frequency=self.frequency,
                windows=self.windows,
            )

    @classmethod
    def load(cls, path: Path, index: EvaluationIndex) -> Coverage:
        """Read what `save` wrote."""
        size = len(index.ids)
        with np.load(path) as data:
            return cls(
                np.unpackbits(data["seen"], count=size).astype(np.bool_),
                np.unpackbits(data["contaminated"], count=size).astype(np.bool_),
                data["longest"],
                data["frequency"],
                data["windows"],
            )


@dataclass(frozen=True, slots=True)
class ShardFiles:
    """Where the results of one shard lie."""

    folder: Path
    key: str

    @property
    def marker(self) -> Path:
        """Written last: with it the shard is done."""
        return self.folder / f"{self.key}.json"

    @property
    def pairs(self) -> Path:
        """Rows of pairs."""
        return self.folder / f"{self.key}.pairs.parquet"

    @property
    def coverage(self) -> Path:
        """Coverage of the items."""
        return self.folder / f"{self.key}.coverage.npz"


def batches(documents: Iterator[Document]) -> Iterator[list[Document]]:
    """Group documents to batches of about `BATCH_CHARACTERS`."""
    held: list[Document] = []
    length = 0
    for document in documents:
        held.append(document)
        length += len(document.text)
        if length >= BATCH_CHARACTERS or len(held) >= BATCH_DOCUMENTS:
            yield held
            held, length = [], 0
    if held:
        yield held


class ShardScan:
    """One pass over one shard."""

    def __init__(self, matcher: Matcher, shard: Shard, options: CorpusOptions) -> None:
        self._matcher, self._index = matcher, matcher.index
        self._shard = shard
        self._reader = ShardReader(shard, options)
        self._coverage = Coverage.empty(matcher.index)
        self._text_bytes = self._pairs_left_out = 0

    def run(self, files: ShardFiles) -> dict[str, Any]:
        """Scan the shard, write its results, and return the content of its marker.

        Raises:
            ShardError: If it cannot be read whole; then nothing of it is kept.
        """
        signature = self._shard.signature()
        started = datetime.now(UTC)
        with replacing(files.pairs) as temporary, PairWriter(temporary) as writer:
            for documents in batches(iter(self._reader)):
                batch, found = self._matcher.match_texts([document.text for document in documents])
                self._text_bytes += len(batch.text)
                if len(found) or len(found.ngram_position):
                    self._coverage.add_matches(self._index, found)
                    for row in self._rows(documents, batch, found):
                        writer.write(row)
            rows = writer.rows
        self._coverage.save(files.coverage)
        tally = self._reader.tally
        marker = {
            **asdict(self._shard),
            "signature": signature,
            "sha256": self._reader.digest,
            "raw_bytes": self._reader.raw_bytes,
            "text_bytes": self._text_bytes,
            "documents": tally.documents,
            "skipped": dict(tally.skipped),
            "repaired": tally.repaired,
            "problems": [str(problem) for problem in tally.problems],
            "pairs": rows,
            "pairs_left_out": self._pairs_left_out,
            "scanned_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": (datetime.now(UTC) - started).total_seconds(),
        }
        with replacing(files.marker) as temporary:
            temporary.write_text(json.dumps(marker, indent=1) + "\n", encoding="utf-8")
        return marker

    def _rows(self, documents: list[Document], batch: TextBatch, found: Matches) -> Iterator[PairRow]:
        index, rules = self._index, self._index.rules
        share = found.ngrams / np.maximum(index.totals[found.item], 1)
        token_share = found.contaminated / np.maximum(index.lengths[found.item], 1)
        flagged = (share >= rules.share) | (token_share >= rules.token_share) | (found.span >= rules.span)
        paragraphs = self._paragraph_shares(documents, batch, found)
        # A flagged paragraph puts up the pair of its document that shares most.
        for document, value in paragraphs.items():
            if value >= rules.paragraph_share:
                pairs = np.flatnonzero(found.document == document)
                flagged[pairs[np.argmax(found.ngrams[pairs])]] = True
        kept = flagged | (share >= rules.keep_share)
        self._pairs_left_out += int((~kept).sum())
        ngrams, windows = PairRanges.of_ngrams(found, index), PairRanges.of_windows(found, index)
        hashes: dict[int, str] = {}
        excerpts: dict[int, Excerpts] = {}
        for pair in np.flatnonzero(kept).tolist():
            number, item = int(found.document[pair]), int(found.item[pair])
            if number not in hashes:
                text = batch.text[batch.text_starts[number] : batch.text_ends[number]]
                hashes[number] = hashlib.sha256(text.tobytes()).hexdigest()
                excerpts[number] = Excerpts(documents[number].text)
            item_text = int(index.batch.text_ends[item] - index.batch.text_starts[item])
            token = int(found.place[pair] - batch.token_offsets[number])
            offset, shown = excerpts[number].cut(token, item_text)
            yield PairRow(
                item=item,
                shard=self._shard.name,
                document=documents[number].key,
                document_sha256=hashes[number],
                matched=ngrams.of(number, item),
                contaminated=int(found.contaminated[pair]),
                longest_match=int(found.longest[pair]),
                span=int(found.span[pair]),
                windows=windows.of(number, item),
                paragraph_share=paragraphs.get(number, 0.0),
                excerpt=shown,
                excerpt_offset=offset,
            )

    def _paragraph_shares(
        self, documents: list[Document], batch: TextBatch, found: Matches
    ) -> dict[int, float]:
        owner = batch.document_of_token(found.matched_starts)
        if not len(owner):
            return {}
        chosen = distinct(owner)
        ends = np.searchsorted(owner, chosen, side="right")
        shares = {}
        for document, starts in zip(chosen, np.split(found.matched_starts, ends[:-1]), strict=True):
            inside = starts - batch.token_offsets[document]
            shares[int(document)] = paragraph_share(documents[document].text, inside, self._index.rules.n)
        return shares
