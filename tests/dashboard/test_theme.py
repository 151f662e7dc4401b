"""One palette for the dashboard and for Streamlit, readable in both themes."""

from __future__ import annotations

import re
import tomllib

import pytest

from dashboard.theme import DARK, LIGHT, Palette
from engine.paths import PROJECT_ROOT


def luminance(colour: str) -> float:
    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.03928 else ((channel + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[start : start + 2], 16) / 255) for start in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_marks_stand_out(palette: Palette) -> None:
    for ground in (palette.background, palette.surface):
        for text in (palette.text, palette.muted, palette.clean, palette.contaminated, palette.link):
            assert contrast(text, ground) >= 4.5
    for mark in (palette.before, palette.unknown):
        assert contrast(mark, palette.background) >= 3


@pytest.mark.parametrize(("name", "palette"), [("light", LIGHT), ("dark", DARK)])
def test_streamlit_wears_the_same_colours(name: str, palette: Palette) -> None:
    config = tomllib.loads((PROJECT_ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["theme"][name] == {
        "primaryColor": palette.link,
        "backgroundColor": palette.background,
        "secondaryBackgroundColor": palette.surface,
        "textColor": palette.text,
        "linkColor": palette.link,
        "borderColor": palette.line,
        "codeTextColor": palette.text,
    }


def test_nothing_is_sent_anywhere() -> None:
    config = tomllib.loads((PROJECT_ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["browser"]["gatherUsageStats"] is False
    assert config["server"]["address"] == "localhost"


def test_every_colour_is_in_the_theme() -> None:
    folder = PROJECT_ROOT / "dashboard"
    files = [path for kind in ("*.py", "*.css", "*.js") for path in folder.rglob(kind)]
    colour = re.compile(r"#[0-9a-f]{3,8}\b|\brgba?\(|\bhsl\(", re.IGNORECASE)
    coloured = [path.name for path in files if colour.search(path.read_text(encoding="utf-8"))]
    assert coloured == ["theme.py"]
