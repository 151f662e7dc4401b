"""Estimates of one quantity under one another, each in its interval."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from dashboard import legend, words
from dashboard.charts import frame
from dashboard.theme import Palette
from engine.statistics.effects.contamination import Points

_ROW_HEIGHT = 42
_FRAME_HEIGHT = 70
_LABEL_WIDTH = 22


@dataclass(frozen=True, slots=True)
class Line:
    """One estimate.

    Attributes:
        title: Its name.
        points: Estimate and interval as fractions, None where there is none.
        within: Whether samples are compared with themselves rather than with others.
        hover: Shown on hovering, already made inert by `words.hover`.
    """

    title: str
    points: Points | None
    within: bool
    hover: str


def forest(lines: Sequence[Line], colours: Palette) -> go.Figure:
    """Return the estimates from the top, with a line at no difference."""
    chart = frame.canvas(
        colours,
        height=_FRAME_HEIGHT + _ROW_HEIGHT * len(lines),
        x={
            "title": {"text": "Difference, points"},
            "zeroline": True,
            "zerolinecolor": colours.muted,
        },
        y={
            "tickmode": "array",
            "tickvals": list(range(len(lines))),
            "ticktext": [_wrapped(line.title) for line in lines],
            "range": [len(lines) - 0.5, -0.5],
            "showgrid": False,
        },
    )
    for within in (False, True):
        known = [
            (place, line, line.points)
            for place, line in enumerate(lines)
            if line.within is within and line.points is not None
        ]
        colour = colours.contaminated if within else colours.before
        chart.add_scatter(
            x=[100 * points.estimate for _, _, points in known],
            y=[place for place, _, _ in known],
            mode="markers",
            marker={
                "color": colour if within else colours.background,
                "size": 10,
                "line": {"color": colour, "width": 2},
            },
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [100 * (points.interval.high - points.estimate) for _, _, points in known],
                "arrayminus": [100 * (points.estimate - points.interval.low) for _, _, points in known],
                "color": colour,
                "thickness": 2,
                "width": 0,
            },
            customdata=[line.hover for _, line, _ in known],
            hovertemplate="%{customdata}<extra></extra>",
        )
    return chart


def entries(colours: Palette) -> tuple[legend.Entry, ...]:
    """Return what the marks mean."""
    return (
        legend.Entry("hollow", colours.before, "clean samples against other, contaminated samples"),
        legend.Entry("filled", colours.contaminated, "each sample against itself"),
        legend.Entry("line", colours.muted, "95% interval"),
    )


def _wrapped(title: str) -> str:
    return "<br>".join(words.hover(part) for part in textwrap.wrap(title, _LABEL_WIDTH))
