"""Samples on the axis of the days on which their fixes landed, with training cutoffs as lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from dashboard import legend, words
from dashboard.charts import frame
from dashboard.records import CutoffChoice, Landing
from dashboard.theme import Palette, Tone, tone_colour

_ROW_HEIGHT = 56
_FRAME_HEIGHT = 110
_NO_LEVEL = "no level"
_SYMBOLS: dict[Tone, str] = {"contaminated": "circle", "clean": "circle-open", "unknown": "x-thin-open"}


def landings(
    found: Sequence[Landing],
    cutoffs: Sequence[CutoffChoice],
    level_titles: Mapping[str, str],
    colours: Palette,
) -> go.Figure:
    """Return one row for each level of difficulty, easiest above, and a mark for each sample."""
    titles = [*level_titles.values()]
    if any(landing.difficulty not in level_titles for landing in found):
        titles.append(_NO_LEVEL)
    chart = frame.canvas(
        colours,
        height=_FRAME_HEIGHT + _ROW_HEIGHT * len(titles),
        x={"type": "date", "title": {"text": "Day on which the fix landed (UTC)"}},
        y={
            "tickmode": "array",
            "tickvals": list(range(len(titles))),
            "ticktext": [words.hover(title) for title in titles],
            "range": [len(titles) - 0.5, -0.5],
            "showgrid": False,
        },
    )
    _add_cutoffs(chart, cutoffs, len(titles), colours)
    place = {title: position for position, title in enumerate(titles)}
    for tone, symbol in _SYMBOLS.items():
        shown = [landing for landing in found if landing.label == tone]
        chart.add_scatter(
            x=[landing.landed_on for landing in shown],
            y=[
                place[level_titles.get(landing.difficulty or "", _NO_LEVEL)] + _apart(position)
                for position, landing in enumerate(shown)
            ],
            mode="markers",
            marker={
                "symbol": symbol,
                "size": 7,
                "color": tone_colour(tone, colours),
                "line": {"width": 1.5},
            },
            customdata=[
                f"{words.hover(landing.sample)}<br>landed {landing.landed_on}<br>{words.LABEL_TITLES[tone]}"
                for landing in shown
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    return chart


def entries(colours: Palette) -> tuple[legend.Entry, ...]:
    """Return what the marks mean."""
    return (
        legend.Entry("filled", colours.contaminated, "still in the code at the latest cutoff"),
        legend.Entry("hollow", colours.clean, "gone by then, or not landed yet"),
        legend.Entry("dotted", colours.unknown, "unknown"),
        legend.Entry("tick", colours.muted, "training cutoffs of models"),
    )


def _add_cutoffs(chart: go.Figure, cutoffs: Sequence[CutoffChoice], rows: int, colours: Palette) -> None:
    lines: list[tuple[object, float | None]] = []
    for choice in cutoffs:
        lines += [(choice.cutoff, -0.5), (choice.cutoff, rows - 0.5), (None, None)]
    chart.add_scatter(
        x=[x for x, _ in lines],
        y=[y for _, y in lines],
        mode="lines",
        line={"color": colours.muted, "width": 1},
        opacity=0.55,
        hoverinfo="skip",
    )


def _apart(position: int) -> float:
    """Spread marks over the height of their row, the same way every time."""
    return 0.62 * ((position * 0.618034) % 1 - 0.5)
