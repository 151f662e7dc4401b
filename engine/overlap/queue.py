"""The order in which a reviewer meets flagged pairs, and what is shown of each.

Pairs of one item stand together. Items come in the order of their strongest pair, pairs in the order of the
greatest share of the item that is in the document: of its n-grams, its tokens, or its stretches of characters
that are not common. What is likely boilerplate comes last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from engine.overlap.pair import Span, shared_spans
from engine.overlap.review import Decision, Pair, Verdict

if TYPE_CHECKING:
    import duckdb

State = Literal["open", "decided", "all"]
Likely = Literal["leak", "boilerplate"]
Current = Mapping[tuple[str, str], Decision]

_ALL = 1 << 62
_AS_READ = (
    *("shard", "document", "excerpt", "excerpt_offset", "share", "token_share", "longest_match", "span"),
    *("span_share", "paragraph_share", "similarity", "likely_boilerplate", "documents"),
)
# One row for each content of a document; `decided` holds the standing verdicts.
_CHOSEN = """
    WITH one AS (
        SELECT item, item_sha256, document_sha256, count(*) AS documents,
               min(shard) AS shard, min_by(document, (shard, document)) AS document,
               min_by(excerpt, (shard, document)) AS excerpt,
               min_by(excerpt_offset, (shard, document)) AS excerpt_offset,
               any_value(reasons) AS reasons, max(share) AS share, max(token_share) AS token_share,
               max(longest_match) AS longest_match, max(span) AS span, max(span_share) AS span_share,
               max(paragraph_share) AS paragraph_share, max(similarity) AS similarity,
               bool_and(likely_boilerplate) AS likely_boilerplate
        FROM pair WHERE flagged GROUP BY item, item_sha256, document_sha256
    ), chosen AS (
        SELECT one.*, verdict, greatest(share, token_share, span_share) AS strength
        FROM one LEFT JOIN decided USING (item_sha256, document_sha256)
        WHERE ($item IS NULL OR item = $item)
          AND ($document IS NULL OR document_sha256 = $document)
          AND ($reason IS NULL OR list_contains(reasons, $reason))
          AND ($likely IS NULL OR likely_boilerplate = ($likely = 'boilerplate'))
          AND CASE $state WHEN 'all' THEN true WHEN 'open' THEN verdict IS NULL
                          WHEN 'decided' THEN verdict IS NOT NULL ELSE verdict = $state END
    )
"""
_IN_ORDER = """
    FROM chosen JOIN item USING (item) JOIN (
        SELECT item, bool_and(likely_boilerplate) AS boilerplate, max(strength) AS strength,
               max(similarity) AS similarity, max(span) AS span
        FROM chosen GROUP BY item
    ) AS whole USING (item)
    ORDER BY whole.boilerplate, whole.strength DESC, whole.span DESC,
             whole.similarity DESC NULLS LAST, item, chosen.likely_boilerplate, chosen.strength DESC,
             chosen.span DESC, chosen.similarity DESC NULLS LAST, shard, document
    LIMIT $limit OFFSET $offset
"""
_ENTRIES = f"{_CHOSEN} SELECT chosen.*, item.text {_IN_ORDER}"
_NAMES = f"{_CHOSEN} SELECT item_sha256, document_sha256, item, shard || ':' || document {_IN_ORDER}"
_ITEMS = f"""
    {_CHOSEN}
    SELECT item, count(*) AS pairs, count(*) FILTER (WHERE verdict IS NULL) AS open,
           bool_and(likely_boilerplate) AS likely_boilerplate,
           list_sort(list_distinct(flatten(list(reasons)))) AS reasons,
           max(share) AS share, max(token_share) AS token_share, max(span_share) AS span_share,
           max(span) AS span, max(similarity) AS similarity,
           max_by(shard || ':' || document, (NOT likely_boilerplate, strength, span)) AS document
    FROM chosen GROUP BY item
    ORDER BY likely_boilerplate, max(strength) DESC, span DESC, similarity DESC NULLS LAST, item
"""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which flagged pairs.

    Attributes:
        state: Pairs without a verdict, with one, all, or those with this one.
        item: Only pairs of this item.
        document_sha256: Only pairs with a document of this content.
        reason: Only pairs that this rule flagged.
        likely: Only what may be a leak, or only what is likely boilerplate.
    """

    state: State | Verdict = "open"
    item: str | None = None
    document_sha256: str | None = None
    reason: str | None = None
    likely: Likely | None = None

    def parameters(self) -> dict[str, str | None]:
        """Return the parameters of the queries here."""
        return {
            "state": str(self.state),
            "item": self.item,
            "document": self.document_sha256,
            "reason": self.reason,
            "likely": self.likely,
        }


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
        span_share: Share of the item's stretches of so many characters as the rule asks for that are in the
            document and not common in the corpus.
        paragraph_share: Greatest share of a paragraph of the document in the evaluation set.
        similarity: Similarity of their embeddings, None without a semantic pass.
        likely_boilerplate: Whether hardly any of the item is shared that is not common everywhere.
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
    span_share: float
    paragraph_share: float
    similarity: float | None
    likely_boilerplate: bool
    documents: int
    decision: Decision | None


@dataclass(frozen=True, slots=True)
class QueueItem:
    """The flagged pairs of one item together.

    Attributes:
        item: Its id.
        pairs: How many documents are flagged, each content once.
        open: How many of them have no verdict.
        likely_boilerplate: Whether all of them are likely boilerplate.
        reasons: Rules that flagged any of them.
        share: Greatest share of its n-grams in one document.
        token_share: Greatest share of contaminated tokens.
        span_share: Greatest share of stretches of characters that are not common.
        span: Longest common span.
        similarity: Greatest similarity, None without a semantic pass.
        document: The document that shares most.
    """

    item: str
    pairs: int
    open: int
    likely_boilerplate: bool
    reasons: tuple[str, ...]
    share: float
    token_share: float
    span_share: float
    span: int
    similarity: float | None
    document: str


def read_entries(
    connection: duckdb.DuckDBPyConnection, current: Current, choice: Choice, limit: int | None, offset: int
) -> list[QueueEntry]:
    """Return the chosen pairs in the order of the queue.

    Args:
        connection: The result of a scan, with the standing verdicts as `decided`.
        current: The standing verdicts.
        choice: Which pairs.
        limit: At most so many.
        offset: After the first so many.
    """
    bounds = {"limit": _ALL if limit is None else limit, "offset": offset}
    return [_entry(row, current) for row in _rows(connection, _ENTRIES, choice.parameters() | bounds)]


def read_items(connection: duckdb.DuckDBPyConnection, choice: Choice) -> list[QueueItem]:
    """Return the items of the chosen pairs in the order of the queue; see `read_entries`."""
    return [
        QueueItem(**row | {"reasons": tuple(row["reasons"])})
        for row in _rows(connection, _ITEMS, choice.parameters())
    ]


def read_pairs(connection: duckdb.DuckDBPyConnection, choice: Choice) -> list[Pair]:
    """Return what the chosen pairs are called, in the order of the queue; see `read_entries`."""
    parameters = choice.parameters() | {"limit": _ALL, "offset": 0}
    return [Pair(*row) for row in connection.execute(_NAMES, parameters).fetchall()]


def _rows(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Mapping[str, Any]
) -> list[dict[str, Any]]:
    rows = connection.execute(query, dict(parameters))
    names = [column[0] for column in rows.description or ()]
    return [dict(zip(names, row, strict=True)) for row in rows.fetchall()]


def _entry(row: dict[str, Any], current: Current) -> QueueEntry:
    item_spans, excerpt_spans = shared_spans(row["text"], row["excerpt"])
    pair = Pair(row["item_sha256"], row["document_sha256"], row["item"], f"{row['shard']}:{row['document']}")
    return QueueEntry(
        pair=pair,
        item_text=row["text"],
        item_spans=item_spans,
        excerpt_spans=excerpt_spans,
        reasons=tuple(row["reasons"]),
        decision=current.get((pair.item_sha256, pair.document_sha256)),
        **{name: row[name] for name in _AS_READ},
    )
