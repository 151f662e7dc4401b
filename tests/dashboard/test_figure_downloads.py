"""Charts can be taken along: as a page that needs nothing else, and as a picture that can be scaled."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect
from reader import Reading

pytestmark = pytest.mark.browser
CHART = "exposure-tiny-verified"


def test_a_chart_is_a_page_of_its_own(tab: Reading) -> None:
    tab.open("?detector=paper")
    tab.page.locator(f".st-key-{CHART}-behind summary").click()
    button = tab.page.locator(f".st-key-{CHART}-behind").get_by_role("button", name="Download chart as HTML")
    with tab.page.expect_download() as started:
        button.click()
    text = Path(started.value.path()).read_text(encoding="utf-8")
    assert started.value.suggested_filename == f"{CHART}.html"
    assert "Share of contaminated samples of Tiny" in text
    assert text.count("plotly.js v") == 1
    page = tab.page.context.new_page()
    page.set_content(text)
    expect(page.locator(".main-svg").first).to_be_visible()
    page.close()


def test_a_chart_is_a_picture_that_can_be_scaled(tab: Reading) -> None:
    tab.open("?detector=paper")
    chart = tab.page.locator(f".st-key-{CHART} .js-plotly-plot")
    chart.hover()
    with tab.page.expect_download() as started:
        chart.locator(".modebar-btn").click()
    assert started.value.suggested_filename == f"{CHART}.svg"
    assert Path(started.value.path()).read_text(encoding="utf-8").startswith("<svg")
