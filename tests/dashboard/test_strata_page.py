"""By difficulty and by repository, held to the engine."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from reader import Reading

from dashboard import words
from engine.leaderboard.matrix import read_matrix
from engine.statistics.strata import compare_strata
from engine.store.connection import Snapshot

pytestmark = pytest.mark.browser
PAGE = "strata?benchmark=tiny-verified&detector=paper"


def test_each_level_has_its_counts_and_small_ones_say_nothing(
    look_at: Callable[[str], Reading], facts: Snapshot
) -> None:
    tab = look_at(PAGE)
    matrix = read_matrix(facts, "tiny-verified", "paper").best(10)
    strata = compare_strata(matrix.panel, matrix.samples.difficulty, matrix.samples.levels)
    assert {stratum.too_small for stratum in strata} == {True, False}
    for stratum in strata:
        row = stratum.name or "none"
        expect(tab.cell("strata", row, "before")).to_contain_text(words.percent(stratum.before.rate))
        expect(tab.cell("strata", row, "after")).to_contain_text(f"{stratum.clean.k}/{stratum.clean.n}")
        said = "Too few samples" if stratum.too_small else words.signed_percent(stratum.relative_change)
        expect(tab.cell("strata", row, "change")).to_contain_text(said)


def test_the_split_lives_in_the_address_and_can_be_taken_back(tab: Reading, facts: Snapshot) -> None:
    tab.open(PAGE)
    tab.choose("Split by", "Repository")
    tab.wait_for_state(lambda state: state.get("by") == ["repository"])
    expect(tab.cell("strata", "acme/widgets", "stratum")).to_be_visible()
    expect(tab.table("levels")).to_have_count(0)
    tab.page.go_back()
    tab.wait_for_state(lambda state: "by" not in state)
    expect(tab.table("levels")).to_be_visible()
    best = read_matrix(facts, "tiny-verified", "paper").best(10).submissions
    tab.wait_for_ids("levels", [entry.submission for entry in best])
