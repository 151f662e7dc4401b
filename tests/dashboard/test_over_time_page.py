"""Models by release, and fixes by the day on which they landed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from reader import Reading

from dashboard import words
from engine.leaderboard.board import leaderboard
from engine.leaderboard.trends import by_release, change_over_time
from engine.store.connection import Snapshot

pytestmark = pytest.mark.browser
PAGE = "over-time?benchmark=tiny-verified&detector=paper&show=all"


def test_models_come_oldest_first_with_the_trend_of_the_engine(
    look_at: Callable[[str], Reading], facts: Snapshot
) -> None:
    tab = look_at(PAGE)
    rows = by_release(leaderboard(facts, "tiny-verified", "paper").rows, one_a_model=False)
    assert len({row.submission.released for row in rows}) > 2
    assert tab.ids("models") == [row.submission.submission for row in rows]
    trend = change_over_time(rows)
    assert trend is not None
    slope = words.signed_points(trend.line.slope)
    expect(tab.page.get_by_text(f"moves by {slope} points a year")).to_be_visible()
    expect(tab.cell("trends", "all", "n")).to_have_text(str(trend.line.n))


def test_one_row_a_model_is_the_best_of_each(tab: Reading, facts: Snapshot) -> None:
    tab.open(PAGE)
    tab.choose("Submissions", "The best of each model")
    tab.wait_for_state(lambda state: "show" not in state)
    rows = by_release(leaderboard(facts, "tiny-verified", "paper").rows, one_a_model=True)
    tab.wait_for_ids("models", [row.submission.submission for row in rows])
    expect(tab.page.get_by_text("too few clean samples for a trend")).to_be_visible()


def test_charts_are_told_in_words(look_at: Callable[[str], Reading]) -> None:
    tab = look_at(PAGE)
    expect(tab.page.get_by_label("Share resolved before and after for")).to_have_count(1)
    expect(tab.page.get_by_label("fixes on the axis of the days on which they landed")).to_have_count(1)
