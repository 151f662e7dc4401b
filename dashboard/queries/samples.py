"""One sample: its fix's life, the evidence at a cutoff, and who resolved it."""

from __future__ import annotations

from datetime import date

from dashboard.database import remembered
from dashboard.records import BlockEvidence, Evidence, PresenceInterval, SampleRecord, SubmissionOutcome
from engine.store.connection import Snapshot


@remembered
def sample(database: Snapshot, key: str) -> SampleRecord | None:
    """Return one sample, None where there is none of that id."""
    rows = database.rows(
        """
        SELECT sample, repository, number, title, created_at, base_commit, files, added_lines, removed_lines,
               duplicate_group, gold_fails_own_tests, landed_commit, landed_at,
               landing.state AS landing_state, landing.evidence AS landing_evidence, head_day
        FROM sample LEFT JOIN landing USING (sample) LEFT JOIN repository USING (repository)
        WHERE sample = ?
        """,
        [key],
    )
    if not rows:
        return None
    benchmarks = database.rows(
        """
        SELECT benchmark, benchmark.title, difficulty.title AS difficulty
        FROM membership JOIN benchmark USING (benchmark)
        LEFT JOIN difficulty USING (benchmark, difficulty) WHERE sample = ? ORDER BY ALL
        """,
        [key],
    )
    return SampleRecord(
        **rows[0],
        benchmarks=tuple((row["title"], row["difficulty"]) for row in benchmarks),
        benchmark_keys=tuple(row["benchmark"] for row in benchmarks),
    )


@remembered
def lifecycle(database: Snapshot, key: str) -> tuple[PresenceInterval, ...]:
    """Return every interval of a sample's presence, by detector and day."""
    rows = database.rows(
        """
        SELECT detector, valid_from, valid_to, state, score, method, reason FROM presence
        WHERE sample = ? ORDER BY detector, valid_from
        """,
        [key],
    )
    return tuple(PresenceInterval(**row) for row in rows)


@remembered
def evidence(database: Snapshot, key: str, detector: str, cutoff: date) -> Evidence:
    """Return the presence of a sample at a cutoff, and its blocks, weakest first."""
    found = database.rows(
        """
        SELECT state, score, method, reason, commit, path, line, valid_from, valid_to
        FROM presence_at($detector, $cutoff) WHERE sample = $key
        """,
        {"detector": detector, "cutoff": cutoff, "key": key},
    )[0]
    blocks = database.rows(
        """
        SELECT block, scope, score, method, path, line_start, line_end,
               coalesce(line_scores, []) AS line_scores
        FROM block_presence WHERE detector = ? AND sample = ? AND valid_from = ? ORDER BY score, block
        """,
        [detector, key, found["valid_from"]],
    )
    return Evidence(
        **found,
        blocks=tuple(BlockEvidence(**row | {"line_scores": tuple(row["line_scores"])}) for row in blocks),
    )


@remembered
def outcomes_of_sample(
    database: Snapshot, key: str, detector: str, threshold: float
) -> tuple[SubmissionOutcome, ...]:
    """Return every submission that was asked this sample, newest cutoff first."""
    exposures = database.rows(
        """
        SELECT DISTINCT cutoff, models FROM submission_cutoff
        JOIN membership USING (benchmark) WHERE sample = ? AND cutoff IS NOT NULL
        """,
        [key],
    )
    rows = database.rows(
        """
        WITH known AS (
            SELECT position, label
            FROM label_at_each(
                $detector, $threshold, CAST($exposures AS STRUCT(cutoff DATE, models VARCHAR[])[])
            ) WHERE sample = $key
        ), exposure AS (
            SELECT unnest(range(1, len($exposures) + 1)) AS position,
                   unnest(CAST($exposures AS STRUCT(cutoff DATE, models VARCHAR[])[]), recursive := true)
        )
        SELECT submission, benchmark, submission.title, framework, coalesce(models, []) AS models, cutoff,
               basis, coalesce(outcome, 'not_submitted') AS outcome, label
        FROM membership JOIN submission USING (benchmark)
        LEFT JOIN submission_cutoff USING (benchmark, submission)
        LEFT JOIN result USING (benchmark, submission, sample)
        LEFT JOIN exposure USING (cutoff, models) LEFT JOIN known USING (position)
        WHERE membership.sample = $key AND use_results
        ORDER BY cutoff DESC NULLS LAST, submission
        """,
        {"key": key, "detector": detector, "threshold": threshold, "exposures": exposures},
    )
    return tuple(SubmissionOutcome(**row | {"models": tuple(row["models"])}) for row in rows)
