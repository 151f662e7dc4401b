"""A score before and after for each of many things in a row, each pair joined by a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import plotly.graph_objects as go

from dashboard import legend
from dashboard.theme import Palette
from engine.statistics.proportions import Interval

HIGHEST = 100.0


@dataclass(frozen=True, slots=True)
class Pair:
    """A score before and after, as shares.

    Attributes:
        x: Where it stands.
        before: Share before.
        after: Share after, None where it is not known.
        interval: Of the share after.
        hover: Lines shown on hovering, already made inert by `words.hover`.
    """

    x: date | float
    before: float
    after: float | None
    interval: Interval | None
    hover: str


def add_pairs(chart: go.Figure, pairs: Sequence[Pair], colours: Palette) -> None:
    """Draw pairs: hollow before, filled after, the interval of the second as a thin line."""
    known = [pair for pair in pairs if pair.after is not None]
    joints: list[tuple[date | float | None, float | None]] = []
    whiskers: list[tuple[date | float | None, float | None]] = []
    for pair in known:
        joints += [(pair.x, _percent(pair.before)), (pair.x, _percent(pair.after)), (None, None)]
        if pair.interval is not None:
            ends = pair.interval.low, pair.interval.high
            whiskers += [*((pair.x, _percent(end)) for end in ends), (None, None)]
    for line, colour, width in ((whiskers, colours.line, 1.5), (joints, colours.clean, 2.5)):
        chart.add_scatter(
            x=[x for x, _ in line],
            y=[y for _, y in line],
            mode="lines",
            line={"color": colour, "width": width},
            hoverinfo="skip",
        )
    hollow = {"color": colours.background, "size": 10, "line": {"color": colours.before, "width": 2}}
    for shown, values, marker in (
        (pairs, [_percent(pair.before) for pair in pairs], hollow),
        (known, [_percent(pair.after) for pair in known], {"color": colours.clean, "size": 8}),
    ):
        chart.add_scatter(
            x=[pair.x for pair in shown],
            y=values,
            mode="markers",
            marker=marker,
            customdata=[pair.hover for pair in shown],
            hovertemplate="%{customdata}<extra></extra>",
        )


def entries(colours: Palette) -> tuple[legend.Entry, ...]:
    """Return what the shapes mean."""
    return (
        legend.Entry("hollow", colours.before, "before: all samples"),
        legend.Entry("filled", colours.clean, "after: clean samples only"),
        legend.Entry("line", colours.line, "thin line: 95% interval of the second"),
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
