"""Joins the shards of a scan to its result: one DuckDB file, built anew and put in place whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.overlap.evaluation_set import EvaluationSet
from engine.overlap.hashing import I64
from engine.overlap.index import EvaluationIndex, Flags
from engine.overlap.pair_rows import from_ranges
from engine.overlap.rules import Rules
from engine.overlap.shard_scan import Coverage, ShardFiles
from engine.store.facts import replacing

if TYPE_CHECKING:
    import duckdb

DATABASE_NAME = "overlap.duckdb"

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
        paragraph_share DOUBLE NOT NULL,
        reasons VARCHAR[] NOT NULL,
        flagged BOOLEAN NOT NULL,
        excerpt VARCHAR NOT NULL,
        excerpt_offset INTEGER NOT NULL
    )
    """,
)


def build_results(
    evaluation: EvaluationSet, index: EvaluationIndex, rules: Rules, folder: Path, keys: Sequence[str]
) -> Path:
    """Build the result database of a scan from the shards `keys` that are done.

    n-grams found in more documents than `rules.max_documents` are dropped here, from every share, and the
    database says how many those were and how many flagged pairs that took away.
    """
    import duckdb

    files = [ShardFiles(folder / "shards", key) for key in keys]
    markers = [json.loads(file.marker.read_text("utf-8")) for file in files if file.marker.exists()]
    done = [file for file in files if _is_done(file)]
    coverage = Coverage.empty(index)
    for file in done:
        coverage.add(Coverage.load(file.coverage, index))
    kept = _kept(index, coverage, rules)
    target = folder / DATABASE_NAME
    with replacing(target) as temporary:
        connection = duckdb.connect(str(temporary))
        try:
            for statement in TABLES:
                connection.execute(statement)
            before = _insert_pairs(connection, evaluation, index, kept, rules, done)
            _insert_items(connection, evaluation, index, kept, coverage, rules)
            _insert_shards(connection, markers)
            _insert_scan(connection, evaluation, index, kept, rules, before)
            connection.execute("CHECKPOINT")
        finally:
            connection.close()
    return target


def _is_done(file: ShardFiles) -> bool:
    return file.marker.exists() and "error" not in json.loads(file.marker.read_text("utf-8"))


def _kept(index: EvaluationIndex, coverage: Coverage, rules: Rules) -> Flags:
    if rules.max_documents is None:
        return index.kept
    starts = index.groups >= 0
    kept: Flags = index.kept.copy()
    kept[starts] &= coverage.frequency[index.groups[starts]] <= rules.max_documents
    return kept


def _insert_pairs(
    connection: duckdb.DuckDBPyConnection,
    evaluation: EvaluationSet,
    index: EvaluationIndex,
    kept: Flags,
    rules: Rules,
    files: Sequence[ShardFiles],
) -> int:
    """Insert the pairs that are still flagged or near it; return how many were flagged before dropping."""
    import pyarrow.parquet as pq

    every = index.groups >= 0
    totals = {name: _totals(index, flags) for name, flags in (("kept", kept), ("every", every))}
    flagged_before = 0
    for file in files:
        with pq.ParquetFile(file.pairs) as stream:
            for batch in stream.iter_batches(batch_size=2048):
                rows = []
                for row in batch.to_pylist():
                    item = row["item"]
                    before = _judge(row, index, every, totals["every"][item], rules)
                    after = _judge(row, index, kept, totals["kept"][item], rules)
                    flagged_before += bool(before["reasons"])
                    rows.append(_pair(row, evaluation, index, after))
                if rows:
                    _append(connection, "pair", rows)
    return flagged_before


def _judge(
    row: dict[str, Any], index: EvaluationIndex, counted: Flags, total: int, rules: Rules
) -> dict[str, Any]:
    item = row["item"]
    matched = from_ranges(row["matched"]) + index.offsets[item]
    ngrams = int(counted[matched].sum())
    share = ngrams / total if total else 0.0
    token_share = row["contaminated"] / max(int(index.lengths[item]), 1)
    rule_values = (
        ("share", share >= rules.share),
        ("span", row["span"] >= rules.span),
        ("tokens", token_share >= rules.token_share),
        ("paragraph", ngrams > 0 and row["paragraph_share"] >= rules.paragraph_share),
    )
    return {
        "ngrams": ngrams,
        "share": share,
        "token_share": token_share,
        "reasons": [name for name, holds in rule_values if holds],
    }


def _pair(
    row: dict[str, Any], evaluation: EvaluationSet, index: EvaluationIndex, judged: dict[str, Any]
) -> dict[str, Any]:
    item = evaluation.items[row["item"]]
    copied = ("shard", "document", "document_sha256", "longest_match", "span", "paragraph_share")
    return {
        "item": item.item,
        "item_sha256": item.sha256,
        **{name: row[name] for name in copied},
        **judged,
        "flagged": bool(judged["reasons"]),
        "excerpt": row["excerpt"],
        "excerpt_offset": row["excerpt_offset"],
    }


def _totals(index: EvaluationIndex, flags: Flags) -> I64:
    return np.bincount(index.item_of[flags], minlength=len(index.names))


def _insert_items(
    connection: duckdb.DuckDBPyConnection,
    evaluation: EvaluationSet,
    index: EvaluationIndex,
    kept: Flags,
    coverage: Coverage,
    rules: Rules,
) -> None:
    totals, seen = _totals(index, kept), _totals(index, kept & coverage.seen)
    starts = _totals(index, index.groups >= 0)
    contaminated = _totals(index, coverage.contaminated)
    counts = dict(
        connection.execute("SELECT item, count(*) FROM pair WHERE flagged GROUP BY item").fetchall()
    )
    rows = []
    for at, item in enumerate(evaluation.items):
        length, total = int(index.lengths[at]), int(totals[at])
        share = int(seen[at]) / total if total else None
        pairs = counts.get(item.item, 0)
        rows.append(
            {
                "item": item.item,
                "sha256": item.sha256,
                "text": item.text,
                "tokens": length,
                "ngrams": total,
                "dropped_ngrams": int(starts[at]) - total,
                "judged": total > 0,
                "corpus_share": share,
                "token_share": int(contaminated[at]) / length if length else 0.0,
                "longest_match": int(coverage.longest[at]),
                "pairs": pairs,
                "flagged": pairs > 0 or (share is not None and share >= rules.share),
            }
        )
    _append(connection, "item", rows)


def _insert_shards(connection: duckdb.DuckDBPyConnection, markers: Sequence[dict[str, Any]]) -> None:
    names = [row[0] for row in connection.execute("DESCRIBE shard").fetchall()]
    rows = []
    for marker in markers:
        row = {name: marker.get(name) for name in names}
        row["skipped"] = json.dumps(marker.get("skipped", {}))
        rows.append(row)
    _append(connection, "shard", rows)


def _insert_scan(
    connection: duckdb.DuckDBPyConnection,
    evaluation: EvaluationSet,
    index: EvaluationIndex,
    kept: Flags,
    rules: Rules,
    pairs_before: int,
) -> None:
    starts = index.groups >= 0
    flagged = connection.execute("SELECT count(*) FROM pair WHERE flagged").fetchall()
    row = {
        "evaluation": evaluation.name,
        "evaluation_sha256": evaluation.sha256,
        "fields": list(evaluation.options.fields),
        "rules": json.dumps(asdict(rules)),
        "ngrams": int(starts.sum()),
        "dropped_common_items": int((starts & ~index.kept).sum()),
        "dropped_common_documents": int((index.kept & ~kept).sum()),
        "pairs_before_drop": pairs_before,
        "pairs_after_drop": flagged[0][0],
        "versions": json.dumps(dict(_versions())),
        "built_at": datetime.now(UTC),
    }
    _append(connection, "scan", [row])


def _versions() -> Iterator[tuple[str, str]]:
    for package in ("benchchecker", "numpy", "pyarrow", "duckdb"):
        try:
            yield package, version(package)
        except PackageNotFoundError:
            yield package, "not installed"


def _append(connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[dict[str, Any]]) -> None:
    import pyarrow as pa

    if not rows:
        return
    arrow = pa.Table.from_pylist(list(rows))
    connection.register("incoming", arrow)
    columns = ", ".join(arrow.column_names)
    connection.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM incoming")
    connection.unregister("incoming")
