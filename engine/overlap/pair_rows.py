"""Rows of pairs of an item and a document, streamed to Parquet."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from engine.overlap.hashing import I64

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
    paragraph_share: float
    excerpt: str
    excerpt_offset: int


def as_ranges(positions: I64) -> list[int]:
    """Return ascending positions as (first, count) pairs laid end to end."""
    if not len(positions):
        return []
    heads = np.concatenate(([0], np.flatnonzero(np.diff(positions) != 1) + 1))
    counts = np.diff(np.append(heads, len(positions)))
    ranges: list[int] = np.stack((positions[heads], counts), axis=1).ravel().tolist()
    return ranges


def from_ranges(ranges: list[int]) -> I64:
    """Return the positions that `as_ranges` packed."""
    parts = [np.arange(first, first + count) for first, count in zip(ranges[::2], ranges[1::2], strict=True)]
    return np.concatenate(parts) if parts else np.empty(0, np.int64)


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
    # JSON can spell half a surrogate pair; UTF-8 cannot.
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value
