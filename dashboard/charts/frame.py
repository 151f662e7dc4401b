"""What every chart has: the shared look, a sentence for readers who do not see it, a caption and its data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from dashboard import downloads, legend, theme, words
from dashboard.filters import Scope
from dashboard.table import Cell, Column, Dumbbell, Row, evidence_table
from dashboard.theme import Palette
from engine.export.table import Table
from engine.export.writers import printed
from engine.reading import printable
from engine.store.connection import Snapshot

_CONFIG = {
    "scrollZoom": False,
    "displaylogo": False,
    # One button, on hovering: the chart as a picture that can be scaled.
    "modeBarButtons": [["toImage"]],
}
_HASH_SHOWN = 12


def canvas(colours: Palette, *, height: int, x: dict[str, Any], y: dict[str, Any]) -> go.Figure:
    """Return an empty chart in the shared look; `x` and `y` add to its axes."""
    layout = theme.figure_layout(colours)
    layout["xaxis"] = layout["xaxis"] | x
    layout["yaxis"] = layout["yaxis"] | y
    return go.Figure(layout=layout | {"height": height, "hovermode": "closest"})


def show(
    key: str,
    chart: go.Figure,
    *,
    told: str,
    caption: str,
    table: Callable[[], Table],
    entries: Sequence[legend.Entry] = (),
) -> None:
    """Show a chart with its legend, caption, data and downloads.

    Args:
        key: Names it among those of the page, and its files.
        chart: The figure.
        told: What it shows, for readers who do not see it.
        caption: From `caption`.
        table: Makes the table of the figures that it draws, when a reader opens it.
        entries: What its shapes and colours mean.
    """
    if entries:
        legend.show(*entries)
    st.plotly_chart(chart, theme=None, key=key, config=_config(key), alt=printable(told))
    say(caption)
    # What is closed costs nothing: a page has several charts and redraws at every change of a filter.
    behind = st.expander("The data behind this chart", key=f"{key}-behind", on_change="rerun")
    if behind.open:
        with behind:
            show_table(f"{key}-data", told, table())
            downloads.offer(key, table)
            downloads.offer_figure(key, chart, told)


def _config(key: str) -> dict[str, Any]:
    return _CONFIG | {"toImageButtonOptions": {"format": "svg", "filename": key}}


def say(caption: str) -> None:
    """Show a caption; Streamlit's own is too pale to read."""
    st.markdown(f":small[{caption}]")


def show_table(key: str, told: str, table: Table) -> None:
    """Show a table of an export as it would be printed."""
    columns = [
        Column(
            column.name,
            column.heading,
            align="start" if column.kind == "text" else "end",
            heading=position == 0,
            whole=column.kind != "text",
        )
        for position, column in enumerate(table.columns)
    ]
    rows = []
    for position, values in enumerate(table.rows):
        cells: dict[str, Cell | Dumbbell] = {
            column.name: Cell(printed(column, value))
            for column, value in zip(table.columns, values, strict=True)
        }
        rows.append(Row(str(position), cells))
    evidence_table(key, told, columns, rows)


def caption(counted: str, scope: Scope, database: Snapshot) -> str:
    """Return the caption of a chart as Markdown: what was counted, and how its labels were made.

    Args:
        counted: Such as `n = 123 submissions, 500 samples`.
        scope: Benchmark, detector and threshold.
        database: What it was read from.
    """
    return " · ".join(
        [
            words.markdown(counted),
            words.markdown(scope.benchmark.title),
            f"detector {words.markdown(scope.detector.title)}, threshold {scope.threshold:g}",
            f"data {data_hash(database)}",
        ]
    )


def data_hash(database: Snapshot) -> str:
    """Return the beginning of the digest of the facts, as Markdown."""
    return f"`{database.meta.data_sha256[:_HASH_SHOWN]}`"
