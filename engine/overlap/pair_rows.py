"""Rows of pairs of an item and a document, streamed to Parquet."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from engine.overlap.hashing import I64
from engine.overlap.index import EvaluationIndex
from engine.overlap.matcher import Matches
from engine.overlap.streams import storable

_ROWS_PER_WRITE = 512


@dataclass(frozen=True, slots=True)
class PairRow:
    """One pair that is flagged, or near enough to be kept.

    Attributes:
        item: Number of the item in the evaluation set.
        shard: Name of the shard.
        document: Key of the document in the shard.
        document_sha256: Hash of the document's canonical text: what a verdict refers to.
        matched: Matched n-grams of the item, dropped ones included, as (first, count) pairs laid end to end;
            positions count from the item's first token.
        contaminated: Contaminated tokens of the item.
        longest_match: Tokens of the longest contaminated span.
        span: Characters of the longest common span, 0 below the threshold.
        windows: Stretches of windows of `Rules.span` bytes of the item that the document holds, packed like
            `matched`; they count from the item's first byte.
        paragraph_share: Greatest share that a paragraph of the document has in the evaluation set.
        excerpt: The part of the document to show.
        excerpt_offset: Where it starts in the document, in characters.
    """

    item: int
    shard: str
    document: str
    document_sha256: str
    matched: list[int]
    contaminated: int
    longest_match: int
    span: int
    windows: list[int]
    paragraph_share: float
    excerpt: str
    excerpt_offset: int


class PairRanges:
    """Ranges inside items, for every pair of a batch.

    Args:
        items: Number of items.
        document: Document of each range, ascending.
        item: Its item, ascending for one document.
        first: Where the range starts in the item.
        count: Its length.
    """

    def __init__(self, items: int, document: I64, item: I64, first: I64, count: I64) -> None:
        self._items = items
        self._pair = document * items + item
        self._ranges = np.stack((first, count), axis=1)

    @classmethod
    def of_ngrams(cls, found: Matches, index: EvaluationIndex) -> PairRanges:
        """Return the matched n-grams, consecutive ones as one range of tokens."""
        document, position = found.ngram_document, found.ngram_position
        item = index.item_of[position]
        new = np.ones(len(position), np.bool_)
        new[1:] = (np.diff(position) != 1) | (np.diff(document) != 0) | (np.diff(item) != 0)
        heads = np.flatnonzero(new)
        counts = np.diff(np.append(heads, len(position)))
        item = item[heads]
        return cls(len(index.names), document[heads], item, position[heads] - index.offsets[item], counts)

    @classmethod
    def of_windows(cls, found: Matches, index: EvaluationIndex) -> PairRanges:
        """Return the shared windows as ranges of bytes."""
        item = index.batch.document_of_byte(found.window_first)
        first = found.window_first - index.batch.text_starts[item]
        return cls(len(index.names), found.window_document, item, first, found.window_count)

    def of(self, document: int, item: int) -> list[int]:
        """Return (first, count) pairs laid end to end, first counting from the item's start."""
        pair = document * self._items + item
        low, high = np.searchsorted(self._pair, (pair, pair + 1))
        ranges: list[int] = self._ranges[low:high].ravel().tolist()
        return ranges


class PairWriter:
    """Writes rows to a Parquet file, a few hundred at a time; close it by leaving its context.

    Attributes:
        rows: Rows written.
    """

    def __init__(self, path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        kinds = {
            "int": pa.int32(),
            "str": pa.string(),
            "list[int]": pa.list_(pa.int32()),
            "float": pa.float64(),
        }
        self._schema = pa.schema([(field.name, kinds[str(field.type)]) for field in fields(PairRow)])
        self._writer = pq.ParquetWriter(path, self._schema, compression="zstd")
        self._held: list[PairRow] = []
        self.rows = 0

    def write(self, row: PairRow) -> None:
        """Add a row."""
        self._held.append(row)
        self.rows += 1
        if len(self._held) >= _ROWS_PER_WRITE:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        columns: dict[str, list[Any]] = {
            name: [_storable(getattr(row, name)) for row in self._held] for name in self._schema.names
        }
        self._writer.write_table(pa.table(columns, schema=self._schema))
        self._held.clear()

    def __enter__(self) -> PairWriter:
        """Start writing."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write what is held, unless an error ends the work, and close the file."""
        if kind is None and self._held:
            self._flush()
        self._writer.close()


def _storable(value: Any) -> Any:
    return storable(value) if isinstance(value, str) else value
