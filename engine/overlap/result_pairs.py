"""Judges the kept pairs of a scan by the n-grams that still count, and puts them into its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.overlap.evaluation_set import EvaluationSet
from engine.overlap.hashing import I64
from engine.overlap.index import EvaluationIndex, Flags
from engine.overlap.rules import SPAN_DRAWS, Rules

if TYPE_CHECKING:
    import duckdb

_ROWS_AT_ONCE = 1 << 16
_PACKED = ("matched", "windows")

# Which rules flag a pair. A flagged paragraph counts only while the pair still shares n-grams.
_REASONS = """
    CREATE TEMP MACRO reasons(ngrams, total, contaminated, length, span, paragraph) AS list_filter([
        CASE WHEN total > 0 AND ngrams / total >= {share} THEN 'share' END,
        CASE WHEN span >= {span} THEN 'span' END,
        CASE WHEN contaminated / length >= {token_share} THEN 'tokens' END,
        CASE WHEN ngrams > 0 AND paragraph >= {paragraph_share} THEN 'paragraph' END
    ], lambda reason: reason IS NOT NULL)
"""
# What the character rule or a paragraph alone put up, although hardly any of the item is shared that is not
# common everywhere.
_BOILERPLATE = """
    CREATE TEMP MACRO boilerplate(reasons, span_share) AS
        len(reasons) > 0 AND NOT list_has_any(reasons, ['share', 'tokens'])
        AND 1 - (1 - span_share) ** {draws} < {span_chance}
"""
_INSERT = """
    INSERT INTO pair BY NAME
    SELECT item.item, item_sha256, shard, document, document_sha256, ngrams,
           CASE WHEN total > 0 THEN ngrams / total ELSE 0 END AS share,
           contaminated / length AS token_share, longest_match, span,
           rare_windows / windows AS span_share, paragraph_share,
           reasons(ngrams, total, contaminated, length, span, paragraph_share) AS reasons,
           len(reasons) > 0 AS flagged, boilerplate(reasons, span_share) AS likely_boilerplate,
           excerpt, excerpt_offset
    FROM raw_pair JOIN numbered AS item USING (number)
"""
_COUNT_BEFORE = """
    SELECT count(*) FROM raw_pair JOIN numbered USING (number)
    WHERE len(reasons(ngrams_before, total_before, contaminated, length, span, paragraph_share)) > 0
"""


def insert_pairs(
    connection: duckdb.DuckDBPyConnection,
    evaluation: EvaluationSet,
    index: EvaluationIndex,
    kept: Flags,
    rare: Flags,
    rules: Rules,
    files: Sequence[Path],
) -> int:
    """Insert the pairs of `files` into the table `pair`.

    Args:
        connection: The result being built.
        evaluation: The evaluation set.
        index: Its index.
        kept: Whether the n-gram at each position still counts.
        rare: Whether the window that starts at each byte of the set is in few enough documents.
        rules: The thresholds.
        files: Parquet files of rows.

    Returns:
        How many pairs would be flagged if no n-gram had been dropped.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    every = index.groups >= 0
    connection.register(
        "numbered",
        pa.table(
            {
                "number": np.arange(len(evaluation.items), dtype=np.int32),
                "item": [item.item for item in evaluation.items],
                "item_sha256": [item.sha256 for item in evaluation.items],
                "length": np.maximum(index.lengths, 1),
                "total": ngram_totals(index, kept),
                "total_before": ngram_totals(index, every),
                "windows": np.maximum(
                    index.batch.text_ends - index.batch.text_starts - index.rules.span + 1, 1
                ),
            }
        ),
    )
    created = False
    for file in files:
        with pq.ParquetFile(file) as stream:
            for batch in stream.iter_batches(batch_size=_ROWS_AT_ONCE):
                table = pa.table(
                    {
                        **{name: batch.column(name) for name in batch.schema.names if name not in _PACKED},
                        "ngrams": _counted(batch, "matched", index.offsets, kept),
                        "ngrams_before": _counted(batch, "matched", index.offsets, every),
                        "rare_windows": _counted(batch, "windows", index.batch.text_starts, rare),
                    }
                ).rename_columns({"item": "number"})
                connection.register("incoming", table)
                verb = "INSERT INTO raw_pair BY NAME" if created else "CREATE TEMP TABLE raw_pair AS"
                connection.execute(f"{verb} SELECT * FROM incoming")
                connection.unregister("incoming")
                created = True
    if not created:
        return 0
    connection.execute(_REASONS.format(**asdict(rules)))
    connection.execute(_BOILERPLATE.format(**asdict(rules), draws=SPAN_DRAWS))
    connection.execute(_INSERT)
    before: int = connection.execute(_COUNT_BEFORE).fetchall()[0][0]
    connection.execute("DROP TABLE raw_pair")
    connection.unregister("numbered")
    return before


def ngram_totals(index: EvaluationIndex, flags: Flags) -> I64:
    """Return how many flagged positions each item has."""
    return np.bincount(index.item_of[flags], minlength=len(index.names))


def _counted(batch: Any, name: str, starts: I64, counted: Flags) -> I64:
    """Return how many places in the packed ranges of each row count; `starts` is where each item begins."""
    before = np.concatenate(([0], np.cumsum(counted)))
    column = batch.column(name)
    sizes = np.diff(column.offsets.to_numpy()) // 2
    ranges = column.flatten().to_numpy().reshape(-1, 2).astype(np.int64)
    row = np.repeat(np.arange(len(sizes)), sizes)
    first = starts[batch.column("item").to_numpy()[row]] + ranges[:, 0]
    sums = before[first + ranges[:, 1]] - before[first]
    return np.bincount(row, weights=sums, minlength=len(sizes)).astype(np.int64)
