"""What solved and missed samples have in common, held to the engine."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from reader import Reading

from dashboard import words
from engine.leaderboard.matrix import read_matrix
from engine.leaderboard.patterns import PatternStudy, study_patterns
from engine.statistics.effects.patterns import Pattern
from engine.store.connection import Snapshot

pytestmark = pytest.mark.browser
PAGE = "patterns?benchmark=tiny-verified&detector=paper&top=5"


def study(facts: Snapshot) -> PatternStudy:
    return study_patterns(facts, read_matrix(facts, "tiny-verified", "paper").best(5))


def test_flags_have_the_rates_of_the_engine(look_at: Callable[[str], Reading], facts: Snapshot) -> None:
    tab, found = look_at(PAGE), study(facts)
    shown = 0
    for key, rates in found.rates.items():
        for pattern, rate in rates.items():
            cell = tab.cell("flags", key, pattern.name.lower())
            if rate.inside.n:
                shown += 1
                expect(cell).to_contain_text(words.percent(rate.inside.rate))
                expect(cell).to_contain_text(words.share_of(rate.inside.k, rate.inside.n))
            else:
                expect(cell).to_contain_text("no sample")
    assert shown >= len(found.rates)
    expect(tab.table("paper").locator("tbody tr")).to_have_count(5)
    expect(tab.table("paper")).to_contain_text("49/61")


def test_the_samples_of_a_pattern_are_listed_with_their_flags(tab: Reading, facts: Snapshot) -> None:
    found = study(facts)
    pattern = max(Pattern, key=lambda candidate: len(found.samples_of(candidate)))
    places = found.samples_of(pattern)
    assert places
    tab.open(f"{PAGE}&pattern={pattern.name.lower()}")
    tab.wait_for_ids("samples", [found.matrix.samples.samples[place] for place in places[:50]])
    place = places[0]
    said = {True: "✓yes", False: "no", None: "not known"}[found.flags["traceback"][place]]
    expect(tab.cell("samples", found.matrix.samples.samples[place], "traceback")).to_have_text(said)


def test_filters_that_leave_nobody_say_so(tab: Reading) -> None:
    tab.open(f"{PAGE}&model=delta")
    tab.page.get_by_role("button", name="Clear these filters").click()
    tab.wait_for_state(lambda state: "model" not in state)
    expect(tab.table("flags")).to_be_visible()
