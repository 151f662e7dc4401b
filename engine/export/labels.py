"""The labels of a benchmark's samples at one cutoff, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from engine.export.table import Column, Table, from_records
from engine.leaderboard.source import read_samples
from engine.store.connection import Snapshot
from engine.store.labels import choose_detector

LABEL_COLUMNS = (
    Column("sample"),
    Column("label"),
    Column("score", "real"),
    Column("method"),
    Column("commit"),
    Column("path"),
    Column("reason"),
    Column("line", "integer"),
    Column("difficulty"),
    Column("repository_verdict"),
    Column("repository_basis"),
)


def labels_table(
    database: Snapshot,
    benchmark: str,
    cutoff: date,
    detector: str | None = None,
    threshold: float | None = None,
    models: Sequence[str] = (),
) -> Table:
    """Return the label of every sample of a benchmark at a cutoff, and what it rests on.

    Args:
        database: The facts.
        benchmark: Key of the benchmark.
        cutoff: Last day of training data.
        detector: Key of the detector; the default one if left out.
        threshold: Score from which a fix counts as present; the detector's own if left out.
        models: Models whose repository presence counts; without any it is assumed.

    Raises:
        BenchCheckerError: If a key is not known, or not all samples of the benchmark are in the facts.
    """
    key, minimum = choose_detector(database, detector, threshold)
    samples = read_samples(database, benchmark)
    levels = dict(zip(samples.samples, samples.difficulty, strict=True))
    rows = database.rows(
        """
        SELECT sample, label, score, method, commit, path, line, reason, repository_verdict, repository_basis
        FROM label_at($detector, $cutoff, minimum_score := $threshold, model_keys := $models)
        SEMI JOIN (FROM membership WHERE benchmark = $benchmark) USING (sample)
        ORDER BY sample
        """,
        {
            "detector": key,
            "cutoff": cutoff,
            "threshold": minimum,
            "models": list(models),
            "benchmark": benchmark,
        },
    )
    notes = (
        ("benchmark", benchmark),
        ("cutoff", cutoff.isoformat()),
        ("detector", key),
        ("threshold", f"{minimum:g}"),
        ("models", ", ".join(models) or "repository presence assumed"),
        ("database", database.version),
    )
    return from_records(LABEL_COLUMNS, (row | {"difficulty": levels[row["sample"]]} for row in rows), notes)
