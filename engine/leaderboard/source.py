"""What a leaderboard is made from: the submissions of a benchmark and what each resolved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from engine.problems import BenchCheckerError
from engine.statistics.arrays import Bools
from engine.store.connection import Snapshot
from engine.store.labels import Exposure


@dataclass(frozen=True, slots=True)
class SampleSet:
    """Samples of a benchmark.

    Attributes:
        samples: Ids, sorted.
        difficulty: Level of each, None where it has none.
        repository: Repository of each.
        levels: All levels of the benchmark, easiest first.
    """

    samples: tuple[str, ...]
    difficulty: tuple[str | None, ...]
    repository: tuple[str, ...]
    levels: tuple[str, ...]

    def take(self, places: Sequence[int]) -> SampleSet:
        """Return some of the samples, in the order of `places`."""
        return SampleSet(
            tuple(self.samples[place] for place in places),
            tuple(self.difficulty[place] for place in places),
            tuple(self.repository[place] for place in places),
            self.levels,
        )


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission as it was reported, and the models behind it.

    Attributes:
        submission: Key.
        title: What a reader sees.
        framework: The agent or scaffold, None where it is not known.
        models: Keys of its models; where one is not in the registry, its tag.
        model_titles: The same for a reader.
        submitted_on: Day of submission.
        open_weights: Whether all weights can be downloaded.
        open_system: Whether the code can.
        checked: Whether the board's makers checked it.
        reported_rate: Rate on the board, None where it reports none.
        quality: What is wrong with its data.
        use_results: Whether its results for single samples can be used.
        cutoff: The latest cutoff of its models, None where any is unknown.
        basis: `published` or `estimated`, None without a cutoff.
        released: When the latest of its models was released, None without a cutoff.
    """

    submission: str
    title: str
    framework: str | None
    models: tuple[str, ...]
    model_titles: tuple[str, ...]
    submitted_on: date | None
    open_weights: bool | None
    open_system: bool | None
    checked: bool | None
    reported_rate: float | None
    quality: str | None
    use_results: bool
    cutoff: date | None
    basis: str | None
    released: date | None

    @property
    def exposure(self) -> Exposure | None:
        """What decides its labels, None without a cutoff."""
        return None if self.cutoff is None else Exposure(self.cutoff, self.models)


def read_samples(database: Snapshot, benchmark: str) -> SampleSet:
    """Read the samples of a benchmark.

    Args:
        database: The facts.
        benchmark: Key of the benchmark.

    Raises:
        BenchCheckerError: If there is no such benchmark, or the facts do not hold all samples of the
            benchmark: its size is the denominator of every rate.
    """
    known = {row["benchmark"]: row["size"] for row in database.rows("SELECT benchmark, size FROM benchmark")}
    if benchmark not in known:
        raise BenchCheckerError(
            f"no benchmark is called {benchmark!r}: use one of {', '.join(sorted(known))}"
        )
    rows = database.rows(
        "SELECT sample, difficulty, repository FROM membership JOIN sample USING (sample) "
        "WHERE benchmark = ? ORDER BY sample",
        [benchmark],
    )
    if len(rows) != known[benchmark]:
        raise BenchCheckerError(
            f"{benchmark} has {known[benchmark]} samples, the facts hold {len(rows)}: import the others "
            "(benchchecker import samples)"
        )
    return SampleSet(
        samples=tuple(row["sample"] for row in rows),
        difficulty=tuple(row["difficulty"] for row in rows),
        repository=tuple(row["repository"] for row in rows),
        levels=tuple(level_titles(database, benchmark)),
    )


def read_submissions(database: Snapshot, benchmark: str) -> tuple[Submission, ...]:
    """Read every submission of a benchmark, by key."""
    titles = {row["model"]: row["title"] for row in database.rows("SELECT model, title FROM model")}
    rows = database.rows(
        """
        SELECT submission, title, framework, submitted_on, open_weights, open_system, checked, reported_rate,
               quality, use_results, cutoff, basis, released,
               coalesce(models, []) AS models
        FROM submission LEFT JOIN submission_cutoff USING (benchmark, submission)
        WHERE benchmark = ? ORDER BY submission
        """,
        [benchmark],
    )
    for row in rows:
        row["models"] = tuple(row["models"])
        row["model_titles"] = tuple(titles.get(name, name) for name in row["models"])
    return tuple(Submission(**row) for row in rows)


def read_resolved(
    database: Snapshot, benchmark: str, submissions: tuple[Submission, ...], samples: SampleSet
) -> Bools:
    """Read which samples each submission resolved; everything else it reports counts as unresolved.

    Returns:
        Booleans of shape (submissions, samples).
    """
    found = database.columns(
        """
        WITH line AS (
            SELECT unnest($submissions) AS submission, unnest(range(len($submissions))) AS place
        ), col AS (SELECT unnest($samples) AS sample, unnest(range(len($samples))) AS place)
        SELECT line.place AS line, col.place AS col
        FROM result JOIN line USING (submission) JOIN col USING (sample)
        WHERE benchmark = $benchmark AND outcome = 'resolved'
        """,
        {
            "benchmark": benchmark,
            "submissions": [entry.submission for entry in submissions],
            "samples": list(samples.samples),
        },
    )
    resolved = np.zeros((len(submissions), len(samples.samples)), dtype=np.bool_)
    resolved[found["line"], found["col"]] = True
    return resolved


def level_titles(database: Snapshot, benchmark: str) -> dict[str, str]:
    """Return the title of each level of difficulty, easiest first."""
    rows = database.rows(
        "SELECT difficulty, title FROM difficulty WHERE benchmark = ? ORDER BY rank", [benchmark]
    )
    return {row["difficulty"]: row["title"] for row in rows}
