"""One table of a report, with its figure where it has one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import plotly.graph_objects as go

from engine.export.table import Table


@dataclass(frozen=True, slots=True)
class Part:
    """A table and what a paper needs to print it.

    Attributes:
        name: Of its files; letters, digits, dots and hyphens.
        section: Heading under which the page shows it.
        title: What it shows.
        counted: Such as `n = 182 submissions, 500 samples`.
        table: Every figure.
        printed: The narrower table for LaTeX, Markdown and the page, where it is not the same.
        draw: Draws its figure, None where it has none.
        long: Whether the page names its files only.
    """

    name: str
    section: str
    title: str
    counted: str
    table: Table
    printed: Table | None = None
    draw: Callable[[], go.Figure] | None = None
    long: bool = False

    def __post_init__(self) -> None:
        if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]*", self.name) is None:
            raise ValueError(f"{self.name!r} cannot be the name of a file")

    @property
    def shown(self) -> Table:
        """The table for people."""
        return self.printed or self.table

    @property
    def caption(self) -> str:
        """Title, what was counted, and how the labels were made."""
        notes = dict(self.table.notes)
        made = [
            f"{title} {notes[key]}"
            for key, title in (
                ("detector", "detector"),
                ("detectors", "detectors"),
                ("threshold", "threshold"),
            )
            if notes.get(key)
        ]
        digest = notes.get("data", notes.get("database", "").rpartition("-")[2])[:12]
        return ". ".join([self.title, "; ".join([self.counted, *made, f"data {digest}"])]) + "."


def file_name(*words: str) -> str:
    """Return words as the name of a file: what could not be in one becomes a hyphen."""
    return "-".join(filter(None, (re.sub(r"[^A-Za-z0-9.]+", "-", word).strip("-.") for word in words)))
