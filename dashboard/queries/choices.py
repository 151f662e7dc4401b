"""What the filters offer."""

from __future__ import annotations

from dashboard.database import remembered
from dashboard.records import BenchmarkChoice, Catalogue, CutoffChoice, DetectorChoice, Level
from engine.store.connection import Snapshot


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
def sample_ids(database: Snapshot) -> tuple[str, ...]:
    """Return the id of every sample."""
    return tuple(row["sample"] for row in database.rows("SELECT sample FROM sample ORDER BY sample"))


@remembered
def repository_counts(database: Snapshot) -> dict[str, int]:
    """Return how many repositories the samples of each benchmark are from."""
    rows = database.rows(
        """
        SELECT benchmark, count(DISTINCT repository) AS repositories
        FROM membership JOIN sample USING (sample) GROUP BY benchmark
        """
    )
    return {row["benchmark"]: row["repositories"] for row in rows}
