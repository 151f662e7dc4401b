"""The landing page and what drives its charts, in a browser and held to what the database says."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect
from reader import Reading

from dashboard import words
from engine.leaderboard.board import leaderboard
from engine.statistics.rank_change import rank_change
from engine.store.connection import Snapshot

pytestmark = pytest.mark.browser
COUNTS = """
    SELECT count(*) FILTER (WHERE label = 'contaminated') AS contaminated,
           count(*) FILTER (WHERE label <> 'unknown') AS judged
    FROM label_at('paper', DATE '2025-03-31') JOIN membership USING (sample)
    WHERE benchmark = 'tiny-verified'
"""


def test_the_overview_opens_first_and_leads_to_a_leaderboard(tab: Reading) -> None:
    tab.open("?detector=paper&threshold=0.6")
    expect(tab.page.locator("h1")).to_contain_text("How contaminated are the benchmarks")
    tab.cell("benchmarks", "tiny-verified", "benchmark").get_by_role("link").click()
    expect(tab.page.locator("h1")).to_have_text("How much of each score survives on clean samples?")
    assert tab.state() == {"benchmark": ["tiny-verified"], "detector": ["paper"], "threshold": ["0.6"]}
    tab.page.go_back()
    expect(tab.page.locator("h1")).to_contain_text("How contaminated are the benchmarks")
    assert tab.state() == {"detector": ["paper"], "threshold": ["0.6"]}


def test_the_overview_says_what_the_engine_finds(look_at: Callable[[str], Reading], facts: Snapshot) -> None:
    tab = look_at("?detector=paper")
    rows = leaderboard(facts, "tiny-verified", "paper").rows
    found = rank_change([(row.rank_before, row.rank_after) for row in rows])
    assert found.moved > 0
    expect(tab.cell("benchmarks", "tiny-verified", "moved")).to_contain_text(
        words.share_of(found.moved, found.ranked)
    )
    expect(tab.cell("benchmarks", "tiny-verified", "lead")).to_contain_text(
        f"{found.could_lead_before} → {found.could_lead_after}"
    )
    (last,) = facts.rows(COUNTS)
    share = f"({last['contaminated']}/{last['judged']}) at 2025-03-31"
    expect(tab.page.get_by_text(share)).to_be_visible()


def test_a_chart_s_data_opens_as_a_table_and_downloads(tab: Reading) -> None:
    tab.open("?detector=paper")
    behind = tab.page.locator(".st-key-exposure-tiny-verified-behind")
    assert tab.page.locator(".st-key-exposure-tiny-verified-data").count() == 0
    behind.locator("summary").click()
    expect(tab.table("exposure-tiny-verified-data").locator("tbody tr").first).to_be_visible()
    for form in ("CSV", "LaTeX", "Markdown", "Parquet"):
        expect(behind.get_by_role("button", name=f"Download {form}")).to_be_visible()
    with tab.page.expect_download() as started:
        behind.get_by_role("button", name="Download CSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(started.value.path()).read_text(encoding="utf-8"))))
    assert {row["detector"] for row in rows} == {"paper", "traced"}
    assert {row["benchmark"] for row in rows} == {"tiny-verified"}
    assert tab.table("exposure-tiny-verified-data").locator("tbody tr").count() == len(rows)
