"""Submissions, and their samples' labels and outcomes."""

from __future__ import annotations

from dashboard.database import remembered
from dashboard.records import ModelUse, SampleResult, SubmissionRecord
from engine.store.connection import Snapshot


@remembered
def submission(database: Snapshot, benchmark: str, key: str) -> SubmissionRecord | None:
    """Return one submission, None where the benchmark has none of that name."""
    found = database.rows(
        """
        SELECT benchmark, submission, title, framework, submitted_on, open_weights, checked, reported_rate,
               reported_total, source, quality, use_results
        FROM submission WHERE benchmark = ? AND submission = ?
        """,
        [benchmark, key],
    )
    if not found:
        return None
    models = database.rows(
        """
        SELECT tag, evidence, role, model, title, vendor, released, cutoff, basis, source
        FROM submission_model LEFT JOIN model USING (model)
        WHERE benchmark = ? AND submission = ? ORDER BY cutoff DESC NULLS FIRST, tag
        """,
        [benchmark, key],
    )
    outside = database.rows(
        "SELECT reported_id FROM outside_result WHERE benchmark = ? AND submission = ? ORDER BY ALL",
        [benchmark, key],
    )
    return SubmissionRecord(
        **found[0],
        models=tuple(ModelUse(**row) for row in models),
        outside=tuple(row["reported_id"] for row in outside),
    )


@remembered
def sample_results(
    database: Snapshot, benchmark: str, key: str, detector: str, threshold: float
) -> tuple[SampleResult, ...]:
    """Return every sample of a benchmark with a submission's outcome and its label at the cutoff."""
    exposure = database.rows(
        "SELECT cutoff, models FROM submission_cutoff WHERE benchmark = ? AND submission = ?",
        [benchmark, key],
    )
    known = exposure[0] if exposure else {"cutoff": None, "models": []}
    rows = database.rows(
        """
        SELECT sample, sample.repository, membership.difficulty,
               coalesce(outcome, 'not_submitted') AS outcome, landed_at, known.label, known.score,
               known.method, known.reason, known.repository_verdict, known.repository_basis
        FROM membership JOIN sample USING (sample) LEFT JOIN landing USING (sample)
        LEFT JOIN difficulty USING (benchmark, difficulty)
        LEFT JOIN (FROM result WHERE submission = $key) AS result USING (benchmark, sample)
        LEFT JOIN (
            FROM label_at($detector, $cutoff, minimum_score := $threshold, model_keys := $models)
            WHERE $cutoff IS NOT NULL
        ) AS known USING (sample)
        WHERE benchmark = $benchmark
        ORDER BY difficulty.rank, sample
        """,
        {"benchmark": benchmark, "key": key, "detector": detector, "threshold": threshold, **known},
    )
    return tuple(SampleResult(**row) for row in rows)


@remembered
def repository_bases(database: Snapshot, benchmark: str) -> dict[str, tuple[tuple[str, int], ...]]:
    """Return what says that the models of each submission saw the repositories.

    Pairs of basis (`probed`, `published`, `assumed`) and number of samples, most samples first.
    """
    submissions = database.rows(
        "SELECT submission, models FROM submission_cutoff WHERE benchmark = ? ORDER BY submission",
        [benchmark],
    )
    distinct = sorted({tuple(row["models"]) for row in submissions})
    counted = database.rows(
        """
        SELECT position, basis, count(*) AS samples
        FROM repository_presence_of_each(CAST($lists AS VARCHAR[][])) JOIN sample USING (repository)
        JOIN membership USING (sample) WHERE benchmark = $benchmark
        GROUP BY position, basis ORDER BY position, samples DESC, basis
        """,
        {"lists": [list(models) for models in distinct], "benchmark": benchmark},
    )
    bases: dict[tuple[str, ...], list[tuple[str, int]]] = {}
    for row in counted:
        bases.setdefault(distinct[row["position"] - 1], []).append((row["basis"], row["samples"]))
    return {row["submission"]: tuple(bases.get(tuple(row["models"]), ())) for row in submissions}
