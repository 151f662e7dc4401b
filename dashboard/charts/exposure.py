"""The share of contaminated samples at each training cutoff, for one detector beside the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from dashboard import legend, words
from dashboard.charts import frame
from dashboard.theme import Palette
from engine.leaderboard.exposures import ExposureShare

_HEIGHT = 260


def shares(
    chosen: Sequence[ExposureShare], others: Mapping[str, Sequence[ExposureShare]], colours: Palette
) -> go.Figure:
    """Return the chosen detector as a line within its interval, the others (by title) as dashed lines."""
    chart = frame.canvas(
        colours,
        height=_HEIGHT,
        x={"type": "date", "title": {"text": "Training cutoff"}},
        y={"range": [0, 102], "title": {"text": "Contaminated, %"}},
    )
    bounds = [(share.cutoff, share.contaminated.wilson()) for share in chosen]
    known = [(day, interval) for day, interval in bounds if interval is not None]
    chart.add_scatter(
        x=[day for day, _ in known] + [day for day, _ in reversed(known)],
        y=[100 * interval.high for _, interval in known]
        + [100 * interval.low for _, interval in reversed(known)],
        fill="toself",
        fillcolor=colours.contaminated,
        opacity=0.18,
        line={"width": 0},
        hoverinfo="skip",
        mode="lines",
    )
    for title, found in others.items():
        _line(chart, title, found, {"color": colours.unknown, "dash": "dash", "width": 2}, markers=False)
    _line(chart, "", chosen, {"color": colours.contaminated, "width": 2}, markers=True)
    return chart


def entries(others: Sequence[str], colours: Palette) -> tuple[legend.Entry, ...]:
    """Return what the lines mean."""
    return (
        legend.Entry("line", colours.contaminated, "chosen detector, in its 95% interval"),
        *(legend.Entry("dashed", colours.unknown, title) for title in others),
    )


def _line(
    chart: go.Figure, title: str, found: Sequence[ExposureShare], line: dict[str, object], *, markers: bool
) -> None:
    chart.add_scatter(
        x=[share.cutoff for share in found],
        y=[None if share.contaminated.rate is None else 100 * share.contaminated.rate for share in found],
        mode="lines+markers" if markers else "lines",
        line=line,
        marker={"size": 6},
        customdata=[
            f"{words.hover(title)}{'<br>' if title else ''}cutoff {share.cutoff}<br>"
            f"{share.contaminated.k} of {share.contaminated.n} contaminated, {share.unknown} unknown"
            for share in found
        ],
        hovertemplate="%{customdata}<extra></extra>",
    )
