"""Figures for print: their own legend, one look, and no text from a file that could be read as markup."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import plotly.graph_objects as go

from engine.statistics.proportions import Interval

TEXT, MUTED, LINE = "#1d2530", "#566270", "#d9dee4"
BEFORE, CLEAN, CONTAMINATED, UNKNOWN = "#75808d", "#0b5cad", "#a84a05", "#75808d"
"""Colours of the dashboard's light theme, by what they mean; a test holds the two together."""

WIDTH = 900
_ROW, _FRAME, _LONGEST = 24, 120, 60
_MARGIN = 0.05
_LABEL_LOOK = {
    "contaminated": (CONTAMINATED, "circle"),
    "clean": (CLEAN, "circle-open"),
    "unknown": (UNKNOWN, "x-thin-open"),
}


@dataclass(frozen=True, slots=True)
class Mark:
    """One row of a figure: an estimate with its interval, and what it is set against.

    Attributes:
        name: Whatever a file says.
        value: The estimate, None where there is none.
        interval: Of the estimate.
        before: A second value to join it with, None for none.
    """

    name: str
    value: float | None
    interval: Interval | None = None
    before: float | None = None


def plain(text: object) -> str:
    """Return `text` so that Plotly, which reads a subset of HTML, shows it as typed; long names are cut."""
    line = "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in str(text)
    )
    return html.escape(line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…")


def canvas(*, height: int, x: dict[str, Any], y: dict[str, Any]) -> go.Figure:
    """Return an empty figure; `x` and `y` add to its axes."""
    axis = {
        "gridcolor": LINE,
        "linecolor": LINE,
        "zeroline": False,
        "automargin": True,
        "tickfont": {"color": MUTED, "size": 12},
    }
    layout = {
        "width": WIDTH,
        "height": height,
        "paper_bgcolor": "#ffffff",
        "plot_bgcolor": "#ffffff",
        "font": {"color": TEXT, "size": 13, "family": "sans-serif"},
        "margin": {"l": 8, "r": 16, "t": 40, "b": 8},
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "font": {"size": 12}},
        "xaxis": axis | x,
        "yaxis": axis | y,
    }
    return go.Figure(layout=layout)


def shares_over_days(lines: Sequence[tuple[str, Sequence[tuple[date, float, Interval]]]]) -> go.Figure:
    """Return shares in percent over days, a line in its interval for each name."""
    figure = canvas(
        height=380,
        x={"type": "date", "title": {"text": "Training cutoff"}},
        y={"range": [0, 102], "title": {"text": "Contaminated, %"}},
    )
    for place, (name, points) in enumerate(lines):
        colour = (CONTAMINATED, UNKNOWN, CLEAN)[place % 3]
        days = [day for day, _, _ in points]
        figure.add_scatter(
            x=days + days[::-1],
            y=[100 * bounds.high for _, _, bounds in points]
            + [100 * bounds.low for _, _, bounds in points][::-1],
            fill="toself",
            fillcolor=colour,
            opacity=0.15,
            line={"width": 0},
            hoverinfo="skip",
            showlegend=False,
        )
        look = {"color": colour, "width": 2, "dash": ("solid", "dash", "dot")[place % 3]}
        values = [100 * share for _, share, _ in points]
        figure.add_scatter(x=days, y=values, mode="lines", line=look, name=plain(name))
    return figure


def dumbbells(marks: Sequence[Mark]) -> go.Figure:
    """Return one row for each submission: all samples and clean samples, in percent, joined by a line."""
    figure = _rows(marks, {"range": [0, 102], "title": {"text": "Resolved, %"}})
    known = [(place, mark) for place, mark in enumerate(marks) if mark.value is not None]
    _segments(figure, [(place, mark.before, mark.value) for place, mark in known], CLEAN, 2.5)
    ends = [(place, mark.interval) for place, mark in known if mark.interval is not None]
    spans = [(place, bounds.low, bounds.high) for place, bounds in ends]
    _segments(figure, spans, MUTED, 1, "95% interval")
    hollow = {"color": "#ffffff", "size": 10, "line": {"color": BEFORE, "width": 2}}
    _points(figure, [(place, mark.before) for place, mark in enumerate(marks)], hollow, "before: all samples")
    filled = {"color": CLEAN, "size": 8}
    _points(figure, [(place, mark.value) for place, mark in known], filled, "after: clean samples only")
    return figure


def forest(marks: Sequence[Mark], title: str, *, scale: float = 1.0) -> go.Figure:
    """Return one row for each estimate with its interval, around 0; `title` names the axis."""
    known = [(place, mark) for place, mark in enumerate(marks) if mark.value is not None]
    spans = [
        (place, mark.interval.low, mark.interval.high) for place, mark in known if mark.interval is not None
    ]
    ends = [scale * end for _, low, high in spans for end in (low, high)]
    reach = [*ends, *(scale * mark.value for _, mark in known if mark.value is not None), 0.0]
    margin = _MARGIN * (max(reach) - min(reach) or 1.0)
    figure = _rows(marks, {"title": {"text": title}, "range": [min(reach) - margin, max(reach) + margin]})
    figure.add_vline(x=0, line={"color": MUTED, "width": 1, "dash": "dot"})
    _segments(figure, spans, CLEAN, 2, "95% interval", scale)
    marker = {"color": CLEAN, "size": 8}
    _points(figure, [(place, mark.value) for place, mark in known], marker, "estimate", scale)
    return figure


def landings(
    found: Sequence[tuple[date, int, str]], levels: Sequence[str], cutoffs: Sequence[date]
) -> go.Figure:
    """Return samples on the axis of the day of their fix.

    Args:
        found: Day, place of the level, and label of each sample.
        levels: Titles of the levels.
        cutoffs: Days to mark.
    """
    figure = canvas(
        height=_FRAME + 56 * len(levels),
        x={"type": "date", "title": {"text": "Day on which the fix landed (UTC)"}},
        y={
            "tickvals": list(range(len(levels))),
            "ticktext": [plain(level) for level in levels],
            "range": [len(levels) - 0.5, -0.5],
            "showgrid": False,
        },
    )
    days = [moment for cutoff in cutoffs for moment in (cutoff, cutoff, None)]
    heights = [height for _ in cutoffs for height in (-0.5, len(levels) - 0.5, None)]
    figure.add_scatter(
        x=days,
        y=heights,
        mode="lines",
        line={"color": MUTED, "width": 1},
        opacity=0.5,
        name="cutoffs of models",
    )
    for label, (colour, symbol) in _LABEL_LOOK.items():
        shown = [(day, level) for day, level, other in found if other == label]
        figure.add_scatter(
            x=[day for day, _ in shown],
            # Spread over the height of the row, the same way every time.
            y=[level + 0.62 * ((place * 0.618034) % 1 - 0.5) for place, (_, level) in enumerate(shown)],
            mode="markers",
            marker={"symbol": symbol, "size": 6, "color": colour, "line": {"width": 1.5}},
            name=label,
        )
    return figure


def _rows(marks: Sequence[Mark], x: dict[str, Any]) -> go.Figure:
    return canvas(
        height=_FRAME + _ROW * max(1, len(marks)),
        x=x,
        y={
            "tickvals": list(range(len(marks))),
            "ticktext": [plain(mark.name) for mark in marks],
            "range": [len(marks) - 0.5, -0.5],
            "showgrid": False,
        },
    )


def _segments(
    figure: go.Figure,
    spans: Sequence[tuple[int, float | None, float | None]],
    colour: str,
    width: float,
    name: str | None = None,
    scale: float = 100.0,
) -> None:
    figure.add_scatter(
        x=[None if end is None else scale * end for _, low, high in spans for end in (low, high, None)],
        y=[height for place, _, _ in spans for height in (place, place, None)],
        mode="lines",
        line={"color": colour, "width": width},
        hoverinfo="skip",
        name=name,
        showlegend=name is not None,
    )


def _points(
    figure: go.Figure,
    points: Sequence[tuple[int, float | None]],
    marker: dict[str, Any],
    name: str,
    scale: float = 100.0,
) -> None:
    figure.add_scatter(
        x=[None if value is None else scale * value for _, value in points],
        y=[place for place, _ in points],
        mode="markers",
        marker=marker,
        name=name,
    )
