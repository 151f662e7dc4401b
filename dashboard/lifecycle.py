"""The chart of a sample's life: how surely its fix was in the repository, day by day, against the cutoffs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboard import theme, words
from dashboard.records import CutoffChoice, DetectorChoice, PresenceInterval
from dashboard.theme import Palette
from engine.reading import printable

_PANEL_HEIGHT = 150
_STRIP_HEIGHT = 70
_HEAD_HEIGHT = 70
_MARGIN = 0.03
_YEAR = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class Panel:
    """A detector with the threshold to draw and the intervals it found."""

    detector: DetectorChoice
    threshold: float
    intervals: tuple[PresenceInterval, ...]


@dataclass(frozen=True, slots=True)
class Marks:
    """What is drawn across all panels.

    Attributes:
        landed_on: UTC day on which the fix landed, None where it never did.
        chosen: The cutoff that the page explains.
        cutoffs: Every cutoff in the registry.
    """

    landed_on: date | None
    chosen: date | None
    cutoffs: tuple[CutoffChoice, ...]


def figure(panels: Sequence[Panel], marks: Marks, colours: Palette) -> go.Figure:
    """Return one panel for each detector over a strip with the cutoffs, on one axis of days."""
    heights = [_PANEL_HEIGHT] * len(panels) + [_STRIP_HEIGHT]
    rows = len(heights)
    chart = make_subplots(
        rows=rows,
        cols=1,
        shared_xaxes=True,
        row_heights=heights,
        vertical_spacing=0.09,
        subplot_titles=[words.hover(panel.detector.title) for panel in panels]
        + ["Training cutoffs of models"],
    )
    layout = theme.figure_layout(colours)
    axes = {name: layout.pop(name) for name in ("xaxis", "yaxis")}
    chart.update_layout(**layout, height=sum(heights) + _HEAD_HEIGHT, hovermode="closest")
    chart.update_layout(margin={"l": 8, "r": 8, "t": 36, "b": 8})
    chart.update_xaxes(**axes["xaxis"], type="date")
    chart.update_yaxes(**axes["yaxis"])
    for row, panel in enumerate(panels, start=1):
        _add_panel(chart, row, panel, colours)
    _add_strip(chart, rows, marks, colours)
    _add_lines(chart, rows, marks, colours)
    _align_titles(chart, colours)
    chart.update_xaxes(title_text="Day (UTC)", row=rows, col=1)
    days = _span(panels, marks)
    if days is not None:
        chart.update_xaxes(range=list(days))
    return chart


def in_words(panels: Sequence[Panel], marks: Marks) -> str:
    """Return what the chart shows as a sentence for readers who do not see it."""
    landed = "never landed" if marks.landed_on is None else f"landed on {marks.landed_on}"
    parts = [f"The fix {landed}."]
    for panel in panels:
        spans = "; ".join(
            f"{interval.valid_from} to {interval.valid_to}: {_state(interval, panel.threshold)}"
            for interval in panel.intervals
        )
        parts.append(f"{panel.detector.title}: {spans or 'not judged'}.")
    return printable(" ".join(parts))


def _state(interval: PresenceInterval, threshold: float) -> str:
    if interval.score is None:
        return "unknown"
    return f"{'present' if interval.score >= threshold else 'absent'}, score {interval.score:.2f}"


def _add_panel(chart: go.Figure, row: int, panel: Panel, colours: Palette) -> None:
    place: dict[str, Any] = {"row": row, "col": 1}
    edges = [(interval.valid_from, interval.score) for interval in panel.intervals]
    if panel.intervals:
        last = panel.intervals[-1]
        edges.append((last.valid_to, last.score))
    chart.add_scatter(
        x=[day for day, _ in edges],
        y=[score for _, score in edges],
        mode="lines",
        line={"shape": "hv", "color": colours.line, "width": 2},
        hoverinfo="skip",
        **place,
    )
    for interval in panel.intervals:
        _add_interval(chart, interval, panel.threshold, colours, place)
    chart.add_hline(y=panel.threshold, line={"color": colours.muted, "dash": "dot", "width": 1}, **place)
    chart.update_yaxes(title_text="Presence score", range=[-0.08, 1.12], tickvals=[0, 0.5, 1], **place)
    if not panel.intervals:
        chart.add_annotation(
            text="This detector has not judged this sample",
            x=0.5,
            y=0.5,
            xref="x domain",
            yref="y domain",
            showarrow=False,
            font={"color": colours.muted},
            **place,
        )


def _add_interval(
    chart: go.Figure, interval: PresenceInterval, threshold: float, colours: Palette, place: dict[str, Any]
) -> None:
    known = interval.score is not None
    present = known and interval.score is not None and interval.score >= threshold
    colour = colours.unknown if not known else colours.contaminated if present else colours.clean
    # A point on every end, and one in the middle, so that the whole length can be hovered.
    middle = interval.valid_from + (interval.valid_to - interval.valid_from) / 2
    text = (
        f"{interval.valid_from} to {interval.valid_to}<br>{words.hover(_state(interval, threshold))}"
        f"<br>{words.hover(interval.reason)}"
    )
    chart.add_scatter(
        x=[interval.valid_from, middle, interval.valid_to],
        y=[interval.score if interval.score is not None else 0.0] * 3,
        mode="lines",
        line={"color": colour, "width": 6 if known else 3, "dash": "solid" if known else "dot"},
        customdata=[text] * 3,
        hovertemplate="%{customdata}<extra></extra>",
        **place,
    )


def _add_strip(chart: go.Figure, row: int, marks: Marks, colours: Palette) -> None:
    chart.add_scatter(
        x=[choice.cutoff for choice in marks.cutoffs],
        y=[0] * len(marks.cutoffs),
        mode="markers",
        marker={"symbol": "line-ns", "size": 18, "line": {"color": colours.muted, "width": 2}},
        customdata=[
            f"cutoff {choice.cutoff}<br>" + "<br>".join(words.hover(model) for model in choice.models)
            for choice in marks.cutoffs
        ],
        hovertemplate="%{customdata}<extra></extra>",
        row=row,
        col=1,
    )
    chart.update_yaxes(showticklabels=False, showgrid=False, range=[-1, 1], row=row, col=1)


def _add_lines(chart: go.Figure, rows: int, marks: Marks, colours: Palette) -> None:
    for row in range(1, rows + 1):
        if marks.landed_on is not None:
            line = {"color": colours.text, "width": 1.5}
            chart.add_vline(x=marks.landed_on, line=line, row=row, col=1)
        if marks.chosen is not None:
            line = {"color": colours.link, "width": 2, "dash": "dash"}
            chart.add_vline(x=marks.chosen, line=line, row=row, col=1)


def _align_titles(chart: go.Figure, colours: Palette) -> None:
    chart.update_annotations(selector={"xanchor": "center", "yanchor": "bottom"}, x=0, xanchor="left")
    chart.update_annotations(font={"size": 14, "color": colours.text})


def _span(panels: Sequence[Panel], marks: Marks) -> tuple[date, date] | None:
    """Return the days to show: from a year before anything could matter to the end of the evidence.

    Some histories begin a decade before the fix; drawn in full they would crowd the cutoffs together.
    """
    marked = [choice.cutoff for choice in marks.cutoffs]
    marked += [day for day in (marks.landed_on, marks.chosen) if day is not None]
    evidence = [interval for panel in panels for interval in panel.intervals]
    if not marked and not evidence:
        return None
    first = min(marked or [interval.valid_from for interval in evidence]) - _YEAR
    last = max([*marked, *(interval.valid_to for interval in evidence)])
    return first, last + (last - first) * _MARGIN
