"""Legends: the shapes and colours of a chart beside what they mean."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Literal

import streamlit as st

Shape = Literal["hollow", "filled", "bar", "dotted", "line", "dashed", "tick"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a legend: a shape (see `components/page.css`), its colour and its meaning."""

    shape: Shape
    colour: str
    meaning: str


def show(*entries: Entry) -> None:
    """Show a legend."""
    parts = [
        f'<span><i class="bc-{entry.shape}" style="color: {html.escape(entry.colour)}"></i>'
        f"{html.escape(entry.meaning)}</span>"
        for entry in entries
    ]
    st.html(f'<div class="bc-legend">{"".join(parts)}</div>')
