"""What samples have in common that the best submissions all solve, or all miss (Section 6.3 of the paper)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.leaderboard.matrix import Matrix
from engine.leaderboard.source import SampleSet
from engine.paper.printed import PrintedFigure
from engine.statistics.effects.patterns import FlagRate, Pattern, flag_rates, sample_patterns
from engine.statistics.proportions import Proportion
from engine.store.connection import Snapshot

SMALL_CHANGE = 10
"""Lines added and removed up to which a fix is called small."""

Features = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Flag:
    """Something that a sample has or has not.

    Attributes:
        key: Names it.
        title: What a reader sees.
        meaning: The rule in words.
        holds: The rule; None where the facts do not say.
    """

    key: str
    title: str
    meaning: str
    holds: Callable[[Features], bool | None]


def _at_most(column: str, most: int) -> Callable[[Features], bool | None]:
    return lambda row: None if row[column] is None else bool(row[column] <= most)


def _is(column: str) -> Callable[[Features], bool | None]:
    return lambda row: None if row[column] is None else bool(row[column])


FLAGS: tuple[Flag, ...] = (
    Flag("one_file", "One file", "The gold patch changes one file.", _at_most("files", 1)),
    Flag(
        "one_function",
        "One function",
        "It changes one function, class body or module; as the detector reads it.",
        _at_most("functions", 1),
    ),
    Flag(
        "small",
        "Small",
        f"It adds and removes {SMALL_CHANGE} lines at most.",
        _at_most("changed_lines", SMALL_CHANGE),
    ),
    Flag(
        "reproducing_example",
        "Example",
        "The issue shows code that runs: a prompt, or a code block with a call or an assignment.",
        _is("reproducing_example"),
    ),
    Flag("traceback", "Traceback", "The issue shows a stack trace.", _is("traceback")),
    Flag("names_file", "Names a file", "The issue names a file that the patch changes.", _is("names_file")),
    Flag(
        "solution_hint",
        "Solution hint",
        "The issue names an identifier that only the fix brings.",
        _is("hinted_identifiers"),
    ),
)


@dataclass(frozen=True, slots=True, eq=False)
class PatternStudy:
    """The patterns of some submissions, and the flags of their samples.

    Attributes:
        matrix: The submissions looked at.
        patterns: Pattern of each sample, None where they do not agree.
        flags: By key, whether it is set for each sample.
        rates: By key of the flag and pattern.
    """

    matrix: Matrix
    patterns: tuple[Pattern | None, ...]
    flags: Mapping[str, tuple[bool | None, ...]]
    rates: Mapping[str, Mapping[Pattern, FlagRate]]

    def samples_of(self, pattern: Pattern) -> tuple[int, ...]:
        """Return the places of the samples of a pattern."""
        return tuple(place for place, found in enumerate(self.patterns) if found is pattern)


@dataclass(frozen=True, slots=True)
class PrintedBeside:
    """A figure of Findings 7 and 8 beside ours; `ours` counts the same thing by our rule."""

    figure: PrintedFigure
    rule: str
    ours: Proportion


_PRINTED: dict[tuple[int, str], tuple[Pattern, str, bool]] = {
    (7, "one file changed"): (Pattern.UNSEEN_SOLVED, "one_file", True),
    (7, "triggering case in the issue"): (Pattern.UNSEEN_SOLVED, "reproducing_example", True),
    (7, "solution hint in the issue"): (Pattern.UNSEEN_SOLVED, "solution_hint", True),
    (8, "no solution hint in the issue"): (Pattern.UNSEEN_UNSOLVED, "solution_hint", False),
    (8, "several files changed"): (Pattern.UNSEEN_UNSOLVED, "one_file", False),
}


def study_patterns(database: Snapshot, matrix: Matrix) -> PatternStudy:
    """Sort samples by what all submissions of `matrix` did with them, and compare their flags."""
    patterns = sample_patterns(matrix.panel)
    features = _read_features(database, matrix.samples, matrix.detector)
    flags = {flag.key: tuple(flag.holds(row) for row in features) for flag in FLAGS}
    return PatternStudy(matrix, patterns, flags, flag_rates(patterns, flags))


def beside_the_paper(study: PatternStudy, figures: Sequence[PrintedFigure]) -> tuple[PrintedBeside, ...]:
    """Return the figures of Findings 7 and 8 that our flags count too, in the order of the paper."""
    titles = {flag.key: flag.title.casefold() for flag in FLAGS}
    rows = []
    for figure in figures:
        found = _PRINTED.get((figure.finding, figure.quantity))
        if found is None:
            continue
        pattern, key, wanted = found
        inside = study.rates[key][pattern].inside
        ours = inside if wanted else Proportion(inside.n - inside.k, inside.n)
        rows.append(PrintedBeside(figure, titles[key] if wanted else f"not: {titles[key]}", ours))
    return tuple(rows)


def _read_features(database: Snapshot, samples: SampleSet, detector: str) -> list[Features]:
    rows = database.rows(
        """
        SELECT sample.sample, files, added_lines + removed_lines AS changed_lines, functions,
               reproducing_example, traceback, names_file, hinted_identifiers
        FROM sample LEFT JOIN sample_feature USING (sample)
        LEFT JOIN (
            SELECT sample, count(DISTINCT block) AS functions FROM block_presence
            WHERE detector = ? GROUP BY sample
        ) USING (sample)
        """,
        [detector],
    )
    by_sample = {row["sample"]: row for row in rows}
    return [by_sample[sample] for sample in samples.samples]
