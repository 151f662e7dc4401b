"""The findings by the effect of contamination within samples, where difficulty cannot make a difference."""

from __future__ import annotations

from collections.abc import Sequence

from engine.export.printed import with_interval
from engine.leaderboard.contamination import cutoff_days
from engine.leaderboard.matrix import Matrix
from engine.report.reading import Answer, Reading, by_sign
from engine.report.view import View
from engine.statistics.contrast import contrast
from engine.statistics.effects.contamination import ContaminationEffect
from engine.statistics.effects.modifier import effect_modifier

_DAYS_IN_YEAR = 365.25
_PER_RATE = 10
"""Points of the rate before that the interaction of Finding 5 is given for."""

ABOUT_SAMPLES = Reading("", Answer.NOT_ASKED, "it is about samples, not about what contamination adds")


def premise(view: View) -> Reading:
    """Is a sample resolved more often once it is contaminated?"""
    found = view.within(view.every)
    if found.effect is None or found.points is None:
        return _too_little(found)
    points = with_interval(found.points.estimate, found.points.interval, scale=100)
    figure = f"{points} points, {found.varying} samples whose label and outcome both vary"
    return by_sign(figure, found.effect.interval, claimed=1, what="the effect")


def by_difficulty(view: View, hard: str, easy: str) -> Reading:
    """Is the effect larger on hard samples (Finding 1)?"""
    return _against(
        view.within_level(hard),
        view.within_level(easy),
        f"{view.titles[hard]} minus {view.titles[easy]}",
    )


def by_benchmark(view: View) -> Reading:
    """Is the effect larger on the second benchmark (Finding 2)?"""
    return _against(view.within(view.java), view.within(view.every), "Java minus Python")


def by_release(view: View) -> Reading:
    """Does the effect shrink with newer models (Finding 4)?"""
    dated = [row for row, entry in enumerate(view.every.submissions) if entry.released is not None]
    matrix = view.every.take(dated)
    released = [entry.released for entry in matrix.submissions if entry.released is not None]
    years = [day.toordinal() / _DAYS_IN_YEAR for day in released]
    return _modified(matrix, years, "a year of release")


def by_rate(view: View) -> Reading:
    """Does the effect shrink with better submissions (Finding 5)?"""
    rates = view.every.resolved.mean(axis=1) * 100 / _PER_RATE
    return _modified(view.every, rates.tolist(), f"{_PER_RATE} points of the rate before")


def _modified(matrix: Matrix, modifier: Sequence[float], unit: str) -> Reading:
    found = effect_modifier(matrix.panel, modifier, submission_clusters=cutoff_days(matrix))
    if found is None:
        return Reading("", Answer.OPEN, "too few samples or cutoffs change their label")
    figure = f"{with_interval(found.estimate, found.interval, 2)} logits for {unit}"
    return by_sign(figure, found.interval, claimed=-1, what="the change of the effect")


def _against(first: ContaminationEffect, second: ContaminationEffect, named: str) -> Reading:
    if first.effect is None or second.effect is None:
        return _too_little(first if first.effect is None else second)
    one, other = first.effect, second.effect
    difference = contrast(one.estimate, one.interval, other.estimate, other.interval)
    figure = f"{named}: {with_interval(difference.estimate, difference.interval, 2)} logits"
    return by_sign(figure, difference.interval, claimed=1, what="the difference of the effects")


def _too_little(found: ContaminationEffect) -> Reading:
    return Reading("", Answer.OPEN, f"samples whose label changes: {found.varying}, too few")
