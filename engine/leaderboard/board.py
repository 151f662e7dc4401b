"""The leaderboard: each submission before and after its contaminated samples are left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.leaderboard.filters import Filters
from engine.leaderboard.matrix import Matrix, read_matrix
from engine.leaderboard.source import Submission
from engine.statistics.arrays import Bools
from engine.statistics.cells import CLEAN, Labels
from engine.statistics.proportions import Proportion
from engine.statistics.ranking import Rank, bootstrap_ranks
from engine.statistics.summary import Comparison, SummaryColumns, summarise_many
from engine.statistics.verdict import Criteria
from engine.store.connection import Snapshot

UNKNOWN_MODEL = "unknown model"
RESULTS_NOT_USED = "results not used"


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """One submission.

    Its comparisons are taken out of the columns when they are asked for: a page shows few of the rows.

    Attributes:
        submission: What was submitted.
        reason: Why there are no adjusted figures, None where there are.
        rank_before: Place by the rate before, among the rows that have adjusted figures.
        rank_after: Place by the clean rate, among the same rows.
        columns: Statistics of all rows together, None where this one's results cannot be used.
        index: Its position in `columns`.
    """

    submission: Submission
    reason: str | None
    rank_before: Rank | None
    rank_after: Rank | None
    columns: SummaryColumns | None
    index: int

    @property
    def overall(self) -> Comparison | None:
        """All samples shown, None where the results cannot be used.

        Without a known cutoff every sample is unknown, so that its clean group is empty.
        """
        return self.columns.overall.at(self.index) if self.columns else None

    @property
    def levels(self) -> Mapping[str, Comparison]:
        """The same for each level of difficulty, easiest first; empty where `overall` is None."""
        levels = self.columns.levels if self.columns else {}
        return {name: level.at(self.index) for name, level in levels.items()}

    @property
    def before(self) -> Proportion | None:
        """Resolved of all samples, None where the results cannot be used."""
        return self.columns.overall.before.at(self.index) if self.columns else None

    @property
    def after(self) -> Proportion | None:
        """Resolved of the clean samples, None where there are no adjusted figures."""
        if self.columns is None or self.reason is not None:
            return None
        return self.columns.overall.clean.at(self.index)


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Rows and what they were made with.

    Attributes:
        benchmark: Key of the benchmark.
        detector: Key of the detector.
        threshold: Score from which a fix counts as present.
        difficulty: The level that the rows are restricted to, None for all.
        levels: Levels of the benchmark, easiest first.
        version: Version of the database.
        rows: Best rate before first; submissions without usable results last.
    """

    benchmark: str
    detector: str
    threshold: float
    difficulty: str | None
    levels: tuple[str, ...]
    version: str
    rows: tuple[LeaderboardRow, ...]


def leaderboard(
    database: Snapshot,
    benchmark: str,
    detector: str | None = None,
    threshold: float | None = None,
    *,
    difficulty: str | None = None,
    filters: Filters | None = None,
    criteria: Criteria | None = None,
) -> Leaderboard:
    """Make the leaderboard of a benchmark.

    Every submission that the filters let through has a row. Those without a known cutoff, and those whose
    results cannot be used, say why they have no adjusted figures. The rows shown together are one family for
    false-discovery control, and ranks are among them.

    Args:
        database: The facts.
        benchmark: Key of the benchmark.
        detector: Key of the detector; the default one if left out.
        threshold: Score from which a fix counts as present; the detector's own if left out.
        difficulty: Restrict everything to the samples at this level.
        filters: Which submissions to show.
        criteria: Confidence and margin of the verdict.

    Raises:
        BenchCheckerError: If a key is not known, or not all samples of the benchmark are in the facts.
    """
    matrix = read_matrix(database, benchmark, detector, threshold)
    return leaderboard_of(matrix, difficulty=difficulty, filters=filters, criteria=criteria)


def leaderboard_of(
    whole: Matrix,
    *,
    difficulty: str | None = None,
    filters: Filters | None = None,
    criteria: Criteria | None = None,
) -> Leaderboard:
    """Make the leaderboard of outcomes and labels that were read already; see `leaderboard`."""
    matrix = whole if difficulty is None else whole.at_level(difficulty)
    matrix = matrix.meeting(filters or Filters())
    samples, usable = matrix.samples, matrix.submissions
    summary = summarise_many(
        matrix.resolved,
        matrix.labels,
        difficulty=samples.difficulty if difficulty is None else None,
        levels=samples.levels if difficulty is None else None,
        repository=samples.repository,
        criteria=criteria,
    )
    places = _places(matrix.resolved, matrix.labels, usable, criteria or Criteria())
    rows = [_scored(entry, summary, index, places.get(index)) for index, entry in enumerate(usable)]
    rows += [_unscored(entry) for entry in matrix.unusable]
    return Leaderboard(
        benchmark=matrix.benchmark,
        detector=matrix.detector,
        threshold=matrix.threshold,
        difficulty=difficulty,
        levels=samples.levels,
        version=matrix.version,
        rows=tuple(sorted(rows, key=_order)),
    )


def _places(
    resolved: Bools, labels: Labels, submissions: Sequence[Submission], criteria: Criteria
) -> dict[int, tuple[Rank | None, Rank | None]]:
    """Ranks before and after, by index, of the submissions that have a cutoff."""
    adjusted = [index for index, entry in enumerate(submissions) if entry.cutoff is not None]
    solved, clean = resolved[adjusted], labels[adjusted] == CLEAN
    confidence = criteria.confidence
    before = bootstrap_ranks(solved, np.ones(solved.shape[1], dtype=np.bool_), confidence=confidence)
    after = bootstrap_ranks(solved, clean, confidence=confidence)
    return {index: (before.at(place), after.at(place)) for place, index in enumerate(adjusted)}


def _scored(
    entry: Submission, columns: SummaryColumns, index: int, places: tuple[Rank | None, Rank | None] | None
) -> LeaderboardRow:
    before, after = places or (None, None)
    reason = None if entry.cutoff is not None else UNKNOWN_MODEL
    return LeaderboardRow(entry, reason, before, after, columns, index)


def _unscored(entry: Submission) -> LeaderboardRow:
    reason = RESULTS_NOT_USED if entry.quality is None else f"{RESULTS_NOT_USED}: {entry.quality}"
    return LeaderboardRow(entry, reason, None, None, None, 0)


def by_clean_rate(rows: Sequence[LeaderboardRow]) -> list[LeaderboardRow]:
    """Return rows by their place after, best first; those without one follow in their order."""
    last = len(rows) + 1
    return sorted(rows, key=lambda row: last if row.rank_after is None else row.rank_after.rank)


def _order(row: LeaderboardRow) -> tuple[bool, float, str]:
    entry = row.submission
    rate = row.before.rate if row.before else entry.reported_rate
    return row.columns is None, -(rate or 0.0), entry.submission
