"""The table of evidence: one accessible HTML table for every list of the dashboard.

Streamlit's own table draws on a canvas, reports a selected row by position and keeps the order to itself.
This one shows scores before and after as two points joined by a line, opens a row by its id, and sorts
through the address. The drawing is in `components/table.js`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from dashboard import theme
from dashboard.address import Address, write
from dashboard.links import Target
from dashboard.theme import Tone
from engine.reading import printable

_ASSETS = Path(__file__).parent / "components"
PAGE_SIZE = 25
"""Rows that a phone shows in a few screens, and that a browser redraws at once."""
_AXIS = {"low": 0, "high": 100, "ticks": [0, 25, 50, 75, 100], "unit": "%"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of text.

    Attributes:
        text: What it says.
        detail: A second, quieter line.
        tone: Colour of the text.
        symbol: A shape before the text, for readers who do not see the colour.
        hint: Shown on hovering.
        link: A page of the dashboard, or an address on GitHub.
        marks: Character ranges of `text`, in order and apart, that are marked.
        code: Whether `text` is code, set in one width.
    """

    text: str
    detail: str = ""
    tone: Tone = "neutral"
    symbol: str = ""
    hint: str = ""
    link: Target | str | None = None
    marks: tuple[tuple[int, int], ...] = ()
    code: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return what `table.js` expects."""
        cell: dict[str, Any] = {
            "text": printable(self.text),
            "detail": printable(self.detail),
            "tone": "" if self.tone == "neutral" else self.tone,
            "symbol": self.symbol,
            "hint": printable(self.hint),
            "marks": self.marks,
            "code": self.code,
        }
        # A page holds a thousand cells, most of them with little to say.
        cell = {name: value for name, value in cell.items() if value}
        if isinstance(self.link, Target):
            cell["href"] = self.link.href
        elif self.link is not None:
            cell |= {"href": self.link, "outside": True}
        return cell


@dataclass(frozen=True, slots=True)
class Point:
    """A score in percent and the ends of its interval."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Dumbbell:
    """A score before and after, as two points joined by a line.

    Attributes:
        before: Score over all samples, None where nothing can be drawn.
        after: Score over clean samples, None where it is not known.
        alt: The same in words.
    """

    before: Point | None
    after: Point | None
    alt: str

    def as_json(self) -> dict[str, Any]:
        """Return what `table.js` expects."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        key: Names the column in rows and in the address.
        title: Its heading.
        hint: What it means, shown on hovering.
        align: `end` for numbers.
        kind: `dumbbell` columns hold a `Dumbbell`.
        heading: Whether its cells name their row.
        width: CSS width, empty to leave it to the browser.
        whole: Whether its lines must not be broken.
    """

    key: str
    title: str
    hint: str = ""
    align: Literal["start", "end"] = "start"
    kind: Literal["text", "dumbbell"] = "text"
    heading: bool = False
    width: str = ""
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row; `id` survives filters and sorting."""

    id: str
    cells: Mapping[str, Cell | Dumbbell]
    muted: bool = False


@dataclass(frozen=True, slots=True)
class Sort:
    """The order of the rows.

    Attributes:
        column: Key of the column.
        descending: Whether the largest comes first.
        links: For each column that can be sorted by, the address of this page in that order.
    """

    column: str
    descending: bool
    links: Mapping[str, str]


@st.cache_resource(show_spinner=False)
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "benchchecker_table",
        html='<div class="evidence"></div>',
        css=(_ASSETS / "table.css").read_text(encoding="utf-8"),
        js=(_ASSETS / "table.js").read_text(encoding="utf-8"),
    )


def evidence_table(
    key: str,
    caption: str,
    columns: Sequence[Column],
    rows: Sequence[Row],
    sort: Sort | None = None,
) -> None:
    """Show `rows` as they come.

    Args:
        key: Names this table among those of the page.
        caption: What the table holds, for readers who hear it.
        columns: From left to right.
        rows: Already filtered, sorted and cut to a page.
        sort: The order that `rows` are in, marked in the heading, and the others to be had.
    """
    _component()(
        key=key,
        data={
            "caption": caption,
            "columns": [_column_json(column, sort) for column in columns],
            "rows": [_row_json(row) for row in rows],
            "axis": _AXIS,
            "palette": theme.css_variables(theme.palette()),
        },
    )


def page_of(rows: Sequence[Any], address: Address) -> slice:
    """Return the part of `rows` on the page in the address."""
    page = _page(rows, address)
    return slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)


def offer_pages(rows: Sequence[Any], address: Address) -> None:
    """Offer the pages of a table whose rows do not fit on one."""
    pages = _pages(rows)
    if pages > 1:
        page = _page(rows, address)
        # A pagination takes its page from its default only: each page has a widget of its own.
        key = f"page-choice-{page}"
        st.pagination(pages, default=page, key=key, on_change=_write_page, args=(key,))


def _pages(rows: Sequence[Any]) -> int:
    return max(1, -(-len(rows) // PAGE_SIZE))


def _page(rows: Sequence[Any], address: Address) -> int:
    # A link from before may name a page that its table no longer fills: the last one is nearest.
    return min(int(address.number("page", 1, 1e6, 1)), _pages(rows))


def _write_page(key: str) -> None:
    page = st.session_state[key]
    write({"page": None if page == 1 else str(page)})


def _column_json(column: Column, sort: Sort | None) -> dict[str, Any]:
    if sort is None or column.key not in sort.links:
        return asdict(column)
    direction = "descending" if sort.descending else "ascending"
    sorted_by = direction if column.key == sort.column else None
    return {**asdict(column), "href": sort.links[column.key], "sorted": sorted_by}


def _row_json(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "muted": row.muted,
        "cells": {key: cell.as_json() for key, cell in row.cells.items()},
    }
