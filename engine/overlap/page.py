"""A page of headings, paragraphs and tables, written as HTML or Markdown from one description.

All text is escaped: names and excerpts come from corpora.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
       color: #1c1e21; background: #fff; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; }
caption { text-align: left; padding: .3rem 0; color: #50555c; }
th, td { border-bottom: 1px solid #d5d9de; padding: .3rem .7rem; text-align: left; vertical-align: top;
         overflow-wrap: anywhere; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
@media (prefers-color-scheme: dark) { body { color: #e4e6eb; background: #17191c; }
  th, td { border-color: #3a3f45; } caption { color: #a8adb5; } }
"""
_MARKDOWN_SPECIAL = re.compile(r"([\\`*_\[\]<>|#&$~])")
_NUMBER = re.compile(r"[-+−]?[\d,]*\.?\d+(e[-+]?\d+)?%?|–|")


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        caption: What it shows.
        header: Column names.
        rows: Cells as text.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def is_numeric(self, column: int) -> bool:
        """Whether every cell of a column is a number, a dash or empty."""
        return all(_NUMBER.fullmatch(row[column]) for row in self.rows)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with paragraphs and tables under it."""

    title: str
    blocks: tuple[str | Table, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A whole page."""

    title: str
    sections: tuple[Section, ...] = field(default=())

    def to_html(self) -> str:
        """Return the page as one HTML file that needs no other."""
        return "\n".join(self._html()) + "\n"

    def to_markdown(self) -> str:
        """Return the page as Markdown."""
        return "\n\n".join(self._markdown()) + "\n"

    def _html(self) -> Iterator[str]:
        title = html.escape(_plain(self.title))
        yield '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
        yield f"<title>{title}</title><style>{_STYLE}</style></head><body><main>"
        yield f"<h1>{title}</h1>"
        for section in self.sections:
            yield f"<h2>{html.escape(_plain(section.title))}</h2>"
            for block in section.blocks:
                yield f"<p>{html.escape(_plain(block))}</p>" if isinstance(block, str) else _table_html(block)
        yield "</main></body></html>"

    def _markdown(self) -> Iterator[str]:
        yield f"# {_markdown_text(self.title)}"
        for section in self.sections:
            yield f"## {_markdown_text(section.title)}"
            for block in section.blocks:
                yield _markdown_text(block) if isinstance(block, str) else _table_markdown(block)


def _plain(text: str) -> str:
    """Replace what no page should hold: control characters and halves of surrogate pairs."""
    return (
        "".join(character if character.isprintable() or character == " " else " " for character in text)
        .encode("utf-8", "replace")
        .decode("utf-8")
    )


def _table_html(table: Table) -> str:
    numeric = [' class="number"' if table.is_numeric(at) else "" for at in range(len(table.header))]
    head = "".join(
        f'<th scope="col"{kind}>{html.escape(_plain(cell))}</th>'
        for cell, kind in zip(table.header, numeric, strict=True)
    )
    body = "\n".join(
        "<tr>"
        + "".join(
            f"<td{kind}>{html.escape(_plain(cell))}</td>" for cell, kind in zip(row, numeric, strict=True)
        )
        + "</tr>"
        for row in table.rows
    )
    return (
        f'<div class="scroll"><table><caption>{html.escape(_plain(table.caption))}</caption>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )


def _table_markdown(table: Table) -> str:
    align = ["---:" if table.is_numeric(at) else "---" for at in range(len(table.header))]
    lines = [table.header, align, *table.rows]
    body = "\n".join(
        "| " + " | ".join(cell if line is align else _markdown_text(cell) for cell in line) + " |"
        for line in lines
    )
    return f"{_markdown_text(table.caption)}\n\n{body}"


def _markdown_text(text: str) -> str:
    return _MARKDOWN_SPECIAL.sub(r"\\\1", _plain(text))
