"""Downloads: every table as CSV, LaTeX, Markdown and Parquet, written by the engine when it is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard import words
from dashboard.records import (
    Agreement,
    BlockEvidence,
    PairVerdict,
    PresenceInterval,
    RepositoryFix,
    RepositoryPresence,
    SampleResult,
    SubmissionOutcome,
)
from engine.export.columns import SEPARATOR
from engine.export.table import Column, Table, Value, from_records
from engine.export.writers import Format, encode

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_FORMATS: tuple[tuple[Format, bool, str, str, str], ...] = (
    ("csv", False, "CSV", "csv", "text/csv"),
    ("latex", False, "LaTeX", "tex", "application/x-tex"),
    ("latex", True, "siunitx LaTeX", "siunitx.tex", "application/x-tex"),
    ("markdown", False, "Markdown", "md", "text/markdown"),
    ("parquet", False, "Parquet", "parquet", "application/vnd.apache.parquet"),
)
_PRINTED: tuple[Format, ...] = ("latex", "markdown")
_SAMPLE_RESULTS = (
    Column("sample", title="Sample"),
    Column("outcome", title="Result"),
    Column("label", title="Label"),
    Column("score", "real", "Score"),
    Column("difficulty", title="Difficulty"),
    Column("landed_at", "day", "Fix landed"),
    Column("reason", title="Reason"),
    Column("method", title="Method"),
    Column("repository", title="Repository"),
    Column("repository_verdict", title="Repository verdict"),
    Column("repository_basis", title="Repository basis"),
)
_OUTCOMES = (
    Column("submission", title="Submission"),
    Column("title", title="Title"),
    Column("benchmark", title="Benchmark"),
    Column("outcome", title="Result"),
    Column("label", title="Label"),
    Column("cutoff", "day", "Cutoff"),
    Column("basis", title="Basis"),
    Column("models", title="Models"),
    Column("framework", title="Framework"),
)
_BLOCKS = (
    Column("scope", title="Block"),
    Column("score", "real", "Score"),
    Column("line_scores", title="Scores of lines"),
    Column("path", title="Path"),
    Column("line_start", "integer", "First line"),
    Column("line_end", "integer", "Last line"),
    Column("method", title="Method"),
)
_INTERVALS = (
    Column("detector", title="Detector"),
    Column("valid_from", "day", "From"),
    Column("valid_to", "day", "To"),
    Column("state", title="State"),
    Column("score", "real", "Score"),
    Column("method", title="Method"),
    Column("reason", title="Reason"),
)
_PAIRS = (
    Column("sample", title="Sample"),
    Column("repository", title="Repository"),
    Column("difficulty", title="Difficulty"),
    Column("label", title="Label"),
    Column("score", "real", "Score"),
    Column("method", title="Method"),
    Column("reason", title="Reason"),
    Column("other_label", title="Other label"),
    Column("other_score", "real", "Other score"),
    Column("other_method", title="Other method"),
    Column("other_reason", title="Other reason"),
)
_AGREEMENTS = (
    Column("cutoff", "day", "Cutoff"),
    Column("submissions", "integer", "Submissions"),
    Column("both_judge", "integer", "Samples both judge"),
    Column("clean", "integer", "Clean"),
    Column("other_clean", "integer", "Other clean"),
    Column("differ", "integer", "Differ"),
)
_REPOSITORY_PRESENCE = (
    Column("model", title="Model"),
    Column("title", title="Title"),
    Column("cutoff", "day", "Cutoff"),
    Column("basis", title="Basis"),
    Column("verdict", title="Verdict"),
    Column("hits", "integer", "Hits"),
    Column("queries", "integer", "Queries"),
    Column("unanswered", "integer", "Unanswered"),
    Column("weighted_hits", "real", "Weighted hits"),
    Column("p0", "real", "P0"),
    Column("p0_basis", title="Basis of P0"),
    Column("p_value", "real", "p"),
    Column("weighted_p_value", "real", "Weighted p"),
    Column("q_value", "real", "q"),
    Column("design_effect", "real", "Design effect"),
    Column("detectable", "real", "Detectable rate"),
    Column("source", title="Source"),
)
_FIXES = (
    Column("sample", title="Sample"),
    Column("landed_at", "day", "Fix landed"),
    Column("first_seen", "day", "Found from"),
    Column("last_seen", "day", "Found to"),
    Column("judged_to", "day", "Judged to"),
)
Record = (
    SampleResult
    | SubmissionOutcome
    | BlockEvidence
    | PresenceInterval
    | PairVerdict
    | Agreement
    | RepositoryPresence
    | RepositoryFix
)
_COLUMNS: dict[type[Record], tuple[Column, ...]] = {
    SampleResult: _SAMPLE_RESULTS,
    SubmissionOutcome: _OUTCOMES,
    BlockEvidence: _BLOCKS,
    PresenceInterval: _INTERVALS,
    PairVerdict: _PAIRS,
    Agreement: _AGREEMENTS,
    RepositoryPresence: _REPOSITORY_PRESENCE,
    RepositoryFix: _FIXES,
}


def offer(name: str, table: Callable[[], Table], latex: Callable[[], Table] | None = None) -> None:
    """Offer a table as a file of any of the formats. It is made when the reader asks for it.

    Args:
        name: Name of the file, without its suffix.
        table: Makes the table.
        latex: Makes the narrower table for print (LaTeX and Markdown), where it is not the same.
    """
    stem = _stem(name)
    with st.container(horizontal=True, gap="small"):
        for form, siunitx, title, suffix, mime in _FORMATS:
            make = latex if form in _PRINTED and latex is not None else table
            st.download_button(
                f"Download {title}",
                _encoder(make, form, siunitx),
                file_name=f"{stem}.{suffix}",
                mime=mime,
                key=f"download-{name}-{suffix}",
                on_click="ignore",
                icon=":material/download:",
                type="tertiary",
            )


def offer_figure(name: str, figure: Figure, told: str) -> None:
    """Offer a figure as a page of its own, which needs nothing else.

    Args:
        name: Name of the file, without its suffix.
        figure: The figure.
        told: What it shows.
    """
    st.download_button(
        "Download chart as HTML",
        lambda: _figure_page(figure, told),
        file_name=f"{_stem(name)}.html",
        mime="text/html",
        key=f"download-{name}-figure",
        on_click="ignore",
        icon=":material/download:",
        type="tertiary",
    )


def table_of(records: Iterable[Record], kind: type[Record], notes: Mapping[str, str]) -> Table:
    """Return records of one `kind` as a table, with `notes` on how it was made."""
    columns = _COLUMNS[kind]
    rows = ({name: _value(value) for name, value in asdict(record).items()} for record in records)
    return from_records(columns, rows, tuple(notes.items()))


def table_of_rows(
    rows: Sequence[Mapping[str, Any]], columns: Sequence[str], notes: Mapping[str, str]
) -> Table:
    """Return rows of a query as a table of text."""
    records = ({name: words.optional(row[name]) for name in columns} for row in rows)
    return from_records([Column(name) for name in columns], records, tuple(notes.items()))


def _figure_page(figure: Figure, told: str) -> bytes:
    # Only what draws charts loads Plotly, and few readers ask for a file of it.
    from plotly.offline import get_plotlyjs

    from engine.report.page import document, figure_piece, inert

    body = f"<h1>{inert(told)}</h1>{figure_piece(figure, 'chart')}"
    return document(told, body, f"<script>{get_plotlyjs()}</script>").encode()


def _stem(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")


def _encoder(make: Callable[[], Table], form: Format, siunitx: bool) -> Callable[[], bytes]:
    return lambda: encode(make(), form, siunitx=siunitx)


def _value(value: Any) -> Value:
    match value:
        case tuple():
            return SEPARATOR.join(str(part) for part in value)
        case datetime():
            return date.fromisoformat(words.utc_day(value))
        case _:
            known: Value = value
            return known
