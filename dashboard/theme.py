"""Every colour of the dashboard, for the light and the dark theme.

Three hues carry meaning, chosen so that readers who do not tell red from green lose nothing, and none of
them ever stands alone: a shape or a word says the same. Grey is the reported score over all samples, blue is
the score on clean samples, orange is contamination.

`.streamlit/config.toml` repeats the colours that Streamlit itself needs; a test holds the two together.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import streamlit as st

Tone = Literal["neutral", "clean", "contaminated", "unknown"]


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one theme, as CSS hexadecimal values.

    Attributes:
        background: Behind everything.
        surface: Behind widgets, hovered rows and labels.
        text: Ordinary text.
        muted: Secondary text; at least 4.5 to 1 against `background` and `surface`.
        line: Rules and grid lines.
        before: Scores over all samples.
        clean: Scores on clean samples, and the label `clean`.
        contaminated: The label `contaminated`.
        unknown: The label `unknown`.
        link: Links and the focus ring.
    """

    background: str
    surface: str
    text: str
    muted: str
    line: str
    before: str
    clean: str
    contaminated: str
    unknown: str
    link: str


LIGHT = Palette(
    background="#ffffff",
    surface="#f3f5f7",
    text="#1d2530",
    muted="#566270",
    line="#d9dee4",
    before="#75808d",
    clean="#0b5cad",
    contaminated="#a84a05",
    unknown="#75808d",
    link="#0b5cad",
)

DARK = Palette(
    background="#12161b",
    surface="#1c2229",
    text="#e7eaee",
    muted="#a3adb9",
    line="#303842",
    before="#98a3b0",
    clean="#74b5fb",
    contaminated="#f4a45c",
    unknown="#98a3b0",
    link="#74b5fb",
)


def palette() -> Palette:
    """Return the palette of the theme the reader sees; light until the browser has said which."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def css_variables(colours: Palette) -> dict[str, str]:
    """Return `colours` as CSS custom properties (`--bc-text` and so on) for the table component."""
    return {f"--bc-{name}": value for name, value in asdict(colours).items()}


def tone_colour(tone: Tone, colours: Palette) -> str:
    """Return the colour of text and marks in `tone`."""
    return {
        "neutral": colours.text,
        "clean": colours.clean,
        "contaminated": colours.contaminated,
        "unknown": colours.unknown,
    }[tone]


def figure_layout(colours: Palette) -> dict[str, Any]:
    """Return the Plotly layout that every figure shares."""
    axis = {
        "gridcolor": colours.line,
        "linecolor": colours.line,
        "zeroline": False,
        "tickfont": {"color": colours.muted, "size": 13},
        "title": {"font": {"color": colours.muted, "size": 13}},
        "automargin": True,
        "fixedrange": True,
    }
    return {
        "paper_bgcolor": colours.background,
        "plot_bgcolor": colours.background,
        "font": {"color": colours.text, "size": 14, "family": "'Source Sans', sans-serif"},
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "hoverlabel": {
            "bgcolor": colours.surface,
            "bordercolor": colours.line,
            "font": {"color": colours.text},
            "align": "left",
        },
        "xaxis": axis,
        "yaxis": axis,
        "showlegend": False,
    }
