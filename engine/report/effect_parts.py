"""The parts of a report on whether it is contamination or difficulty, and on what a ranking survives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product

from plotly.graph_objects import Figure

from engine.export.contamination import estimate_table, identification_table, placebo_table, profile_table
from engine.export.fragility import standing_table
from engine.leaderboard.contamination import (
    Variant,
    effect_variants,
    identification,
    label_changes,
    with_cutoff,
)
from engine.leaderboard.contamination_checks import Match, matches, placebos, profiles
from engine.leaderboard.covariates import read_covariates
from engine.leaderboard.fragility import Standing, standing
from engine.leaderboard.scenarios import THRESHOLDS, scenarios
from engine.report import drawing
from engine.report.drawing import Mark
from engine.report.part import Part
from engine.report.scope import Scope
from engine.statistics.effects.contamination import Placebo
from engine.statistics.proportions import Interval

RANKED = 20
"""Submissions whose ranks are held against every other way to make the ranking."""

FEWEST_SUBMISSIONS = 10
"""With fewer, samples are hardly compared with themselves."""


def effect_parts(scope: Scope) -> Iterator[Part]:
    """Yield estimates within samples and among samples alike, and what speaks for or against them."""
    known = with_cutoff(scope.matrix)
    if len(known.submissions) < FEWEST_SUBMISSIONS:
        return
    covariates = read_covariates(scope.database, known)
    changes = label_changes(scope.database, known, covariates)
    variants, alike = effect_variants(known, covariates, changes), matches(known, covariates)
    counted = f"n = {len(known.submissions)} submissions with a known cutoff, {scope.samples} samples"
    yield Part(
        scope.name("effect"),
        scope.section,
        f"Contaminated minus clean on {scope.title}, from plain comparison to each sample with itself",
        counted,
        estimate_table(variants, alike, scope.notes),
        draw=partial(_draw_estimates, variants, alike),
    )
    yield Part(
        scope.name("effect-basis"),
        scope.section,
        f"What a comparison within samples of {scope.title} can rest on",
        counted,
        identification_table(identification(scope.matrix, known, changes), scope.notes),
    )
    yield Part(
        scope.name("effect-profiles"),
        scope.section,
        f"The chance of a fix of {scope.title} around its landing and its vanishing",
        counted,
        profile_table(profiles(known, covariates), scope.notes),
    )
    wrong = placebos(scope.database, known)
    yield Part(
        scope.name("effect-placebo"),
        scope.section,
        f"Effects of labels of {scope.title} at cutoffs that are not the submissions' own",
        counted,
        placebo_table(wrong, scope.notes),
        draw=partial(_draw_placebos, wrong),
    )


def rank_part(scope: Scope) -> Part | None:
    """Return what a ranking on clean samples survives, None where there is nothing to rank."""
    matrix = scope.matrix
    known = [row for row, entry in enumerate(matrix.submissions) if entry.cutoff is not None]
    known.sort(key=lambda row: (-int(matrix.resolved[row].sum()), matrix.submissions[row].submission))
    if len(known) < 2:
        return None
    judged = scope.database.rows("SELECT DISTINCT detector FROM presence ORDER BY detector")
    own = (scope.detector, scope.threshold)
    grid = [way for way in product((row["detector"] for row in judged), THRESHOLDS) if way != own]
    found = standing(matrix, scenarios(scope.database, matrix, [own, *grid]), known[:RANKED])
    if len(found.matrix.submissions) < 2:
        return None
    return Part(
        scope.name("ranks"),
        scope.section,
        f"Places on clean samples of {scope.title}, and what other choices make of them",
        f"n = {len(found.matrix.submissions)} submissions, {scope.samples} samples, "
        f"{len(found.scenarios)} ways to rank",
        standing_table(found, scope.notes),
        draw=partial(_draw_ranks, found),
    )


def _draw_ranks(found: Standing) -> Figure:
    marks = []
    for place, entry in enumerate(found.matrix.submissions):
        rank = found.ranks.at(place)
        if rank is not None:
            marks.append(Mark(entry.title, float(rank.rank), Interval(float(rank.low), float(rank.high))))
    return drawing.forest(marks, "Place on clean samples")


def _draw_estimates(variants: Sequence[Variant], alike: Sequence[Match]) -> Figure:
    marks = []
    for match in alike:
        gap, bounds = match.found.difference, match.found.interval
        turned = None if bounds is None else Interval(-bounds.high, -bounds.low)
        marks.append(Mark(match.title, None if gap is None else -gap, turned))
    for variant in variants:
        points = variant.effect.points
        bounds = None if points is None else points.interval
        marks.append(Mark(variant.title, None if points is None else points.estimate, bounds))
    return drawing.forest(marks, "Contaminated minus clean, points", scale=100)


def _draw_placebos(found: Sequence[Placebo]) -> Figure:
    marks = [
        Mark(f"{each.shift:+d} days, {each.among} cells", each.effect.estimate, each.effect.interval)
        for each in found
        if each.effect is not None
    ]
    return drawing.forest(marks, "Effect, logits")
