"""The parts of a report on one benchmark by one detector."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial

from plotly.graph_objects import Figure

from engine.export.frameworks import frameworks_table
from engine.export.labels import labels_table
from engine.export.leaderboard import leaderboard_table, printed_leaderboard
from engine.export.over_time import landing_table, release_table
from engine.export.pairs import pair_table
from engine.export.patterns import pattern_table
from engine.export.strata import strata_table
from engine.leaderboard.board import LeaderboardRow
from engine.leaderboard.frameworks import across_frameworks
from engine.leaderboard.patterns import study_patterns
from engine.leaderboard.trends import by_release
from engine.report import drawing
from engine.report.drawing import Mark
from engine.report.part import Part
from engine.report.scope import Scope
from engine.statistics.effects.paired import compare_all
from engine.statistics.strata import Stratum, compare_strata

TOP = 20
"""Submissions in the figure of a leaderboard; its table has all."""

_BEST = 10
_COMPARED = 6


def benchmark_parts(scope: Scope) -> Iterator[Part]:
    """Yield what the dashboard shows of a benchmark."""
    yield _leaderboard(scope)
    yield _releases(scope)
    yield _landings(scope)
    if scope.matrix.best(_BEST).submissions:
        yield from _strata(scope)
        yield _patterns(scope)
    groups = across_frameworks(scope.board.rows)
    if groups:
        counted = f"n = {len(groups)} sets of models"
        title = f"Models of {scope.title} under several frameworks"
        yield Part(
            scope.name("frameworks"), scope.section, title, counted, frameworks_table(groups, scope.notes)
        )
    if len(scope.matrix.submissions) > 1:
        yield _pairs(scope)
    yield _labels(scope)


def _leaderboard(scope: Scope) -> Part:
    board = scope.board
    shown = [row for row in board.rows if row.reason is None][:TOP]
    return Part(
        scope.name("leaderboard"),
        scope.section,
        f"Submissions to {scope.title} before and after contaminated samples are left out",
        f"n = {len(board.rows)} submissions, {scope.samples} samples",
        leaderboard_table(board),
        printed_leaderboard(board, scope.levels),
        partial(_draw_rows, shown) if shown else None,
    )


def _draw_rows(rows: Sequence[LeaderboardRow]) -> Figure:
    return drawing.dumbbells(
        [
            Mark(row.submission.title, found.clean.rate, found.clean_interval, found.before.rate)
            for row in rows
            if (found := row.overall) is not None
        ]
    )


def _releases(scope: Scope) -> Part:
    rows = by_release(scope.board.rows, one_a_model=True)
    named = [
        replace(
            row,
            submission=replace(
                row.submission, title=f"{row.submission.released} {', '.join(row.submission.model_titles)}"
            ),
        )
        for row in rows
    ]
    return Part(
        scope.name("releases"),
        scope.section,
        f"The best submission of each model to {scope.title}, oldest release first",
        f"n = {len(rows)} submissions, {scope.samples} samples",
        release_table(rows, scope.notes),
        draw=partial(_draw_rows, named) if named else None,
    )


def _landings(scope: Scope) -> Part:
    rows = scope.database.rows(
        """
        SELECT sample, difficulty, CAST(landed_at AT TIME ZONE 'UTC' AS DATE) AS landed_on,
               coalesce(label, 'unknown') AS label
        FROM membership LEFT JOIN landing USING (sample)
        LEFT JOIN label_at($detector, (SELECT max(cutoff) FROM model)) USING (sample)
        WHERE benchmark = $benchmark ORDER BY landed_on, sample
        """,
        {"detector": scope.detector, "benchmark": scope.benchmark},
    )
    cutoffs = scope.database.rows(
        "SELECT DISTINCT cutoff FROM model WHERE cutoff IS NOT NULL ORDER BY cutoff"
    )
    found = [(row["sample"], row["difficulty"], row["landed_on"], row["label"]) for row in rows]
    keys = [*scope.levels, None]
    points = [(day, keys.index(level), label) for _, level, day, label in found if day is not None]
    days: list[date] = [row["cutoff"] for row in cutoffs]
    titles = [
        *scope.levels.values(),
        *(["no level"] if any(level is None for _, level, _, _ in found) else []),
    ]
    return Part(
        scope.name("landings"),
        scope.section,
        f"Days on which the fixes of {scope.title} landed, with the label at the latest cutoff",
        f"n = {len(points)} of {len(found)} samples",
        landing_table(found, scope.notes),
        draw=partial(drawing.landings, points, titles, days) if points else None,
        long=True,
    )


def _strata(scope: Scope) -> Iterator[Part]:
    best = scope.matrix.best(_BEST)
    samples = best.samples
    for kind, names, titles in (
        ("difficulty", samples.difficulty, scope.levels),
        ("repository", samples.repository, {}),
    ):
        order = list(samples.levels) if kind == "difficulty" else sorted(set(samples.repository))
        found = compare_strata(best.panel, names, order)
        yield Part(
            scope.name(f"by-{kind}"),
            scope.section,
            f"The {len(best.submissions)} best submissions to {scope.title} together, by {kind}",
            f"n = {len(best.submissions)} submissions, {scope.samples} samples; intervals are by sample",
            strata_table(found, titles, scope.notes),
            draw=partial(_draw_strata, found, titles),
        )


def _draw_strata(found: Sequence[Stratum], titles: Mapping[str, str]) -> Figure:
    marks = [
        Mark(titles.get(each.name or "", each.name or "no level"), each.difference, each.difference_interval)
        for each in found
        if not each.too_small
    ]
    return drawing.forest(marks, "Clean minus contaminated, points", scale=100)


def _patterns(scope: Scope) -> Part:
    best = scope.matrix.best(_BEST)
    return Part(
        scope.name("patterns"),
        scope.section,
        f"What samples of {scope.title} have in common that the best submissions all solve or all miss",
        f"n = {len(best.submissions)} submissions, {scope.samples} samples",
        pattern_table(study_patterns(scope.database, best), scope.notes),
    )


def _pairs(scope: Scope) -> Part:
    best = scope.matrix.best(_COMPARED)
    titles = [entry.title for entry in best.submissions]
    pairs = compare_all(best.resolved)
    return Part(
        scope.name("pairs"),
        scope.section,
        f"The best submissions to {scope.title} on the same samples, two by two",
        f"n = {len(pairs)} pairs, {scope.samples} samples",
        pair_table(pairs, titles, scope.notes),
    )


def _labels(scope: Scope) -> Part:
    (row,) = scope.database.rows("SELECT max(cutoff) AS cutoff FROM model")
    cutoff = row["cutoff"] or date.max
    table = labels_table(scope.database, scope.benchmark, cutoff, scope.detector)
    return Part(
        scope.name("labels"),
        scope.section,
        f"Labels of {scope.title} at {cutoff} and what they rest on",
        f"n = {len(table.rows)} samples",
        table,
        long=True,
    )
