"""The two-condition test on one results file: what the command and the page show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from engine.audit.exposure import AskedExposure, asked_exposure
from engine.audit.source import AuditedFile, read_audited
from engine.export.labels import labels_table
from engine.export.table import Table
from engine.leaderboard.matrix import labels_of
from engine.leaderboard.source import SampleSet, level_titles, read_samples
from engine.paths import DATA_DIR
from engine.statistics.arrays import Bools
from engine.statistics.cells import Labels
from engine.statistics.summary import Comparison, Summary, summarise
from engine.store.connection import Snapshot
from engine.store.labels import Exposure, choose_detector


@dataclass(frozen=True, slots=True)
class Opinion:
    """The whole comparison by another detector, at its own threshold."""

    title: str
    threshold: float
    overall: Comparison


@dataclass(frozen=True, slots=True)
class Audit:
    """What a submission's score is made of.

    Attributes:
        file: The submission as the file reports it.
        benchmark_title: What a reader sees.
        asked: The exposure and where it comes from.
        detector: Key of the detector.
        threshold: Score from which a fix counts as present.
        version: Version of the database.
        data_sha256: Digest of the facts.
        summary: All samples, and each level of difficulty.
        level_titles: Title of each level, easiest first.
        repositories: Each repository, the one with most samples first.
        opinions: By key, the other detectors that have judged samples.
        labels: The label of every sample and what it rests on.
        unknown_reasons: Why samples are unknown, with how many, most first.
    """

    file: AuditedFile
    benchmark_title: str
    asked: AskedExposure
    detector: str
    threshold: float
    version: str
    data_sha256: str
    summary: Summary
    level_titles: Mapping[str, str]
    repositories: Mapping[str, Comparison]
    opinions: Mapping[str, Opinion]
    labels: Table
    unknown_reasons: tuple[tuple[str, int], ...]

    @property
    def overall(self) -> Comparison:
        """All samples."""
        return self.summary.overall

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """How it was made."""
        return (
            ("submission", self.file.submission),
            ("benchmark", self.file.benchmark),
            ("cutoff", self.asked.exposure.cutoff.isoformat()),
            ("cutoff basis", self.asked.basis),
            ("models", ", ".join(self.asked.exposure.models) or "repository presence assumed"),
            ("detector", self.detector),
            ("threshold", f"{self.threshold:g}"),
            ("database", self.version),
        )


def audit_file(
    database: Snapshot,
    path: Path,
    *,
    models: Sequence[str] = (),
    cutoff: date | None = None,
    benchmark: str | None = None,
    detector: str | None = None,
    threshold: float | None = None,
    submission: str | None = None,
    data: Path = DATA_DIR,
) -> Audit:
    """Audit a results file; nothing is stored.

    The submission is judged alone, so that its p-values are not adjusted for others.

    Args:
        database: The facts.
        path: File in any of the formats that `import submissions` knows, or the folder of one submission.
        models: Keys, aliases or titles of the models behind it.
        cutoff: Last day of training data; counts rather than the models' own.
        benchmark: Key of the benchmark; the one that the file fits best if left out.
        detector: Key of the detector; the default one if left out.
        threshold: Score from which a fix counts as present; the detector's own if left out.
        submission: Which one, of a file that holds several.
        data: Folder with the catalogue of benchmarks.

    Raises:
        BenchCheckerError: If something asked for is not known, or the file cannot be used; with line and
            remedy.
    """
    key, minimum = choose_detector(database, detector, threshold)
    asked = asked_exposure(database, models, cutoff)
    file = read_audited(database, path, benchmark, submission, data=data)
    samples = read_samples(database, file.benchmark)
    resolved = np.array([file.results.outcomes[sample] == "resolved" for sample in samples.samples])
    judged = _Judged(database, asked.exposure, samples, resolved)
    table = labels_table(database, file.benchmark, asked.exposure.cutoff, key, minimum, asked.exposure.models)
    return Audit(
        file=file,
        benchmark_title=_title(database, file.benchmark),
        asked=asked,
        detector=key,
        threshold=minimum,
        version=database.version,
        data_sha256=database.meta.data_sha256,
        summary=judged.by_difficulty(key, minimum),
        level_titles=level_titles(database, file.benchmark),
        repositories=judged.by_repository(key, minimum),
        opinions=_opinions(database, judged, key),
        labels=table,
        unknown_reasons=_unknown_reasons(table),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """Outcomes that are labelled at one exposure by any detector."""

    database: Snapshot
    exposure: Exposure
    samples: SampleSet
    resolved: Bools

    def by_difficulty(self, detector: str, threshold: float) -> Summary:
        return summarise(
            self.resolved,
            self._labels(detector, threshold),
            difficulty=self.samples.difficulty,
            levels=self.samples.levels,
            repository=self.samples.repository,
        )

    def by_repository(self, detector: str, threshold: float) -> Mapping[str, Comparison]:
        counted = Counter(self.samples.repository)
        order = sorted(counted, key=lambda name: (-counted[name], name))
        labels = self._labels(detector, threshold)
        return summarise(self.resolved, labels, difficulty=self.samples.repository, levels=order).levels

    def _labels(self, detector: str, threshold: float) -> Labels:
        found: Labels = labels_of(self.database, detector, threshold, [self.exposure], self.samples)[0]
        return found


def _opinions(database: Snapshot, judged: _Judged, chosen: str) -> dict[str, Opinion]:
    rows = database.rows(
        "SELECT detector, title, threshold FROM detector SEMI JOIN presence USING (detector) "
        "WHERE detector <> ? ORDER BY detector",
        [chosen],
    )
    return {
        row["detector"]: Opinion(
            row["title"],
            row["threshold"],
            judged.by_difficulty(row["detector"], row["threshold"]).overall,
        )
        for row in rows
    }


def _title(database: Snapshot, benchmark: str) -> str:
    (row,) = database.rows("SELECT title FROM benchmark WHERE benchmark = ?", [benchmark])
    return str(row["title"])


def _unknown_reasons(labels: Table) -> tuple[tuple[str, int], ...]:
    places = {column.name: place for place, column in enumerate(labels.columns)}
    reasons = Counter(
        "too few queries to tell whether the models saw its repository"
        if row[places["repository_verdict"]] == "too few queries"
        else str(row[places["reason"]] or "not judged")
        for row in labels.rows
        if row[places["label"]] == "unknown"
    )
    return tuple(reasons.most_common())
