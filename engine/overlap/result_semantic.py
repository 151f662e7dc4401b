"""Puts what a semantic pass found into the result of a scan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.overlap.evaluation_set import EvaluationSet
from engine.overlap.pair import measure_pair
from engine.overlap.rules import Rules

if TYPE_CHECKING:
    import duckdb


def insert_semantic(
    connection: duckdb.DuckDBPyConnection, evaluation: EvaluationSet, rules: Rules, path: Path
) -> list[dict[str, Any]]:
    """Give pairs their similarity, flag those that are similar enough, add the pairs that no rule had seen.

    A pair that only this pass found is measured on its excerpt, its most similar passage.

    Args:
        connection: The result being built.
        evaluation: The evaluation set; matches of items that are no longer in it are left out.
        rules: The thresholds.
        path: What the pass wrote; need not exist.

    Returns:
        For each embedder: name, matches, the sources it read and when it last did.
    """
    if not path.exists():
        return []
    import pyarrow as pa
    import pyarrow.parquet as pq

    texts = {item.sha256: item.text for item in evaluation.items}
    matches = [row for row in pq.read_table(path).to_pylist() if row["item_sha256"] in texts]
    if not matches:
        return []
    for row in matches:
        measured = measure_pair(texts[row["item_sha256"]], row["excerpt"], rules)
        share = measured.share or 0.0
        row |= {
            "ngrams": round(share * measured.ngrams),
            "share": share,
            "token_share": measured.token_share,
            "longest_match": measured.longest_match,
            "span": measured.span if measured.span >= rules.span else 0,
        }
    connection.register("semantic", pa.Table.from_pylist(matches))
    connection.execute(
        """
        UPDATE pair SET similarity = semantic.similarity,
               flagged = flagged OR semantic.similarity >= $least,
               reasons = CASE WHEN semantic.similarity >= $least
                              THEN list_append(reasons, 'semantic') ELSE reasons END,
               likely_boilerplate = likely_boilerplate AND semantic.similarity < $least
        FROM semantic
        WHERE pair.item_sha256 = semantic.item_sha256 AND pair.shard = semantic.shard
          AND pair.document = semantic.document
        """,
        {"least": rules.similarity},
    )
    connection.execute(
        """
        INSERT INTO pair BY NAME
        SELECT item, item_sha256, shard, document, document_sha256, ngrams, share, token_share, longest_match,
               span, 0.0 AS span_share, 0.0 AS paragraph_share, similarity, ['semantic'] AS reasons,
               true AS flagged, false AS likely_boilerplate, excerpt, excerpt_offset
        FROM semantic ANTI JOIN pair USING (item_sha256, shard, document)
        WHERE similarity >= $least
        """,
        {"least": rules.similarity},
    )
    connection.unregister("semantic")
    passes: dict[str, dict[str, Any]] = {}
    for row in matches:
        one = passes.setdefault(
            row["embedder"], {"embedder": row["embedder"], "matches": 0, "sources": set(), "at": ""}
        )
        one["matches"] += 1
        one["sources"] |= set(row["sources"])
        one["at"] = max(one["at"], row["found_at"].isoformat(timespec="seconds"))
    return [one | {"sources": sorted(one["sources"])} for one in passes.values()]
