"""Tables of a scan's result: the one place where their names and columns stand."""

from __future__ import annotations

DATABASE_NAME = "overlap.duckdb"
SEMANTIC_NAME = "semantic.parquet"

TABLES: tuple[str, ...] = (
    """
    CREATE TABLE scan (
        evaluation VARCHAR NOT NULL,
        evaluation_sha256 VARCHAR NOT NULL,
        fields VARCHAR[] NOT NULL,
        rules JSON NOT NULL,
        ngrams BIGINT NOT NULL,
        dropped_common_items BIGINT NOT NULL,
        dropped_common_documents BIGINT NOT NULL,
        pairs_before_drop BIGINT NOT NULL,
        pairs_after_drop BIGINT NOT NULL,
        semantic_passes JSON NOT NULL,
        versions JSON NOT NULL,
        built_at TIMESTAMPTZ NOT NULL
    )
    """,
    """
    CREATE TABLE shard (
        name VARCHAR PRIMARY KEY,
        kind VARCHAR NOT NULL,
        error VARCHAR,
        sha256 VARCHAR,
        raw_bytes BIGINT,
        text_bytes BIGINT,
        documents BIGINT,
        skipped JSON,
        repaired BIGINT,
        problems VARCHAR[],
        pairs_left_out BIGINT,
        scanned_at TIMESTAMPTZ,
        seconds DOUBLE,
        CHECK ((error IS NULL) = (sha256 IS NOT NULL))
    )
    """,
    """
    CREATE TABLE item (
        item VARCHAR PRIMARY KEY,
        sha256 VARCHAR NOT NULL,
        text VARCHAR NOT NULL,
        tokens INTEGER NOT NULL,
        ngrams INTEGER NOT NULL,
        dropped_ngrams INTEGER NOT NULL,
        judged BOOLEAN NOT NULL,
        corpus_share DOUBLE CHECK (corpus_share BETWEEN 0 AND 1),
        token_share DOUBLE NOT NULL CHECK (token_share BETWEEN 0 AND 1),
        longest_match INTEGER NOT NULL,
        pairs INTEGER NOT NULL,
        flagged BOOLEAN NOT NULL
    )
    """,
    # Without constraints: a pair comes from a scanned shard and a known item by construction, and there may
    # be very many.
    """
    CREATE TABLE pair (
        item VARCHAR NOT NULL,
        item_sha256 VARCHAR NOT NULL,
        shard VARCHAR NOT NULL,
        document VARCHAR NOT NULL,
        document_sha256 VARCHAR NOT NULL,
        ngrams INTEGER NOT NULL,
        share DOUBLE NOT NULL,
        token_share DOUBLE NOT NULL,
        longest_match INTEGER NOT NULL,
        span INTEGER NOT NULL,
        span_share DOUBLE NOT NULL,
        paragraph_share DOUBLE NOT NULL,
        similarity DOUBLE,
        reasons VARCHAR[] NOT NULL,
        flagged BOOLEAN NOT NULL,
        likely_boilerplate BOOLEAN NOT NULL,
        excerpt VARCHAR NOT NULL,
        excerpt_offset INTEGER NOT NULL
    )
    """,
)
