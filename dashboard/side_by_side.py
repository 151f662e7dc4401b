"""Two untrusted texts beside each other, with what they share marked.

Everything in them is shown as typed: escaped, and with characters that do not print, or that turn the
direction of a line, replaced.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

import streamlit as st

from dashboard import theme
from engine.reading import printable

# What is marked of a line: not its indentation.
_LINE = re.compile(r"\S(?:.*\S)?")
CONTEXT = 400
"""Characters kept on each side of a shared stretch while the texts are cut."""


def show_texts(
    first: tuple[str, str, Sequence[tuple[int, int]]],
    second: tuple[str, str, Sequence[tuple[int, int]]],
    *,
    whole: bool,
) -> None:
    """Show two texts, each given as its heading, the text, and the ranges of it to mark.

    Args:
        first: Left, or above on a narrow screen.
        second: Right, or below.
        whole: Show also what lies far from everything shared.
    """
    for column, (heading, text, spans) in zip(st.columns(2), (first, second), strict=True):
        with column:
            st.html(_panel(heading, text, spans, whole))


def _panel(heading: str, text: str, spans: Sequence[tuple[int, int]], whole: bool) -> str:
    colours = theme.palette()
    style = f"--bc-marked: {colours.contaminated}; --bc-rule: {colours.line}; --bc-quiet: {colours.muted}"
    title = html.escape(printable(heading), quote=True)
    pieces = "".join(_pieces(text, spans, whole))
    return (
        f'<div class="bc-text" style="{style}"><p class="bc-name">{title}</p>'
        # In the order of the keyboard, because it scrolls.
        f'<pre tabindex="0" role="region" aria-label="{title}">{pieces}</pre></div>'
    )


def _pieces(text: str, spans: Sequence[tuple[int, int]], whole: bool) -> Iterator[str]:
    last = 0
    for start, end in spans:
        yield _between(text[last:start], whole, after=last > 0, before=True)
        yield _LINE.sub(r"<mark>\g<0></mark>", _inert(text[start:end]))
        last = end
    yield _between(text[last:], whole, after=last > 0, before=False)


def _between(text: str, whole: bool, *, after: bool, before: bool) -> str:
    """Return a stretch that is not shared; of a long one only the ends beside shared stretches."""
    head, tail = CONTEXT if after or not before else 0, CONTEXT if before else 0
    left_out = len(text) - head - tail
    if whole or left_out <= CONTEXT:
        return _inert(text)
    said = f'<span class="bc-cut"> … {left_out:,} characters … </span>'
    return _inert(text[:head]) + said + (_inert(text[-tail:]) if tail else "")


def _inert(text: str) -> str:
    lines = text.replace("\r\n", "\n").split("\n")
    return html.escape("\n".join("\t".join(map(printable, line.split("\t"))) for line in lines))
