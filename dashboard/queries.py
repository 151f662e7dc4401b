"""All SQL of the dashboard. Each function reads one database snapshot and is remembered for its version."""

from __future__ import annotations

from datetime import date
from typing import Any

from dashboard.database import remembered
from dashboard.records import (
    Agreement,
    BenchmarkChoice,
    BlockEvidence,
    Catalogue,
    CutoffChoice,
    DetectorChoice,
    Evidence,
    Level,
    ModelUse,
    PairVerdict,
    PresenceInterval,
    SampleRecord,
    SampleResult,
    SubmissionOutcome,
    SubmissionRecord,
)
from engine.store.connection import Snapshot

Table = tuple[dict[str, Any], ...]


@remembered
def catalogue(database: Snapshot) -> Catalogue:
    """Return the benchmarks and detectors that can be chosen, a detector that has judged nothing last."""
    levels: dict[str, list[Level]] = {}
    for row in database.rows("SELECT benchmark, difficulty, title FROM difficulty ORDER BY benchmark, rank"):
        levels.setdefault(row["benchmark"], []).append(Level(row["difficulty"], row["title"]))
    used: dict[str, list[tuple[str, str]]] = {}
    for row in database.rows(
        """
        SELECT DISTINCT benchmark, model, model.title FROM submission_model JOIN model USING (model)
        ORDER BY benchmark, model.title, model
        """
    ):
        used.setdefault(row["benchmark"], []).append((row["model"], row["title"]))
    benchmarks = database.rows(
        """
        SELECT benchmark, benchmark.title, size,
               coalesce(list(DISTINCT framework ORDER BY framework) FILTER (WHERE framework IS NOT NULL), [])
                   AS frameworks,
               min(submitted_on) AS first_submitted, max(submitted_on) AS last_submitted
        FROM benchmark LEFT JOIN submission USING (benchmark)
        GROUP BY ALL ORDER BY count(submission) DESC, benchmark
        """
    )
    detectors = database.rows(
        """
        SELECT detector.*, count(DISTINCT sample) AS judged_samples
        FROM detector LEFT JOIN presence USING (detector)
        GROUP BY ALL ORDER BY judged_samples > 0 DESC, is_default DESC, detector
        """
    )
    return Catalogue(
        tuple(
            BenchmarkChoice(
                levels=tuple(levels.get(row["benchmark"], ())),
                models=tuple(used.get(row["benchmark"], ())),
                **row | {"frameworks": tuple(row["frameworks"])},
            )
            for row in benchmarks
        ),
        tuple(DetectorChoice(**row) for row in detectors),
    )


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


@remembered
def sample_ids(database: Snapshot) -> tuple[str, ...]:
    """Return the id of every sample."""
    return tuple(row["sample"] for row in database.rows("SELECT sample FROM sample ORDER BY sample"))


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
    used: dict[str, list[tuple[str, str]]] = {}
    for row in database.rows(
        """
        SELECT DISTINCT benchmark, model, model.title FROM submission_model JOIN model USING (model)
        ORDER BY benchmark, model.title, model
        """
    ):
        used.setdefault(row["benchmark"], []).append((row["model"], row["title"]))
    benchmarks = database.rows(
        """
        SELECT benchmark.title AS benchmark, difficulty.title AS difficulty
        FROM membership JOIN benchmark USING (benchmark)
        LEFT JOIN difficulty USING (benchmark, difficulty) WHERE sample = ? ORDER BY ALL
        """,
        [key],
    )
    return SampleRecord(
        **rows[0], benchmarks=tuple((row["benchmark"], row["difficulty"]) for row in benchmarks)
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
def cutoffs(database: Snapshot) -> tuple[CutoffChoice, ...]:
    """Return every training cutoff in the registry, latest first, with the titles of its models."""
    rows = database.rows(
        """
        SELECT cutoff, list(title ORDER BY title) AS models FROM model
        WHERE cutoff IS NOT NULL GROUP BY cutoff ORDER BY cutoff DESC
        """
    )
    return tuple(CutoffChoice(row["cutoff"], tuple(row["models"])) for row in rows)


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


@remembered
def pair_verdicts(
    database: Snapshot,
    benchmark: str,
    cutoff: date,
    first: tuple[str, float],
    second: tuple[str, float],
) -> tuple[PairVerdict, ...]:
    """Return what two detectors, each with its threshold, say about every sample at a cutoff."""
    rows = database.rows(
        """
        SELECT sample, sample.repository, difficulty, one.label, one.score, one.method, one.reason,
               two.label AS other_label, two.score AS other_score, two.method AS other_method,
               two.reason AS other_reason
        FROM membership JOIN sample USING (sample) LEFT JOIN difficulty USING (benchmark, difficulty)
        JOIN label_at($first, $cutoff, minimum_score := $first_minimum) AS one USING (sample)
        JOIN label_at($second, $cutoff, minimum_score := $second_minimum) AS two USING (sample)
        WHERE benchmark = $benchmark ORDER BY difficulty.rank, sample
        """,
        {"benchmark": benchmark, "cutoff": cutoff} | _pair(first, second),
    )
    return tuple(PairVerdict(**row) for row in rows)


@remembered
def agreement(
    database: Snapshot, benchmark: str, first: tuple[str, float], second: tuple[str, float]
) -> tuple[Agreement, ...]:
    """Return how far two detectors agree at every cutoff of a benchmark's submissions, earliest first."""
    cutoffs = database.rows(
        """
        SELECT cutoff, count(*) AS submissions FROM submission_cutoff
        WHERE benchmark = ? AND cutoff IS NOT NULL GROUP BY cutoff ORDER BY cutoff
        """,
        [benchmark],
    )
    exposures = [{"cutoff": row["cutoff"], "models": []} for row in cutoffs]
    rows = database.rows(
        """
        SELECT one.cutoff, count(*) AS both_judge,
               count(*) FILTER (WHERE one.label = 'clean') AS clean,
               count(*) FILTER (WHERE two.label = 'clean') AS other_clean,
               count(*) FILTER (WHERE one.label <> two.label) AS differ
        FROM label_at_each(
            $first, $first_minimum, CAST($exposures AS STRUCT(cutoff DATE, models VARCHAR[])[])
        ) AS one JOIN label_at_each(
            $second, $second_minimum, CAST($exposures AS STRUCT(cutoff DATE, models VARCHAR[])[])
        ) AS two USING (position, sample)
        JOIN membership USING (sample)
        WHERE benchmark = $benchmark AND one.label <> 'unknown' AND two.label <> 'unknown'
        GROUP BY one.cutoff ORDER BY one.cutoff
        """,
        {"benchmark": benchmark, "exposures": exposures} | _pair(first, second),
    )
    submissions = {row["cutoff"]: row["submissions"] for row in cutoffs}
    return tuple(Agreement(submissions=submissions[row["cutoff"]], **row) for row in rows)


def _pair(first: tuple[str, float], second: tuple[str, float]) -> dict[str, str | float]:
    return {
        "first": first[0],
        "first_minimum": first[1],
        "second": second[0],
        "second_minimum": second[1],
    }


@remembered
def models(database: Snapshot) -> Table:
    """Return the registry of models, newest first."""
    return tuple(
        database.rows(
            """
            SELECT model, title, vendor, released, cutoff, basis, source, open_weights,
                   count(DISTINCT (benchmark, submission)) FILTER (WHERE submission IS NOT NULL)
                       AS submissions
            FROM model LEFT JOIN submission_model USING (model)
            GROUP BY ALL ORDER BY released DESC, model
            """
        )
    )


@remembered
def repositories(database: Snapshot) -> Table:
    """Return the repositories and how far their histories were read."""
    return tuple(
        database.rows(
            """
            SELECT repository, language, first_day, head_day, head_commit, count(sample) AS samples
            FROM repository LEFT JOIN sample USING (repository) GROUP BY ALL ORDER BY repository
            """
        )
    )


@remembered
def runs(database: Snapshot) -> Table:
    """Return the commands that made the facts, newest first."""
    return tuple(
        database.rows(
            """
            SELECT run, command, started_at, finished_at, CAST(versions AS VARCHAR) AS versions,
                   CAST(configuration AS VARCHAR) AS configuration, CAST(inputs AS VARCHAR) AS inputs
            FROM run ORDER BY finished_at DESC, run
            """
        )
    )
