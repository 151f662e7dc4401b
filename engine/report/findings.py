"""Findings 1 to 8 of the paper: its figures, ours by each detector, and whether they hold.

Ours are of the submissions that the paper's own tables print, as far as their results are at hand, at the
cutoffs of our registry and each detector's present threshold. Beside the reading off rates stands the one
within samples, which difficulty cannot make.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.export.printed import percent
from engine.paper.cells import OVERALL, read_cells
from engine.paper.printed import PrintedFigure, read_findings
from engine.paths import DATA_DIR
from engine.report import ours, within
from engine.report.reading import Reading
from engine.report.view import TOP_TEN, View
from engine.statistics.effects.patterns import Pattern
from engine.store.connection import Snapshot

_HARD, _MIDDLE, _EASY = "1h_4h", "15m_1h", "lt15m"
_FAMILY = "Claude-4"
_EASY_FLAGS, _HARD_FLAGS = ("one_file", "reproducing_example", "solution_hint"), ("one_file", "solution_hint")


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding.

    Attributes:
        number: Its number in the paper, 0 for what all of them presume.
        statement: What it says, in our words.
        paper: The paper's figures.
        ours: By detector, read off rates.
        within: By detector, within samples.
    """

    number: int
    statement: str
    paper: str
    ours: Mapping[str, Reading]
    within: Mapping[str, Reading]


@dataclass(frozen=True, slots=True)
class Findings:
    """All findings and how they were read.

    Attributes:
        rows: In the paper's order, their premise first.
        detectors: Thresholds by detector, the published one first.
        default: Key of the default detector.
        version: Version of the database.
        data_sha256: Digest of the facts.
    """

    rows: tuple[Finding, ...]
    detectors: Mapping[str, float]
    default: str
    version: str
    data_sha256: str


def findings(database: Snapshot, data: Path = DATA_DIR) -> Findings:
    """Read the findings by every detector that has judged samples.

    Args:
        database: The facts.
        data: Folder with the paper's figures.

    Raises:
        BenchCheckerError: If the paper's figures are not in `data`, or the facts lack its benchmarks.
    """
    rows = database.rows(
        "SELECT detector, threshold, is_default FROM detector SEMI JOIN presence USING (detector) "
        "ORDER BY coalesce(is_default, false), detector"
    )
    views = {row["detector"]: View(database, data, row["detector"]) for row in rows}
    printed = read_findings(data)
    return Findings(
        rows=tuple(_finding(number, printed, views, data) for number in range(len(STATEMENTS))),
        detectors={row["detector"]: row["threshold"] for row in rows},
        default=rows[-1]["detector"] if rows else "",
        version=database.version,
        data_sha256=database.meta.data_sha256,
    )


def _finding(number: int, printed: Sequence[PrintedFigure], views: Mapping[str, View], data: Path) -> Finding:
    figures = [figure for figure in printed if figure.finding == number]
    return Finding(
        number=number,
        statement=STATEMENTS[number],
        paper=_paper(number, figures, data),
        ours={name: _ours(number, view, figures) for name, view in views.items()},
        within={name: _within(number, view) for name, view in views.items()},
    )


STATEMENTS: tuple[str, ...] = (
    "What all of them presume: contaminated samples are resolved more often.",
    "The drop grows with difficulty.",
    "The drop is larger on Java (Multi-SWE-bench) than on Python (SWE-bench Verified).",
    "The drop is the model's: frameworks that run it are alike.",
    "The drop shrinks with newer models.",
    "The drop shrinks with better models.",
    "Models fail on seen fixes since they do not find the place.",
    "Unseen samples that all solve: small repairs, a case that shows the bug, a hint of the solution.",
    "Unseen samples that none solves: several files, no hint.",
)


def _ours(number: int, view: View, figures: Sequence[PrintedFigure]) -> Reading:
    match number:
        case 0:
            return ours.premise(view)
        case 1:
            return ours.by_difficulty(view, _HARD, _EASY, _MIDDLE)
        case 2:
            return ours.by_benchmark(view)
        case 3:
            return ours.by_framework(view, _FAMILY)
        case 4:
            return ours.by_age(view, _MIDDLE)
        case 5:
            return ours.by_rate(view)
        case 6:
            return ours.seen_unsolved(view)
        case 7:
            return ours.unseen(view, figures, _EASY_FLAGS, Pattern.UNSEEN_SOLVED, claimed=1)
        case _:
            return ours.unseen(view, figures, _HARD_FLAGS, Pattern.UNSEEN_UNSOLVED, claimed=-1)


def _within(number: int, view: View) -> Reading:
    match number:
        case 0:
            return within.premise(view)
        case 1:
            return within.by_difficulty(view, _HARD, _EASY)
        case 2:
            return within.by_benchmark(view)
        case 3:
            same = ours.by_framework(view, _FAMILY)
            return Reading("the same samples and labels for all", same.answer, "difficulty cancels already")
        case 4:
            return within.by_release(view)
        case 5:
            return within.by_rate(view)
        case _:
            return within.ABOUT_SAMPLES


def _paper(number: int, figures: Sequence[PrintedFigure], data: Path) -> str:
    """Return the figures that the paper prints for a finding."""
    if number == 0:
        drops = [cell.relative_change_pct for cell in read_cells(TOP_TEN, data) if cell.level == OVERALL]
        return f"Table {TOP_TEN}: change of {percent(min(drops) / 100)} to {percent(max(drops) / 100)}"
    if not figures:
        return "no figure; read off Tables 8 and 9"
    by_subject: dict[str, list[str]] = {}
    for figure in figures:
        value = f"{figure.value:g}{f'/{figure.of}' if figure.of else ''}{_UNITS.get(figure.unit, '')}"
        by_subject.setdefault(_subject(figure.subject), []).append(f"{figure.quantity} {value}")
    return "; ".join(f"{subject}: {', '.join(said)}" for subject, said in by_subject.items())


def _subject(text: str) -> str:
    words = text.removesuffix(", overall").replace(", overall,", ",")
    for level, title in _LEVELS.items():
        words = words.replace(level, title)
    return words


_UNITS = {"percent": "%", "points": " points"}
_LEVELS = {_EASY: "< 15 min", _MIDDLE: "15 min – 1 h", _HARD: "1 – 4 h"}
