"""Joins the shards of a scan to its result: one DuckDB file, built anew and put in place whole."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.overlap.evaluation_set import EvaluationSet
from engine.overlap.index import EvaluationIndex, Flags
from engine.overlap.result_pairs import insert_pairs, ngram_totals
from engine.overlap.result_semantic import insert_semantic
from engine.overlap.result_tables import DATABASE_NAME, SEMANTIC_NAME, TABLES
from engine.overlap.rules import Rules
from engine.overlap.shard_scan import Coverage, ShardFiles
from engine.problems import BenchCheckerError
from engine.store.facts import replacing

if TYPE_CHECKING:
    import duckdb


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
        coverage.add(_coverage(file, index))
    kept = _kept(index, coverage, rules)
    rare = np.cumsum(coverage.windows) <= rules.span_documents
    target = folder / DATABASE_NAME
    with replacing(target) as temporary:
        connection = duckdb.connect(str(temporary))
        try:
            for statement in TABLES:
                connection.execute(statement)
            pairs = [file.pairs for file in done]
            before = insert_pairs(connection, evaluation, index, kept, rare, rules, pairs)
            passes = insert_semantic(connection, evaluation, rules, folder / SEMANTIC_NAME)
            _insert_items(connection, evaluation, index, kept, coverage, rules)
            _insert_shards(connection, markers)
            _insert_scan(connection, evaluation, index, kept, rules, before, passes)
            connection.execute("CHECKPOINT")
        finally:
            connection.close()
    return target


def _coverage(file: ShardFiles, index: EvaluationIndex) -> Coverage:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        pq.read_metadata(file.pairs)
        return Coverage.load(file.coverage, index)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, zlib.error, pa.ArrowException) as error:
        raise BenchCheckerError(
            f"{file.marker.with_suffix('')}: what a scan left of a shard is damaged ({error}); delete "
            f"{file.marker} and scan again, which reads this shard only"
        ) from error


def _is_done(file: ShardFiles) -> bool:
    return file.marker.exists() and "error" not in json.loads(file.marker.read_text("utf-8"))


def _kept(index: EvaluationIndex, coverage: Coverage, rules: Rules) -> Flags:
    if rules.max_documents is None:
        return index.kept
    starts = index.groups >= 0
    kept: Flags = index.kept.copy()
    kept[starts] &= coverage.frequency[index.groups[starts]] <= rules.max_documents
    return kept


def _insert_items(
    connection: duckdb.DuckDBPyConnection,
    evaluation: EvaluationSet,
    index: EvaluationIndex,
    kept: Flags,
    coverage: Coverage,
    rules: Rules,
) -> None:
    totals, seen = ngram_totals(index, kept), ngram_totals(index, kept & coverage.seen)
    starts = ngram_totals(index, index.groups >= 0)
    contaminated = ngram_totals(index, coverage.contaminated)
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
    semantic_passes: list[dict[str, Any]],
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
        "semantic_passes": json.dumps(semantic_passes),
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
