"""The facts as one detector labels them: what the findings are read from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from engine.export.paper_comparison import ComparedCell, compare_with_paper
from engine.leaderboard.board import Leaderboard, leaderboard
from engine.leaderboard.contamination import with_cutoff, within_sample_effect
from engine.leaderboard.matrix import Matrix, read_matrix
from engine.leaderboard.patterns import PatternStudy, study_patterns
from engine.leaderboard.source import level_titles
from engine.paper.cells import OVERALL
from engine.paper.rows import read_rows
from engine.statistics.effects.contamination import ContaminationEffect
from engine.statistics.proportions import relative_change
from engine.statistics.strata import Stratum, compare_strata
from engine.store.connection import Snapshot

TOP_TEN, TOP_TEN_JAVA, BY_RELEASE = 6, 7, 8
"""Numbers of the paper's tables."""


@dataclass(frozen=True, eq=False)
class View:
    """What one detector makes of the facts; everything is read once, when it is first asked for.

    Attributes:
        database: The facts.
        data: Folder with the paper's cells.
        detector: Key of the detector, at its own threshold.
    """

    database: Snapshot
    data: Path
    detector: str

    def benchmark(self, table: int) -> str:
        """Return the benchmark of one of the paper's tables."""
        return next(row.benchmark for row in read_rows(self.data) if row.table == table)

    @cached_property
    def titles(self) -> dict[str, str]:
        """Titles of the levels of the first benchmark."""
        return level_titles(self.database, self.benchmark(TOP_TEN))

    @cached_property
    def every(self) -> Matrix:
        """All submissions to the first benchmark with a known cutoff."""
        return with_cutoff(read_matrix(self.database, self.benchmark(TOP_TEN), self.detector))

    @cached_property
    def java(self) -> Matrix:
        """The same of the second."""
        return with_cutoff(read_matrix(self.database, self.benchmark(TOP_TEN_JAVA), self.detector))

    @cached_property
    def ten(self) -> Matrix:
        """Those that the paper's Table 6 prints, in its order."""
        places = {entry.submission: place for place, entry in enumerate(self.every.submissions)}
        named = [row.submission for row in read_rows(self.data) if row.table == TOP_TEN]
        return self.every.take([places[name] for name in named if name in places])

    @cached_property
    def board(self) -> Leaderboard:
        """The leaderboard of the first benchmark."""
        return leaderboard(self.database, self.benchmark(TOP_TEN), self.detector)

    @cached_property
    def patterns(self) -> PatternStudy:
        """What the paper's ten did with each sample."""
        return study_patterns(self.database, self.ten)

    @cached_property
    def _cells(self) -> dict[int, tuple[ComparedCell, ...]]:
        return {
            table: compare_with_paper(self.database, self.data, table, self.detector).cells
            for table in (TOP_TEN, TOP_TEN_JAVA, BY_RELEASE)
        }

    def cells(self, table: int, level: str = OVERALL) -> tuple[ComparedCell, ...]:
        """Return our version of a column of one of the paper's tables."""
        return tuple(cell for cell in self._cells[table] if cell.cell.level == level)

    def within(self, matrix: Matrix) -> ContaminationEffect:
        """Return the effect of contamination within samples."""
        return within_sample_effect(matrix)

    def within_level(self, level: str) -> ContaminationEffect:
        """Return the same at one level of the first benchmark."""
        return within_sample_effect(
            read_matrix(self.database, self.benchmark(TOP_TEN), self.detector).at_level(level)
        )


def change_of(cell: ComparedCell) -> float | None:
    """Return our relative change, None where there is none."""
    return relative_change(cell.before, cell.clean) if cell.before and cell.clean else None


def changes(cells: Sequence[ComparedCell]) -> list[float]:
    """Return our relative changes, of the cells that have one."""
    return [change for cell in cells if (change := change_of(cell)) is not None]


def pooled(matrix: Matrix) -> Stratum:
    """Return clean against contaminated over all cells, intervals clustered by sample."""
    (found,) = compare_strata(matrix.panel, [None] * len(matrix.samples.samples))
    return found
