"""Submissions by samples: outcomes and labels, from which every view of a benchmark is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.leaderboard.filters import Filters
from engine.leaderboard.source import SampleSet, Submission, read_resolved, read_samples, read_submissions
from engine.problems import BenchCheckerError
from engine.statistics.arrays import Bools
from engine.statistics.cells import CLEAN, UNKNOWN, Labels
from engine.statistics.effects.panel import Panel
from engine.store.connection import Snapshot
from engine.store.labels import Exposure, choose_detector, label_matrix


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """What submissions resolved, and the label of each sample at each submission's cutoff.

    Attributes:
        benchmark: Key of the benchmark.
        detector: Key of the detector.
        threshold: Score from which a fix counts as present.
        version: Version of the database.
        samples: The columns.
        submissions: The rows: those whose results can be used, by key.
        unusable: The others that meet the filters.
        resolved: Booleans of shape (submissions, samples).
        labels: Codes of the same shape, positions in `schema.LABELS`; unknown without a cutoff.
    """

    benchmark: str
    detector: str
    threshold: float
    version: str
    samples: SampleSet
    submissions: tuple[Submission, ...]
    unusable: tuple[Submission, ...]
    resolved: Bools
    labels: Labels

    @property
    def clean(self) -> Bools:
        """Which samples are known to be clean, shape (submissions, samples)."""
        return np.asarray(self.labels == CLEAN)

    @property
    def panel(self) -> Panel:
        """The same as the effects are estimated from."""
        return Panel.from_labels(self.resolved, self.labels)

    def take(self, rows: Sequence[int]) -> Matrix:
        """Return the matrix of some submissions, in the order of `rows`."""
        lines = list(rows)
        return Matrix(
            self.benchmark,
            self.detector,
            self.threshold,
            self.version,
            self.samples,
            tuple(self.submissions[row] for row in lines),
            self.unusable,
            self.resolved[lines],
            self.labels[lines],
        )

    def meeting(self, filters: Filters) -> Matrix:
        """Return the matrix of the submissions that meet `filters`."""
        found = self.take([row for row, entry in enumerate(self.submissions) if filters.meets(entry)])
        return replace(found, unusable=tuple(entry for entry in self.unusable if filters.meets(entry)))

    def at_level(self, difficulty: str) -> Matrix:
        """Return the matrix of the samples at one level of difficulty.

        Raises:
            BenchCheckerError: If the benchmark has no such level.
        """
        levels = self.samples.levels
        if difficulty not in levels:
            message = f"{self.benchmark} has no level {difficulty!r}: use one of {', '.join(levels)}"
            raise BenchCheckerError(message)
        columns = [place for place, level in enumerate(self.samples.difficulty) if level == difficulty]
        return replace(
            self,
            samples=self.samples.take(columns),
            resolved=self.resolved[:, columns],
            labels=self.labels[:, columns],
        )

    def best(self, number: int) -> Matrix:
        """Return the `number` submissions with a known cutoff that resolve most, best first."""
        known = [row for row, entry in enumerate(self.submissions) if entry.cutoff is not None]
        known.sort(key=lambda row: (-int(self.resolved[row].sum()), self.submissions[row].submission))
        return self.take(known[:number])


def read_matrix(
    database: Snapshot,
    benchmark: str,
    detector: str | None = None,
    threshold: float | None = None,
) -> Matrix:
    """Read the outcomes and labels of a benchmark.

    Args:
        database: The facts.
        benchmark: Key of the benchmark.
        detector: Key of the detector; the default one if left out.
        threshold: Score from which a fix counts as present; the detector's own if left out.

    Raises:
        BenchCheckerError: If a key is not known, or not all samples of the benchmark are in the facts.
    """
    key, minimum = choose_detector(database, detector, threshold)
    samples = read_samples(database, benchmark)
    shown = read_submissions(database, benchmark)
    usable = tuple(entry for entry in shown if entry.use_results)
    return Matrix(
        benchmark=benchmark,
        detector=key,
        threshold=minimum,
        version=database.version,
        samples=samples,
        submissions=usable,
        unusable=tuple(entry for entry in shown if not entry.use_results),
        resolved=read_resolved(database, benchmark, usable, samples),
        labels=labels_of(database, key, minimum, [entry.exposure for entry in usable], samples),
    )


def labels_of(
    database: Snapshot,
    detector: str,
    threshold: float,
    exposures: Sequence[Exposure | None],
    samples: SampleSet,
) -> Labels:
    """Return the labels of samples for each exposure, all unknown where there is none.

    Returns:
        Codes of shape (exposures, samples), positions in `schema.LABELS`.
    """
    known = [exposure for exposure in exposures if exposure is not None]
    matrix = label_matrix(database, detector, threshold, known)
    column_of = {sample: column for column, sample in enumerate(matrix.samples)}
    codes = np.full((len(exposures), len(samples.samples)), UNKNOWN, dtype=np.int8)
    lines = [line for line, exposure in enumerate(exposures) if exposure is not None]
    codes[lines] = matrix.codes[:, [column_of[sample] for sample in samples.samples]]
    return codes
