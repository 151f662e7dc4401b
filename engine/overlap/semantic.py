"""The semantic pass: paraphrases and translations, which share no n-grams with their item.

Items and documents are cut into passages of about a hundred words; a pair is as similar as its two most
similar passages. The pass runs over flagged pairs, or over the whole corpus for the nearest documents of each
item. What it finds are candidates: a judge decides (`judge`).
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from engine.overlap.canonical import canonical_bytes
from engine.overlap.corpus import CorpusOptions, Shard
from engine.overlap.embedding import Embedder
from engine.overlap.evaluation_set import EvaluationSet, Item, make_item
from engine.overlap.queue import Choice
from engine.overlap.result import ScanResult
from engine.overlap.result_tables import SEMANTIC_NAME
from engine.overlap.shard_reader import Document, ShardReader
from engine.store.facts import replacing

PASSAGE_WORDS = 96
PASSAGE_STEP = 48
FLOOR = 0.5
"""Documents less similar than this are never kept as near an item."""

_BATCH_PASSAGES = 256
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True, order=True)
class Match:
    """An item and a document near it.

    Attributes:
        similarity: Cosine of the two most similar passages.
        item: Item id.
        item_sha256: Hash of its canonical text.
        shard: Name of the shard.
        document: Key of the document in it.
        document_sha256: Hash of its canonical text.
        excerpt: The document's most similar passage.
        excerpt_offset: Where it starts in the document, in characters.
    """

    similarity: float
    item: str
    item_sha256: str
    shard: str
    document: str
    document_sha256: str
    excerpt: str
    excerpt_offset: int


def passages(text: str) -> list[tuple[int, str]]:
    """Cut a text into overlapping passages of `PASSAGE_WORDS` words, each with its offset."""
    words = [match.span() for match in _WORD.finditer(text)]
    if not words:
        return []
    last = max(len(words) - PASSAGE_WORDS, 0)
    starts = [*range(0, last, PASSAGE_STEP), last]
    return [
        (words[start][0], text[words[start][0] : words[min(start + PASSAGE_WORDS, len(words)) - 1][1]])
        for start in starts
    ]


class ItemVectors:
    """The passages of all items as vectors."""

    def __init__(self, items: Sequence[Item], embedder: Embedder) -> None:
        self.items = tuple(items)
        cut = [passages(item.text) or [(0, "")] for item in items]
        self._heads = np.cumsum([0, *(len(parts) for parts in cut)])[:-1]
        self._vectors = embedder.embed([part for parts in cut for _, part in parts])

    def similarity(self, vectors: np.typing.NDArray[np.float32]) -> np.typing.NDArray[np.float32]:
        """Return the similarity of each item (rows) to each vector (columns)."""
        best: np.typing.NDArray[np.float32] = np.maximum.reduceat(
            self._vectors @ vectors.T, self._heads, axis=0
        )
        return best


def flagged_similarity(result: ScanResult, embedder: Embedder) -> list[Match]:
    """Return the similarity of every flagged pair of a scan, by the excerpt that the queue shows."""
    matches = []
    for entry in result.queue(Choice("all")):
        parts = passages(entry.excerpt)
        if not parts:
            continue
        vectors = ItemVectors([make_item(entry.pair.item, entry.item_text)], embedder)
        similarity = vectors.similarity(embedder.embed([part for _, part in parts]))[0]
        matches.append(
            Match(
                similarity=float(similarity.max()),
                item=entry.pair.item,
                item_sha256=entry.pair.item_sha256,
                shard=entry.shard,
                document=entry.document,
                document_sha256=entry.pair.document_sha256,
                excerpt=entry.excerpt,
                excerpt_offset=entry.excerpt_offset,
            )
        )
    return matches


@dataclass(slots=True)
class Nearest:
    """The nearest documents of each item met so far; memory does not grow with the corpus.

    Attributes:
        vectors: The items.
        count: How many are kept for each item.
        kept: For each item a heap, the least similar first.
    """

    vectors: ItemVectors
    count: int
    kept: list[list[Match]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.kept = [[] for _ in self.vectors.items]

    def add(self, shard: str, documents: Sequence[Document], embedder: Embedder) -> None:
        """Compare some documents with every item."""
        cut = [(document, parts) for document in documents if (parts := passages(document.text))]
        if not cut:
            return
        heads = np.cumsum([0, *(len(parts) for _, parts in cut)])[:-1]
        similarity = self.vectors.similarity(embedder.embed([part for _, parts in cut for _, part in parts]))
        best = np.maximum.reduceat(similarity, heads, axis=1)
        least = np.array([self._least(item) for item in range(len(self.kept))])
        for item, number in zip(*np.nonzero(best > least[:, None]), strict=True):
            document, parts = cut[number]
            inside = similarity[item, heads[number] : heads[number] + len(parts)]
            offset, excerpt = parts[int(np.argmax(inside))]
            self._push(
                int(item),
                Match(
                    similarity=float(best[item, number]),
                    item=self.vectors.items[item].item,
                    item_sha256=self.vectors.items[item].sha256,
                    shard=shard,
                    document=document.key,
                    document_sha256=make_item("", document.text).sha256,
                    excerpt=excerpt,
                    excerpt_offset=offset,
                ),
            )

    def _least(self, item: int) -> float:
        heap = self.kept[item]
        return heap[0].similarity if len(heap) == self.count else FLOOR

    def _push(self, item: int, match: Match) -> None:
        heap = self.kept[item]
        # One content once: a corpus that repeats a document would fill the list with it.
        if any(other.document_sha256 == match.document_sha256 for other in heap):
            return
        if len(heap) < self.count:
            heapq.heappush(heap, match)
        else:
            heapq.heappushpop(heap, match)

    def matches(self) -> list[Match]:
        """Return what is kept, items in order, the most similar first."""
        return [match for heap in self.kept for match in sorted(heap, reverse=True)]


def nearest_documents(
    evaluation: EvaluationSet,
    shards: Sequence[Shard],
    options: CorpusOptions,
    embedder: Embedder,
    count: int,
    progress: Callable[[str], None] = lambda message: None,
) -> list[Match]:
    """Return the `count` most similar documents of a corpus for each item.

    Raises:
        ShardError: If a shard cannot be read whole.
    """
    nearest = Nearest(ItemVectors(evaluation.items, embedder), count)
    for shard in shards:
        reader = ShardReader(shard, options)
        for documents in _by_passages(iter(reader)):
            nearest.add(shard.name, documents, embedder)
        progress(f"{shard.name}: {reader.tally.documents} documents embedded")
    return nearest.matches()


def _by_passages(documents: Iterator[Document]) -> Iterator[list[Document]]:
    held: list[Document] = []
    words = 0
    for document in documents:
        if not canonical_bytes(document.text[:1000]):
            continue
        held.append(document)
        words += len(document.text) // 6
        if words >= _BATCH_PASSAGES * PASSAGE_STEP:
            yield held
            held, words = [], 0
    if held:
        yield held


def write_matches(folder: Path, matches: Sequence[Match], embedder: str, sources: Sequence[str]) -> Path:
    """Write the matches of a semantic pass into a scan's folder, atomically; earlier ones are kept beside.

    A pair found again takes its new similarity.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / SEMANTIC_NAME
    now = datetime.now(UTC)
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    if path.exists():
        for row in pq.read_table(path).to_pylist():
            rows[row["item_sha256"], row["shard"], row["document"]] = row
    for match in matches:
        row = asdict(match) | {"embedder": embedder, "sources": list(sources), "found_at": now}
        rows[match.item_sha256, match.shard, match.document] = row
    schema = pa.schema(
        [
            ("similarity", pa.float64()),
            *(
                (name, pa.string())
                for name in ("item", "item_sha256", "shard", "document", "document_sha256")
            ),
            ("excerpt", pa.string()),
            ("excerpt_offset", pa.int32()),
            ("embedder", pa.string()),
            ("sources", pa.list_(pa.string())),
            ("found_at", pa.timestamp("us", tz="UTC")),
        ]
    )
    with replacing(path) as temporary:
        pq.write_table(
            pa.Table.from_pylist(list(rows.values()), schema=schema), temporary, compression="zstd"
        )
    return path
