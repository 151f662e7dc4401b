"""Places in a ranking, with the places that other samples and other choices would give."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from dashboard import legend, words
from dashboard.charts import frame
from dashboard.theme import Palette
from engine.reading import printable

_ROW_HEIGHT = 38
_FRAME_HEIGHT = 70
_LABEL_WIDTH = 24
_LABEL_LINES = 2


@dataclass(frozen=True, slots=True)
class Placed:
    """One submission.

    Attributes:
        title: Its name, as it was given.
        rank: Its place.
        drawn: Lowest and highest place of its interval over samples drawn anew.
        chosen: Best and worst place over all choices.
        hover: Lines shown on hovering, already made inert by `words.hover`.
    """

    title: str
    rank: int
    drawn: tuple[int, int]
    chosen: tuple[int, int]
    hover: str


def ranks(placed: Sequence[Placed], colours: Palette) -> go.Figure:
    """Return one line for each submission, the best above."""
    chart = frame.canvas(
        colours,
        height=_FRAME_HEIGHT + _ROW_HEIGHT * len(placed),
        x={"title": {"text": "Place on clean samples"}, "rangemode": "tozero", "range": _range(placed)},
        y={
            "tickmode": "array",
            "tickvals": list(range(len(placed))),
            "ticktext": [_label(one) for one in placed],
            "range": [len(placed) - 0.5, -0.5],
            "showgrid": False,
        },
    )
    _spans(chart, [one.chosen for one in placed], {"color": colours.before, "width": 2})
    _spans(chart, [one.drawn for one in placed], {"color": colours.clean, "width": 7}, opacity=0.45)
    chart.add_scatter(
        x=[one.rank for one in placed],
        y=list(range(len(placed))),
        mode="markers",
        marker={"color": colours.clean, "size": 9},
        customdata=[one.hover for one in placed],
        hovertemplate="%{customdata}<extra></extra>",
    )
    return chart


def entries(colours: Palette) -> tuple[legend.Entry, ...]:
    """Return what the marks mean."""
    return (
        legend.Entry("filled", colours.clean, "place in the ranking shown"),
        legend.Entry("bar", colours.clean, "95% interval: other samples"),
        legend.Entry("line", colours.before, "from best to worst: every other choice"),
    )


def _spans(
    chart: go.Figure, spans: Sequence[tuple[int, int]], line: dict[str, object], opacity: float = 1.0
) -> None:
    ends: list[tuple[int | None, int | None]] = []
    for place, (low, high) in enumerate(spans):
        ends += [(low, place), (high, place), (None, None)]
    chart.add_scatter(
        x=[x for x, _ in ends],
        y=[y for _, y in ends],
        mode="lines",
        line=line,
        opacity=opacity,
        hoverinfo="skip",
    )


def _range(placed: Sequence[Placed]) -> list[float]:
    return [0.5, max((max(one.drawn[1], one.chosen[1]) for one in placed), default=1) + 0.5]


def _label(one: Placed) -> str:
    lines = textwrap.wrap(printable(one.title), _LABEL_WIDTH, max_lines=_LABEL_LINES, placeholder=" …")
    return "<br>".join(words.hover(line) for line in lines)
