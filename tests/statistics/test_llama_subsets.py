from fractions import Fraction
from itertools import combinations
from math import sqrt

import numpy as np
import pytest

from engine.statistics.proportions import Proportion
from engine.statistics.subsets import four_subsets, subset_z


def test_z_is_the_distance_in_deviations_of_all_subsets_of_that_size():
    outcomes = [1, 1, 1, 0, 0, 0, 0]
    rates = [Fraction(sum(chosen), 3) for chosen in combinations(outcomes, 3)]
    mean = sum(rates) / len(rates)
    variance = sum((rate - mean) ** 2 for rate in rates) / len(rates)
    expected = (Fraction(2, 3) - mean) / Fraction(sqrt(variance))
    assert subset_z(Proportion(2, 3), Proportion(3, 7)) == pytest.approx(float(expected))


@pytest.mark.parametrize(
    ("subset", "whole"), [((0, 0), (3, 7)), ((3, 7), (3, 7)), ((0, 2), (0, 7)), ((2, 2), (7, 7))]
)
def test_z_is_undefined_where_nothing_can_vary(subset, whole):
    assert subset_z(Proportion(*subset), Proportion(*whole)) is None


@pytest.mark.parametrize("subset", [(4, 5), (0, 5)])
def test_a_subset_must_be_part_of_the_whole(subset):
    with pytest.raises(ValueError, match="part of"):
        subset_z(Proportion(*subset), Proportion(3, 7))


def test_the_post_s_leak_is_seen_and_chance_is_not():
    generator = np.random.default_rng(20261026)
    leaked = np.arange(1200) < 180
    resolved = generator.random(1200) < np.where(leaked, 0.94, 0.62)
    assert four_subsets(resolved, np.where(leaked, 0.9, 0.1)).affected
    assert not four_subsets(generator.random(1200) < 0.62, np.where(leaked, 0.9, 0.1)).affected


def test_the_four_subsets_overlap_at_the_ends_of_the_paper():
    result = four_subsets([True, False, True, True], [0.19, 0.2, 0.79, 0.8])
    assert result.clean.outcome == Proportion(1, 1)
    assert result.not_clean.outcome == Proportion(2, 3)
    assert result.not_dirty.outcome == Proportion(2, 3)
    assert result.dirty.outcome == Proportion(1, 1)


def test_a_detector_without_finds_leaves_nothing_affected():
    result = four_subsets([True, False], [0.0, 0.0])
    assert result.dirty.outcome == Proportion(0, 0)
    assert result.dirty.z is None
    assert not result.affected


def test_shares_outside_zero_to_one_are_refused():
    for share in ([1.2, 0], [np.nan, 0], [0.1]):
        with pytest.raises(ValueError, match="share"):
            four_subsets([True, False], share)
