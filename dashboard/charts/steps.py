"""Effects in logits over steps in time, each in its interval: event studies and placebos."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from dashboard import effect_words, words
from dashboard.charts import frame
from dashboard.theme import Palette
from engine.statistics.effects.contamination import Effect

_HEIGHT = 340
_MOST = 4.0
_APART = 0.16


@dataclass(frozen=True, slots=True)
class Step:
    """One effect.

    Attributes:
        place: Which step, from 0.
        effect: None where it is a reference, drawn as a point at 0.
        hover: A line in front of the effect, not yet made inert.
    """

    place: int
    effect: Effect | None
    hover: str


@dataclass(frozen=True, slots=True)
class Series:
    """Effects that share a colour.

    Attributes:
        found: The effects.
        colour: Their colour.
        filled: Whether their marks are.
        side: Where they stand beside the middle of the step: −1, 0 or 1.
    """

    found: Sequence[Step]
    colour: str
    filled: bool
    side: int = 0


def steps(titles: Sequence[str], x_title: str, every: Sequence[Series], colours: Palette) -> go.Figure:
    """Return effects over steps, with a line at no effect.

    An interval that reaches beyond four logits leaves the chart.
    """
    chart = frame.canvas(
        colours,
        height=_HEIGHT,
        x={
            "title": {"text": x_title},
            "tickmode": "array",
            "tickvals": list(range(len(titles))),
            "ticktext": [words.hover(title) for title in titles],
            "range": [-0.6, len(titles) - 0.4],
            "showgrid": False,
        },
        y={
            "title": {"text": "Effect, logits"},
            "zeroline": True,
            "zerolinecolor": colours.muted,
            "range": _range(every),
        },
    )
    for series in every:
        _add(chart, series, colours)
    return chart


def _add(chart: go.Figure, series: Series, colours: Palette) -> None:
    effects = [step.effect for step in series.found]
    chart.add_scatter(
        x=[step.place + _APART * series.side for step in series.found],
        y=[0.0 if effect is None else effect.estimate for effect in effects],
        mode="markers",
        marker={
            "color": series.colour if series.filled else colours.background,
            "size": 10,
            "line": {"color": series.colour, "width": 2},
        },
        error_y={
            "type": "data",
            "symmetric": False,
            "array": [0 if effect is None else effect.interval.high - effect.estimate for effect in effects],
            "arrayminus": [
                0 if effect is None else effect.estimate - effect.interval.low for effect in effects
            ],
            "color": series.colour,
            "thickness": 2,
            "width": 0,
        },
        customdata=[
            words.hover(step.hover)
            + ("" if step.effect is None else f"<br>{words.hover(effect_words.hover(step.effect))}")
            for step in series.found
        ],
        hovertemplate="%{customdata}<extra></extra>",
    )


def _range(every: Sequence[Series]) -> list[float]:
    bounds = [step.effect.interval for series in every for step in series.found if step.effect is not None]
    largest = max((max(abs(bound.low), abs(bound.high)) for bound in bounds), default=1.0)
    reach = 1.08 * min(max(largest, 0.5), _MOST)
    return [-reach, reach]
