"""AUC, rates and thresholds, held to plain counts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evaluation.calibration import calibration_error, is_validation, reliability
from engine.evaluation.discrimination import Discrimination, best_threshold
from engine.statistics.proportions import Proportion

tenths = st.integers(0, 10).map(lambda number: number / 10)
groups = st.lists(tenths, min_size=1, max_size=12)


def of(present: list[float], absent: list[float]) -> Discrimination:
    return Discrimination.of([*present, *absent], [True] * len(present) + [False] * len(absent))


@given(groups, groups)
def test_auc_is_the_share_of_pairs_in_the_right_order(present: list[float], absent: list[float]):
    wins = [(one > two) + (one == two) / 2 for one, two in itertools.product(present, absent)]
    assert of(present, absent).auc == pytest.approx(sum(wins) / len(wins))


@given(groups, groups)
def test_the_interval_holds_the_auc(present: list[float], absent: list[float]):
    scores = of(present, absent)
    interval = scores.auc_interval()
    assert interval is not None
    assert scores.auc is not None
    assert 0 <= interval.low <= scores.auc + 1e-9
    assert scores.auc - 1e-9 <= interval.high <= 1


@given(groups, groups, tenths)
def test_rates_are_counts(present: list[float], absent: list[float], threshold: float):
    scores = of(present, absent)
    hits = sum(score >= threshold for score in present)
    alarms = sum(score >= threshold for score in absent)
    assert scores.true_positives(threshold) == Proportion(hits, len(present))
    assert scores.false_positives(threshold) == Proportion(alarms, len(absent))


@given(groups, groups)
def test_no_threshold_beats_the_best(present: list[float], absent: list[float]):
    scores = of(present, absent)
    best = best_threshold([scores])
    assert best is not None

    def gained(threshold: float) -> float:
        return (scores.true_positives(threshold).rate or 0) - (scores.false_positives(threshold).rate or 0)

    # Nothing between 0 and 1 separates better; the ends call everything present or nothing.
    inner = [number / 20 + 0.025 for number in range(20)]
    assert gained(best) >= max(gained(threshold) for threshold in inner) - 1e-9


def test_the_best_threshold_stands_in_the_middle_of_the_widest_gap():
    assert best_threshold([of([0.9, 0.8], [0.1, 0.2])]) == pytest.approx(0.5)


def test_groups_count_the_same_however_large():
    """Alone the large group wants 0.55; the small one wants 0.25, where the large one loses little."""
    large = of([0.6] * 90 + [0.3] * 10, [0.5] * 20 + [0.0] * 80)
    small = of([0.3] * 2, [0.2] * 2)
    assert best_threshold([large]) == pytest.approx(0.55)
    assert best_threshold([large, small]) == pytest.approx(0.25)
    assert best_threshold([of([0.9], []), of([], [0.5])]) == pytest.approx(0.7)


def test_without_one_kind_there_is_nothing_to_tell_apart():
    for scores in (of([0.5], []), of([], [0.5]), of([], [])):
        assert scores.auc is None
        assert scores.auc_interval() is None
        assert best_threshold([scores]) is None


def test_perfect_separation_of_few_cases_is_no_certainty():
    few, many = of([1.0] * 4, [0.0] * 4).auc_interval(), of([1.0] * 400, [0.0] * 400).auc_interval()
    assert few is not None
    assert many is not None
    assert few.high == many.high == 1
    assert 0.3 < few.low < 0.8 < 0.98 < many.low


def test_the_interval_covers_the_true_auc():
    """Scores of two normal groups a standard deviation apart have an AUC of 0.760."""
    random = np.random.default_rng(7)
    covered = 0
    for _ in range(400):
        interval = Discrimination(random.normal(1, 1, 60), random.normal(0, 1, 40)).auc_interval()
        assert interval is not None
        covered += 0.7602 in interval
    assert 0.92 <= covered / 400 <= 0.98


def test_one_sample_in_five_validates():
    names = [f"owner__name-{number}" for number in range(5_000)]
    assert 0.18 < sum(map(is_validation, names)) / 5_000 < 0.22
    assert is_validation("django__django-11099") == is_validation("django__django-11099")


def test_reliability_of_scores_that_mean_what_they_say():
    bins = reliability(of([0.8] * 8 + [1.0], [0.8] * 2 + [0.0] * 4))
    by_tenth = {entry.near: entry.present for entry in bins if entry.present.n}
    assert by_tenth == {0.0: Proportion(0, 4), 0.8: Proportion(8, 10), 1.0: Proportion(1, 1)}
    assert calibration_error(bins) == pytest.approx(0)


def test_reliability_of_scores_that_do_not():
    bins = reliability(of([0.8] * 5 + [0.2], [0.8] * 5))
    assert calibration_error(bins) == pytest.approx((10 * 0.3 + 0.8) / 11)
    assert calibration_error(reliability(of([], []))) is None


@given(groups, groups)
def test_every_case_is_in_one_bin(present: list[float], absent: list[float]):
    bins = reliability(of(present, absent))
    assert sum(entry.present.n for entry in bins) == len(present) + len(absent)
    assert sum(entry.present.k for entry in bins) == len(present)
    assert all(abs(entry.mean - entry.near) < 0.0501 for entry in bins if entry.present.n)
