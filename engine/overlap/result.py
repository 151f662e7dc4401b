"""Reads a scan's result for a reviewer and for a report; a page only calls what stands here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from engine.overlap.pair import Span, shared_spans
from engine.overlap.result_tables import DATABASE_NAME
from engine.overlap.review import REVIEWS_NAME, Decision, Pair, Reviews, Verdict
from engine.overlap.rules import Rules
from engine.overlap.scores import Leak
from engine.problems import BenchCheckerError

if TYPE_CHECKING:
    import duckdb

State = Literal["open", "decided", "all"]

_QUEUE = """
    WITH one AS (
        SELECT item, item_sha256, document_sha256, count(*) AS documents,
               min(shard) AS shard, min_by(document, (shard, document)) AS document,
               min_by(excerpt, (shard, document)) AS excerpt,
               min_by(excerpt_offset, (shard, document)) AS excerpt_offset,
               any_value(reasons) AS reasons, max(share) AS share, max(token_share) AS token_share,
               max(longest_match) AS longest_match, max(span) AS span,
               max(paragraph_share) AS paragraph_share, max(similarity) AS similarity
        FROM pair WHERE flagged AND (? IS NULL OR item = ?) AND (? IS NULL OR list_contains(reasons, ?))
        GROUP BY item, item_sha256, document_sha256
    )
    SELECT one.*, item.text,
           EXISTS (SELECT 1 FROM decided WHERE decided.item_sha256 = one.item_sha256
                   AND decided.document_sha256 = one.document_sha256) AS decided
    FROM one JOIN item USING (item)
    WHERE {state}
    ORDER BY greatest(one.share, one.token_share) DESC, one.span DESC,
             one.similarity DESC NULLS LAST, one.item, one.shard, one.document
    LIMIT ? OFFSET ?
"""
_LEAKS = f"""
    WITH flagged_pair AS (SELECT item, item_sha256, document_sha256 FROM pair WHERE flagged)
    SELECT item.item, judged, item.flagged, token_share,
           count(flagged_pair.item) FILTER (WHERE verdict IS NULL OR verdict IN
               ({", ".join(repr(verdict.value) for verdict in Verdict if verdict.is_leak)})),
           count(flagged_pair.item)
    FROM item
    LEFT JOIN flagged_pair ON flagged_pair.item = item.item
    LEFT JOIN decided ON decided.item_sha256 = flagged_pair.item_sha256
         AND decided.document_sha256 = flagged_pair.document_sha256
    GROUP BY ALL ORDER BY item.item
"""


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A flagged pair as a reviewer sees it.

    Attributes:
        pair: Hashes and names.
        shard: Shard of the first document of this content.
        document: Its key in the shard.
        item_text: The item.
        excerpt: The part of the document around the match.
        excerpt_offset: Where it starts in the document, in characters.
        item_spans: Stretches of the item to mark as shared.
        excerpt_spans: Stretches of the excerpt to mark.
        reasons: Rules that flagged the pair.
        share: Share of the item's n-grams in the document.
        token_share: Share of the item's tokens that are contaminated.
        longest_match: Tokens of the longest contaminated span.
        span: Characters of the longest common span, 0 below the threshold of its rule.
        paragraph_share: Greatest share of a paragraph of the document in the evaluation set.
        similarity: Similarity of their embeddings, None without a semantic pass.
        documents: How many documents of the same content are flagged for this item.
        decision: The standing verdict, None while open.
    """

    pair: Pair
    shard: str
    document: str
    item_text: str
    excerpt: str
    excerpt_offset: int
    item_spans: list[Span]
    excerpt_spans: list[Span]
    reasons: tuple[str, ...]
    share: float
    token_share: float
    longest_match: int
    span: int
    paragraph_share: float
    similarity: float | None
    documents: int
    decision: Decision | None


class ScanResult:
    """The result of a scan, with the verdicts beside it.

    Args:
        folder: The scan's folder.
        reviews: The verdicts; by default those in the folder.

    Raises:
        BenchCheckerError: If the folder holds no result.
    """

    def __init__(self, folder: Path, reviews: Reviews | None = None) -> None:
        self.database = folder / DATABASE_NAME
        if not self.database.is_file():
            raise BenchCheckerError(f"{folder}: no result of a scan; run `benchchecker overlap scan` first")
        self.reviews = reviews or Reviews(folder / REVIEWS_NAME)

    def queue(
        self,
        state: State = "open",
        item: str | None = None,
        reason: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[QueueEntry]:
        """Return flagged pairs, the strongest first; documents of the same content once.

        Args:
            state: Pairs without a verdict, with one, or all.
            item: Only pairs of this item.
            reason: Only pairs that this rule flagged.
            limit: At most so many.
            offset: After the first so many.
        """
        current = self.reviews.current()
        wanted = {"open": "NOT decided", "decided": "decided", "all": "true"}[state]
        with self._open(current) as connection:
            rows = connection.execute(
                _QUEUE.format(state=wanted),
                [item, item, reason, reason, limit if limit is not None else (1 << 62), offset],
            )
            names = [column[0] for column in rows.description or ()]
            found = [dict(zip(names, row, strict=True)) for row in rows.fetchall()]
        return [_entry(row, current) for row in found]

    def flagged_documents(self) -> list[tuple[str, str]]:
        """Return item and document key of every flagged pair."""
        with self._open({}) as connection:
            rows = connection.execute("SELECT item, document FROM pair WHERE flagged ORDER BY ALL").fetchall()
        return [(item, document) for item, document in rows]

    def counts(self) -> dict[str, int]:
        """Return how many pairs of the queue are open, and how many have each verdict."""
        current = self.reviews.current()
        with self._open(current) as connection:
            rows = connection.execute(
                "SELECT coalesce(verdict, 'open'), count(*) FROM (SELECT DISTINCT item_sha256, "
                "document_sha256 FROM pair WHERE flagged) LEFT JOIN decided "
                "USING (item_sha256, document_sha256) GROUP BY ALL"
            ).fetchall()
        found = dict(rows)
        return {name: found.get(name, 0) for name in ("open", *(verdict.value for verdict in Verdict))}

    def leaks(self) -> dict[str, tuple[Leak, float]]:
        """Return what is known of each item, and its share of contaminated tokens.

        An item is leaked while a flagged pair of it is open or was called a copy or near-duplicate, or while
        the corpus as a whole holds enough of its n-grams; it is clean again when every flagged pair of it was
        called template or unrelated. Items that could not be judged are unknown.
        """
        with self._open(self.reviews.current()) as connection:
            rows = connection.execute(_LEAKS).fetchall()
        leaks = {}
        for item, judged, flagged, token_share, standing, pairs in rows:
            leaked = standing > 0 if pairs else flagged
            leak = Leak.LEAKED if leaked else Leak.CLEAN if judged else Leak.UNKNOWN
            leaks[item] = (leak, token_share)
        return leaks

    def record_leaks(self) -> dict[str, tuple[Leak, float]]:
        """Return what is known of each record: of an item, or of all fields of a record together.

        A record is leaked if one of its fields is, and clean only if all are; its share of contaminated
        tokens is the greatest of its fields'.
        """
        fields = self.table("scan")[0]["fields"]
        records: dict[str, tuple[Leak, float]] = {}
        order = (Leak.CLEAN, Leak.UNKNOWN, Leak.LEAKED)
        for item, (leak, share) in self.leaks().items():
            ends = (f"/{field}" for field in fields if len(fields) > 1 and item.endswith(f"/{field}"))
            record = item.removesuffix(next(ends, ""))
            before = records.get(record, (Leak.CLEAN, 0.0))
            records[record] = (max(leak, before[0], key=order.index), max(share, before[1]))
        return records

    def table(self, name: Literal["scan", "shard", "item"]) -> list[dict[str, Any]]:
        """Return the rows of a small table of the result."""
        with self._open({}) as connection:
            rows = connection.execute(f"SELECT * FROM {name} ORDER BY 1")
            names = [column[0] for column in rows.description or ()]
            return [dict(zip(names, row, strict=True)) for row in rows.fetchall()]

    def rules(self) -> Rules:
        """Return the rules of the scan."""
        return Rules(**json.loads(self.table("scan")[0]["rules"]))

    def reasons(self) -> dict[str, tuple[int, int]]:
        """Return, for each rule, how many pairs and how many items it flagged."""
        with self._open({}) as connection:
            rows = connection.execute(
                "SELECT reason, count(*), count(DISTINCT item) FROM (SELECT item, unnest(reasons) AS reason "
                "FROM pair WHERE flagged) GROUP BY reason ORDER BY reason"
            ).fetchall()
        return {reason: (pairs, items) for reason, pairs, items in rows}

    @contextmanager
    def _open(self, current: dict[tuple[str, str], Decision]) -> Iterator[duckdb.DuckDBPyConnection]:
        import duckdb
        import pyarrow as pa

        connection = duckdb.connect(str(self.database), read_only=True)
        try:
            decided = [(*key, one.verdict.value) for key, one in current.items()]
            columns = zip(*decided, strict=True) if decided else ([], [], [])
            names = ("item_sha256", "document_sha256", "verdict")
            connection.register(
                "decided",
                pa.table(
                    {
                        name: pa.array(list(values), pa.string())
                        for name, values in zip(names, columns, strict=True)
                    }
                ),
            )
            yield connection
        finally:
            connection.close()


def _entry(row: dict[str, Any], current: dict[tuple[str, str], Decision]) -> QueueEntry:
    item_spans, excerpt_spans = shared_spans(row["text"], row["excerpt"])
    return QueueEntry(
        pair=Pair(
            row["item_sha256"], row["document_sha256"], row["item"], f"{row['shard']}:{row['document']}"
        ),
        shard=row["shard"],
        document=row["document"],
        item_text=row["text"],
        excerpt=row["excerpt"],
        excerpt_offset=row["excerpt_offset"],
        item_spans=item_spans,
        excerpt_spans=excerpt_spans,
        reasons=tuple(row["reasons"]),
        share=row["share"],
        token_share=row["token_share"],
        longest_match=row["longest_match"],
        span=row["span"],
        paragraph_share=row["paragraph_share"],
        similarity=row["similarity"],
        documents=row["documents"],
        decision=current.get((row["item_sha256"], row["document_sha256"])),
    )
