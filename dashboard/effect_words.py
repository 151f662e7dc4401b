"""How effects are written for a reader: logits, points and what an interval says."""

from __future__ import annotations

from dashboard import words
from engine.statistics.effects.contamination import FEWEST_CLUSTERS, ContaminationEffect, Effect
from engine.statistics.proportions import Interval

TOO_FEW = f"rests on fewer than {FEWEST_CLUSTERS:g} independent samples or cutoffs"


def signed(value: float) -> str:
    """Return a number with its sign and two decimals, `−0.13`."""
    return f"{value:+.2f}".replace("-", words.MINUS)


def signed_interval(bounds: Interval) -> str:
    """Return an interval of such numbers."""
    return f"[{signed(bounds.low)} to {signed(bounds.high)}]"


def plain(value: float) -> str:
    """Return a number above 0 with two decimals; a huge one in powers of ten."""
    return f"{value:.2f}" if value < 1000 else f"{value:.0e}"


def hover(effect: Effect) -> str:
    """Return an effect in logits with all that belongs to it."""
    return (
        f"{signed(effect.estimate)} logits {signed_interval(effect.interval)}, "
        f"{words.p_value(effect.p_value)}, {effect.clusters:.0f} effective clusters"
    )


def reading(found: ContaminationEffect) -> str:
    """Return what the main estimate says, as Markdown."""
    points, effect = found.points, found.effect
    if points is None or effect is None:
        return (
            "Compared with itself a sample says **nothing** here: the label changes for "
            f"{words.count(found.varying, 'sample')} with different outcomes, and the estimate {TOO_FEW}."
        )
    said = (
        f"Compared with itself, being contaminated changes how often a sample is resolved by "
        f"**{words.signed_points(points.estimate)} points** {words.points_interval(points.interval)} "
        f"(odds ratio {plain(effect.odds_ratio)}, {words.p_value(effect.p_value)}): "
    )
    if effect.interval.low > 0:
        return said + "**contamination helps, beyond chance**, as far as this comparison goes."
    if effect.interval.high < 0:
        return said + "**contaminated samples are resolved less often, beyond chance**: no help is seen."
    return said + "**this shows neither that contamination helps nor that it does not**."
