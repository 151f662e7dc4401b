"""Contamination or difficulty, held to the engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect
from reader import Reading

from dashboard import effect_words, words
from engine.export.contamination import estimate_table
from engine.export.writers import to_csv
from engine.leaderboard.contamination import (
    Variant,
    effect_variants,
    identification,
    label_changes,
    with_cutoff,
)
from engine.leaderboard.contamination_checks import Match, matches, placebos
from engine.leaderboard.covariates import read_covariates
from engine.leaderboard.matrix import Matrix, read_matrix
from engine.statistics.effects.contamination import ContaminationEffect, Effect, Points
from engine.statistics.proportions import Interval
from engine.store.connection import Snapshot

PAGE = "confounding?benchmark=tiny-verified&detector=paper"


def known(facts: Snapshot, detector: str = "paper") -> Matrix:
    return with_cutoff(read_matrix(facts, "tiny-verified", detector))


def estimates(facts: Snapshot) -> tuple[tuple[Match, ...], tuple[Variant, ...]]:
    matrix = known(facts)
    covariates = read_covariates(facts, matrix)
    changes = label_changes(facts, matrix, covariates)
    return matches(matrix, covariates), effect_variants(matrix, covariates, changes)


@pytest.mark.browser
def test_every_estimate_is_the_engine_s(look_at: Callable[[str], Reading], facts: Snapshot) -> None:
    tab = look_at(PAGE)
    matched, within = estimates(facts)
    assert tab.ids("estimates-table") == [one.key for one in (*matched, *within)]
    told = 0
    for variant in within:
        cell, points = tab.cell("estimates-table", variant.key, "points"), variant.effect.points
        if points is None:
            expect(cell).to_have_text("cannot be told")
            continue
        told += 1
        expect(cell).to_contain_text(words.signed_points(points.estimate))
        expect(cell).to_contain_text(words.points_interval(points.interval))
        rests = tab.cell("estimates-table", variant.key, "rests")
        expect(rests).to_contain_text(f"{variant.effect.varying} samples whose label changes")
    assert 0 < told < len(within)
    for match in matched:
        points = match.found.points
        assert points is not None
        cell = tab.cell("estimates-table", match.key, "points")
        expect(cell).to_contain_text(words.points_interval(points.interval))


@pytest.mark.browser
def test_what_the_data_can_show_is_counted(look_at: Callable[[str], Reading], facts: Snapshot) -> None:
    tab, matrix = look_at(PAGE), known(facts)
    every = read_matrix(facts, "tiny-verified", "paper")
    counts = identification(matrix, matrix, label_changes(facts, matrix, read_covariates(facts, matrix)))
    expect(tab.cell("identification", "vanishing", "number")).to_have_text(f"{counts.by_vanishing}/68")
    expect(tab.cell("identification", "repository", "number")).to_have_text(f"{counts.by_repository}/68")
    expect(tab.page.get_by_text(f"{counts.changing} of 68")).to_be_visible()
    total = len(every.submissions) + len(every.unusable)
    expect(tab.page.get_by_text(f"{counts.submissions} of {total} submissions")).to_be_visible()


@pytest.mark.browser
def test_placebos_say_where_nothing_can_be_told(look_at: Callable[[str], Reading], facts: Snapshot) -> None:
    tab = look_at(PAGE)
    found = placebos(facts, known(facts))
    assert {placebo.effect is None for placebo in found} == {True, False}
    for placebo in found:
        cell = tab.cell("placebos", str(placebo.shift), placebo.among)
        effect = placebo.effect
        expect(cell).to_contain_text(
            "cannot be told" if effect is None else effect_words.signed(effect.estimate)
        )


@pytest.mark.browser
def test_charts_are_told_in_words_and_their_numbers_can_be_taken(tab: Reading, facts: Snapshot) -> None:
    tab.open(PAGE)
    expect(
        tab.page.get_by_label("Contaminated minus clean rate, compared in ever stricter ways")
    ).to_have_count(1)
    expect(tab.page.get_by_label("Effect in logits of the label at shifted cutoffs")).to_have_count(1)
    button = tab.page.locator('[class*="st-key-download-contamination-or-difficulty"]').get_by_text("CSV")
    with tab.page.expect_download() as download:
        button.click()
    matched, within = estimates(facts)
    assert Path(download.value.path()).read_text(encoding="utf-8") == to_csv(
        estimate_table(within, matched, {})
    )


@pytest.mark.browser
def test_a_level_lives_in_the_address_and_can_be_taken_back(tab: Reading) -> None:
    tab.open(PAGE)
    everything = tab.cell("identification", "contaminated", "number").inner_text()
    tab.choose("Difficulty", "< 15 min")
    tab.wait_for_state(lambda state: state.get("difficulty") == ["lt15m"])
    expect(tab.cell("identification", "contaminated", "number")).not_to_have_text(everything)
    tab.page.go_back()
    tab.wait_for_state(lambda state: "difficulty" not in state)
    expect(tab.cell("identification", "contaminated", "number")).to_have_text(everything)


@pytest.mark.browser
def test_labels_that_hardly_change_are_said_to_show_nothing(tab: Reading) -> None:
    tab.open("confounding?benchmark=tiny-verified&detector=traced")
    expect(tab.page.get_by_text("Compared with itself a sample says nothing here")).to_be_visible()
    expect(tab.cell("estimates-table", "within", "points")).to_have_text("cannot be told")
    expect(tab.page.get_by_text("Nothing can be told here")).to_have_count(2)


@pytest.mark.browser
def test_a_detector_that_calls_nothing_clean_leaves_nothing_to_draw(tab: Reading) -> None:
    tab.open("confounding?benchmark=tiny-java&detector=traced")
    expect(tab.page.get_by_text("so there is nothing to draw")).to_be_visible()
    expect(tab.page.get_by_text("None can be told here")).to_be_visible()


def effect(estimate: float, low: float, high: float) -> ContaminationEffect:
    bounds = Interval(low, high)
    return ContaminationEffect(
        Effect(estimate, bounds, 0.01, 20.0),
        Points(estimate / 10, Interval(low / 10, high / 10)),
        submissions=9,
        samples=50,
        varying=20,
        clusters=20.0,
        cells=450,
        always=1,
        never=2,
        converged=True,
    )


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (effect(0.5, 0.2, 0.8), "contamination helps, beyond chance"),
        (effect(-0.5, -0.8, -0.2), "contaminated samples are resolved less often, beyond chance"),
        (effect(0.5, -0.2, 0.8), "neither that contamination helps nor that it does not"),
    ],
)
def test_the_reading_follows_the_interval(found: ContaminationEffect, said: str) -> None:
    assert said in effect_words.reading(found)
