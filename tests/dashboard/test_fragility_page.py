"""How fragile the ranking is, held to the engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect
from reader import Reading

from dashboard import estimates, words
from engine.export.fragility import pair_table, standing_table
from engine.export.writers import to_csv
from engine.leaderboard.fragility import Standing
from engine.store.connection import Snapshot

PAGE = "fragility?benchmark=tiny-verified&detector=paper"


def ranked(facts: Snapshot) -> Standing:
    return estimates.ranked(facts, "tiny-verified", "paper", 0.7, 20, one_a_model=False)


def test_every_detector_threshold_and_cutoff_is_used_once(facts: Snapshot) -> None:
    found = ranked(facts)
    chosen = [tuple(way.choices.values()) for way in found.scenarios]
    assert len(set(chosen)) == len(chosen) == 2 * 6 * 3 * 3
    assert chosen[0] == ("paper", "own", "as registered", "latest")
    moved = estimates.ranked(facts, "tiny-verified", "paper", 0.65, 20, one_a_model=False)
    assert moved.scenarios[0].choices["threshold"] == "0.65"
    assert len(moved.scenarios) == len(found.scenarios) + 9


def test_one_submission_a_model_is_the_best_of_each(facts: Snapshot) -> None:
    every, one = ranked(facts), estimates.ranked(facts, "tiny-verified", "paper", 0.7, 20, one_a_model=True)
    models = [entry.models for entry in one.matrix.submissions]
    assert len(set(models)) == len(models) < len(every.matrix.submissions)


@pytest.mark.browser
def test_places_and_what_they_survive_are_the_engine_s(
    look_at: Callable[[str], Reading], facts: Snapshot
) -> None:
    tab, found = look_at(PAGE), ranked(facts)
    entries = found.matrix.submissions
    assert tab.ids("standing") == [entry.submission for entry in entries]
    for place, entry in enumerate(entries):
        rank, share = found.ranks.at(place), found.scenarios[0].counts.at(place)
        assert rank is not None
        cell = tab.cell("standing", entry.submission, "rank")
        expect(cell).to_contain_text(f"[{rank.low}{words.DASH}{rank.high}]")
        expect(tab.cell("standing", entry.submission, "rate")).to_contain_text(f"{share.k}/{share.n}")
        sure = tab.cell("standing", entry.submission, "above")
        expect(sure).to_have_text(f"{int(found.sure[place].sum())}/{len(entries) - 1}")
    ordered = int(found.ordered.sum())
    expect(tab.page.get_by_text(f"“A before B” {ordered} times")).to_be_visible()
    expect(tab.table("changes").locator("tbody tr")).to_have_count(len(found.single_changes()))
    expect(tab.page.get_by_label(f"Places of {len(entries)} submissions")).to_have_count(1)


@pytest.mark.browser
def test_a_pair_lives_in_the_address(tab: Reading, facts: Snapshot) -> None:
    found = ranked(facts)
    keys = [entry.submission for entry in found.matrix.submissions]
    tab.open(f"{PAGE}&first={keys[-1]}&second={keys[0]}")
    whole = found.pair(len(keys) - 1, 0).whole
    expect(tab.cell("pair", "all", "above")).to_have_text(f"{whole.above}/{whole.rated}")
    expect(tab.cell("pair", "all", "below")).to_have_text(f"{whole.below}/{whole.rated}")
    with tab.page.expect_download() as download:
        tab.page.locator('[class*="st-key-download-order-"]').get_by_text("CSV").click()
    survival = found.pair(len(keys) - 1, 0)
    assert Path(download.value.path()).read_text(encoding="utf-8") == to_csv(pair_table(survival, {}))
    tab.choose("Submissions", "The 10 best")
    tab.wait_for_state(lambda state: state.get("top") == ["10"] and "first" not in state)
    expect(tab.page.get_by_text("asks for something the database does not have")).to_have_count(0)
    tab.page.go_back()
    tab.wait_for_state(lambda state: state.get("first") == [keys[-1]])


@pytest.mark.browser
def test_the_ranking_can_be_taken(tab: Reading, facts: Snapshot) -> None:
    tab.open(PAGE)
    with tab.page.expect_download() as download:
        tab.page.locator('[class*="st-key-download-fragility-"]').get_by_text("CSV").click()
    assert Path(download.value.path()).read_text(encoding="utf-8") == to_csv(
        standing_table(ranked(facts), {})
    )


@pytest.mark.browser
def test_a_pair_that_is_gone_is_said_once(tab: Reading) -> None:
    tab.open(f"{PAGE}&first=gone")
    expect(tab.page.get_by_text("asks for something the database does not have")).to_have_count(1)
    expect(tab.table("pair")).to_be_visible()


@pytest.mark.browser
def test_too_few_clean_samples_are_no_ranking(tab: Reading) -> None:
    tab.open("fragility?benchmark=tiny-java&detector=traced")
    expect(tab.page.get_by_text("so there is no ranking to shake")).to_be_visible()
