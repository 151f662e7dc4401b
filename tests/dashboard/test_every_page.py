"""What must hold on every page: both widths, both themes, hostile names, accessibility, a moving database."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import Served
from plausible_facts import HOSTILE_FORMULA, HOSTILE_MARKDOWN, HOSTILE_TITLE, write_folder
from playwright.sync_api import expect
from reader import Reading

from dashboard import theme
from engine.store.build import build_database

pytestmark = pytest.mark.browser
PAGES = (
    "",
    "leaderboard",
    "over-time",
    "strata?detector=paper",
    "compare?detector=paper&benchmark=tiny-verified&submission=s000&submission=s001",
    "patterns?detector=paper",
    "confounding?detector=paper&benchmark=tiny-verified",
    "fragility?detector=paper&benchmark=tiny-verified",
    "repository?repository=acme/widgets&detector=paper",
    "sample",
    "sample?sample=acme__widgets-101&detector=paper",
    "submission?submission=s000&benchmark=tiny-verified&detector=paper",
    "detectors?detector=paper&cutoff=2024-04-30",
    "audit",
    "methods",
    "review",
)
HOSTILE = (HOSTILE_TITLE, HOSTILE_MARKDOWN, HOSTILE_FORMULA)


@pytest.mark.parametrize(("width", "colours"), [(1440, "light"), (390, "dark")])
def test_pages_fit_wear_the_theme_and_have_no_serious_accessibility_fault(
    open_tab: Callable[..., Reading], width: int, colours: str
) -> None:
    tab = open_tab(width, colours)
    background = (theme.DARK if colours == "dark" else theme.LIGHT).background
    for path in PAGES:
        tab.open(path)
        app = tab.page.locator('[data-testid="stApp"]')
        expect(app).to_have_css("background-color", _rgb(background))
        assert _content_width(tab) <= width, path
        faults = Axe().run(tab.page).response["violations"]
        serious = [fault["id"] for fault in faults if fault["impact"] in ("serious", "critical")]
        assert serious == [], path


@pytest.mark.parametrize(("width", "colours"), [(390, "light"), (1024, "dark")])
def test_table_colours_follow_the_theme_at_any_width(
    open_tab: Callable[..., Reading], width: int, colours: str
) -> None:
    tab = open_tab(width, colours)
    tab.open("leaderboard?detector=paper")
    palette = theme.DARK if colours == "dark" else theme.LIGHT
    expect(tab.table("leaderboard").locator("circle.after").first).to_have_css("fill", _rgb(palette.clean))
    heading = tab.table("leaderboard").get_by_role("link", name="Before")
    expect(heading).to_have_css("color", _rgb(palette.muted))
    assert _content_width(tab) <= width


@pytest.mark.parametrize(
    ("path", "texts"),
    [
        ("leaderboard", HOSTILE),
        ("submission?submission=s000&benchmark=tiny-verified", (HOSTILE_TITLE,)),
        ("submission?submission=s001&benchmark=tiny-verified", (HOSTILE_MARKDOWN,)),
        ("submission?submission=s002&benchmark=tiny-verified", (HOSTILE_FORMULA,)),
        ("sample?sample=acme__widgets-101", HOSTILE),
    ],
)
def test_hostile_names_are_shown_as_typed_and_do_nothing(
    tab: Reading, path: str, texts: tuple[str, ...]
) -> None:
    tab.open(path)
    for text in texts:
        expect(tab.page.get_by_text(text, exact=True).first).to_be_visible()
    assert tab.page.locator("img[src='x']").count() == 0
    assert tab.page.locator("a[href^='javascript']").count() == 0
    assert tab.page.locator("b", has_text="bold").count() == 0


def test_a_table_of_many_rows_is_cut_into_pages(tab: Reading) -> None:
    tab.open("submission?submission=s007&benchmark=tiny-verified&page=3")
    last = tab.ids("samples")
    assert len(last) == 68 - 2 * 25
    tab.page.get_by_role("button", name="Page 1", exact=False).first.click()
    tab.wait_for_state(lambda state: "page" not in state)
    expect(tab.table("samples").locator("tbody tr")).to_have_count(25)
    assert set(tab.ids("samples")).isdisjoint(last)


def test_a_database_that_goes_and_comes_back_is_followed_by_an_open_page(
    tab: Reading, served: Served, database: Path, tmp_path: Path
) -> None:
    other = build_database(write_folder(tmp_path / "data", seed=2), tmp_path / "other.duckdb").database
    tab.open("leaderboard?detector=paper")
    before = tab.cell("leaderboard", "s007", "before").inner_text()
    try:
        shutil.move(other, served.database)
        expect(tab.cell("leaderboard", "s007", "before")).not_to_have_text(before)
        assert tab.state() == {"detector": ["paper"]}
        served.database.unlink()
        expect(tab.page.get_by_text("There is no database yet")).to_be_visible()
        expect(tab.page.get_by_text("benchchecker build", exact=True)).to_be_visible()
    finally:
        replacement = tmp_path / "again.duckdb"
        shutil.copy(database, replacement)
        replacement.replace(served.database)
    expect(tab.cell("leaderboard", "s007", "before")).to_be_visible()
    assert tab.cell("leaderboard", "s007", "before").inner_text() == before


def _content_width(tab: Reading) -> int:
    return int(tab.page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth"))


def _rgb(colour: str) -> str:
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgb({red}, {green}, {blue})"
