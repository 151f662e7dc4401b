"""A benchmark as one detector labels it: what the parts of a report are made from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from engine.leaderboard.board import Leaderboard, leaderboard
from engine.leaderboard.matrix import Matrix, read_matrix
from engine.leaderboard.source import level_titles
from engine.report.part import file_name
from engine.store.connection import Snapshot


@dataclass(frozen=True, eq=False)
class Scope:
    """A benchmark, a detector and its threshold; everything is read once, when it is first asked for.

    Attributes:
        database: The facts.
        benchmark: Key of the benchmark.
        title: Its title.
        detector: Key of the detector.
        detector_title: Its title.
        threshold: Score from which a fix counts as present.
    """

    database: Snapshot
    benchmark: str
    title: str
    detector: str
    detector_title: str
    threshold: float

    @property
    def section(self) -> str:
        """Heading of its parts."""
        return f"{self.title}, {self.detector_title}"

    @property
    def notes(self) -> dict[str, str]:
        """How its tables were made."""
        return {
            "benchmark": self.benchmark,
            "detector": self.detector,
            "threshold": f"{self.threshold:g}",
            "database": self.database.version,
        }

    @cached_property
    def matrix(self) -> Matrix:
        """Outcomes and labels of all submissions."""
        return read_matrix(self.database, self.benchmark, self.detector)

    @cached_property
    def board(self) -> Leaderboard:
        """The leaderboard."""
        return leaderboard(self.database, self.benchmark, self.detector)

    @cached_property
    def levels(self) -> dict[str, str]:
        """Titles of the levels of difficulty."""
        return level_titles(self.database, self.benchmark)

    @property
    def samples(self) -> int:
        """How many samples it has."""
        return len(self.matrix.samples.samples)

    def name(self, what: str) -> str:
        """Return the name of one of its parts."""
        return file_name(self.benchmark, self.detector, what)
