"""The page of a report: every table and figure in one file that needs nothing else."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from plotly.graph_objects import Figure

from engine.export.table import Table
from engine.export.writers import printed
from engine.report.drawing import CLEAN, LINE, MUTED, TEXT
from engine.report.part import Part

ROWS_SHOWN = 60
"""Rows of a table on the page; its files have all."""

# Names on the page came from files of strangers: even if one got through as markup, it could load and send
# nothing.
_POLICY = "default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data: blob:"
_STYLE = f"""
body {{ font: 16px/1.5 sans-serif; color: {TEXT}; background: #fff; margin: 0 auto; max-width: 1100px;
padding: 1rem; }}
h1, h2, h3 {{ line-height: 1.25; }}
h2 {{ border-top: 1px solid {LINE}; padding-top: 1rem; margin-top: 2.5rem; }}
a {{ color: {CLEAN}; }}
.caption {{ color: {MUTED}; font-size: .875rem; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-size: .875rem; }}
th, td {{ border-bottom: 1px solid {LINE}; padding: .25rem .5rem; text-align: left; vertical-align: top; }}
.number {{ text-align: right; white-space: nowrap; }}
"""


@dataclass(frozen=True, slots=True)
class Shown:
    """A part as it is on the page.

    Attributes:
        part: The part.
        files: Its files, relative to the page.
        figure: Its figure as a piece of HTML, None where it has none.
    """

    part: Part
    files: tuple[str, ...]
    figure: str | None


def page(title: str, intro: Sequence[str], shown: Sequence[Shown], plotly: str) -> str:
    """Return the page.

    Args:
        title: Its title.
        intro: Paragraphs at its head, as text.
        shown: Its parts, in their order.
        plotly: The library that draws the figures, as a script.
    """
    sections = list(dict.fromkeys(each.part.section for each in shown))
    body = [f"<h1>{inert(title)}</h1>", *(f"<p>{inert(line)}</p>" for line in intro)]
    links = "".join(f'<li><a href="#s{place}">{inert(name)}</a></li>' for place, name in enumerate(sections))
    body.append(f"<nav aria-label='Sections'><ul>{links}</ul></nav>")
    for place, section in enumerate(sections):
        body.append(f'<h2 id="s{place}">{inert(section)}</h2>')
        body += [_part(each) for each in shown if each.part.section == section]
    return document(title, "\n".join(body), f"<script>{plotly}</script>")


def document(title: str, body: str, head: str = "", *, beside: bool = False) -> str:
    """Return a whole document; `beside` lets it load scripts that lie beside it."""
    policy = _POLICY.format(scripts="'unsafe-inline' 'self' file:" if beside else "'unsafe-inline'")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{inert(title)}</title>\n<style>{_STYLE}</style>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def figure_piece(figure: Figure, name: str) -> str:
    """Return a figure as a piece of HTML that draws itself where the library is."""
    piece: str = figure.to_html(
        full_html=False, include_plotlyjs=False, div_id=f"figure-{name}", config={"displaylogo": False}
    )
    return piece


def _part(shown: Shown) -> str:
    part = shown.part
    files = " · ".join(
        f'<a href="{inert(file)}">{inert(file.rpartition(".")[2])}</a>' for file in shown.files
    )
    pieces = [f'<h3 id="{inert(part.name)}">{inert(part.title)}</h3>']
    if shown.figure is not None:
        pieces.append(f'<div class="wide">{shown.figure}</div>')
    if part.long:
        pieces.append("<p>Too long for this page: see the files.</p>")
    else:
        pieces.append(_table(part.shown))
    pieces.append(f'<p class="caption">{inert(part.caption)}<br>{files}</p>')
    return "\n".join(pieces)


def _table(table: Table) -> str:
    classes = ["" if column.kind == "text" else ' class="number"' for column in table.columns]
    head = "".join(
        f'<th scope="col"{kind}>{inert(column.heading)}</th>'
        for column, kind in zip(table.columns, classes, strict=True)
    )
    rows = [
        "<tr>"
        + "".join(
            f"<td{kind}>{inert(printed(column, value))}</td>"
            for column, value, kind in zip(table.columns, row, classes, strict=True)
        )
        + "</tr>"
        for row in table.rows[:ROWS_SHOWN]
    ]
    more = len(table.rows) - ROWS_SHOWN
    rest = f'<p class="caption">… and {more} more rows in the files.</p>' if more > 0 else ""
    return (
        f'<details><summary>Table, {len(table.rows)} rows</summary><div class="wide" tabindex="0"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>{rest}</details>"
    )


def inert(text: object) -> str:
    """Return text so that HTML shows it as typed."""
    line = "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in str(text)
    )
    return html.escape(line)
