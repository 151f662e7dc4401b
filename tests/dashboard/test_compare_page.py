"""Submissions side by side, chosen by the reader and held to the engine."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from plausible_facts import HOSTILE_MARKDOWN, HOSTILE_TITLE
from playwright.sync_api import expect
from reader import Reading

from dashboard import words
from engine.leaderboard.matrix import read_matrix
from engine.statistics.effects.paired import compare_all
from engine.store.connection import Snapshot

pytestmark = pytest.mark.browser
PAGE = "compare?benchmark=tiny-verified&detector=paper"


def test_nothing_chosen_offers_the_best(tab: Reading, facts: Snapshot) -> None:
    tab.open(PAGE)
    tab.page.get_by_role("button", name="Compare the 3 best").click()
    best = [entry.submission for entry in read_matrix(facts, "tiny-verified", "paper").best(3).submissions]
    tab.wait_for_state(lambda state: sorted(state.get("submission", [])) == sorted(best))
    assert set(tab.ids("alone")) == set(best)
    assert len(tab.ids("pairs")) == 3


def test_a_pair_is_compared_as_the_engine_does_and_downloaded(tab: Reading, facts: Snapshot) -> None:
    tab.open(f"{PAGE}&submission=s000&submission=s003&on=clean")
    matrix = read_matrix(facts, "tiny-verified", "paper")
    place = {entry.submission: row for row, entry in enumerate(matrix.submissions)}
    taken = matrix.take([place["s000"], place["s003"]])
    (pair,) = compare_all(taken.resolved, taken.clean)
    assert 0 < pair.result.n < len(matrix.samples.samples)
    expect(tab.cell("pairs", "0-1", "n")).to_contain_text(str(pair.result.n))
    expect(tab.cell("pairs", "0-1", "difference")).to_contain_text(
        words.signed_points(pair.result.difference)
    )
    expect(tab.cell("pairs", "0-1", "p")).to_contain_text(f"{pair.result.p_value:.3f}")
    with tab.page.expect_download() as started:
        tab.page.get_by_role("button", name="Download CSV").nth(1).click()
    rows = list(csv.DictReader(io.StringIO(Path(started.value.path()).read_text(encoding="utf-8"))))
    assert len(rows) == pair.result.first_only + pair.result.second_only
    assert {(row["s000_label"], row["s003_label"]) for row in rows} == {("clean", "clean")}


def test_hostile_titles_are_inert_in_filter_and_tables(tab: Reading) -> None:
    tab.open(f"{PAGE}&submission=s000&submission=s001")
    for text in (HOSTILE_TITLE, HOSTILE_MARKDOWN):
        expect(tab.table("alone").get_by_text(text, exact=True)).to_be_visible()
    assert tab.page.locator("img[src='x']").count() == 0


def test_one_model_under_several_frameworks(tab: Reading) -> None:
    tab.open(PAGE)
    expect(tab.table("frameworks").locator("tbody tr").first).to_contain_text("frameworks; changes lie")
    heading, entry = (tab.table("frameworks").locator("tbody tr").nth(place) for place in (0, 1))
    assert heading.locator("svg").count() == 0, "a row that heads others has no score to draw"
    assert entry.locator("svg").count() == 1
