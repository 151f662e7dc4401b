from itertools import permutations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from engine.statistics.effects.trend import association, linear_trend, rate_against_change

points = st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.floats(0.5, 9)), min_size=5, max_size=25)


@given(points)
def test_slope_and_interval_agree_with_statsmodels(rows):
    x, y, weights = (np.round(column, 3) for column in np.array(rows).T)
    if len(np.unique(x)) < 4:
        return
    ours = linear_trend(x, y, weights)
    fit = sm.WLS(y, sm.add_constant(x), weights=weights).fit(cov_type="HC3", use_t=True)
    if fit.bse[1] < 1e-6 or not np.isfinite(fit.bse[1]):
        return
    assert ours.slope == pytest.approx(fit.params[1], abs=1e-7)
    assert ours.intercept == pytest.approx(fit.params[0], abs=1e-7)
    assert (ours.interval.low, ours.interval.high) == pytest.approx(fit.conf_int()[1], rel=1e-5, abs=1e-6)
    assert ours.p_value == pytest.approx(fit.pvalues[1], rel=1e-5, abs=1e-9)


def test_trend_edges():
    assert linear_trend([1, 2], [3, 4]) is None
    assert linear_trend([1, 1, 1], [3, 4, 5]) is None
    assert linear_trend([1, 2, np.nan, 4], [3, np.nan, 5, 6]) is None
    assert linear_trend([1, 2, 3, np.nan], [3, 4, 5, 9]).n == 3
    line = linear_trend([2023, 2024, 2025], [-0.4, -0.3, -0.2])
    assert line.slope == pytest.approx(0.1)
    assert line.intercept + 2024 * line.slope == pytest.approx(-0.3)
    assert linear_trend([1, 2, 3], [5, 5, 5]).slope == pytest.approx(0)
    with pytest.raises(ValueError, match="positive weight"):
        linear_trend([1, 2, 3], [1, 2, 3], [1, 0, 1])
    with pytest.raises(ValueError, match="one length"):
        linear_trend([1, 2, 3], [1, 2])


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=20))
def test_correlation_is_scipys(rows):
    x, y = np.array(rows).T
    ours = association(x, y, resamples=20)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert ours is None
        return
    assert ours.rho == pytest.approx(spearmanr(x, y).statistic)


def test_permutation_test_is_near_the_exact_one():
    x, y = np.arange(7), np.array([2, 1, 4, 3, 7, 5, 6])
    rho = spearmanr(x, y).statistic
    # Without ties rho is 1 - 6 sum of squared rank differences / (n^3 - n).
    squares = ((np.array(list(permutations(y))) - 1 - x) ** 2).sum(axis=1)
    every = np.abs(1 - 6 * squares / (7**3 - 7)) >= rho - 1e-12
    assert association(x, y, resamples=20000).p_value == pytest.approx(np.mean(every), abs=0.004)


def test_bootstrap_interval_covers():
    generator = np.random.default_rng(2)
    covered = 0
    for seed in range(150):
        x = generator.normal(size=40)
        y = 0.6 * x + 0.8 * generator.normal(size=40)
        covered += 0.582 in association(x, y, resamples=300, seed=seed).interval  # 6/pi arcsin(0.6/2)
    assert 0.88 < covered / 150 <= 1


def test_association_edges():
    assert association([1, 2], [1, 2]) is None
    assert association([1, 1, 1], [1, 2, 3]) is None
    assert association([1, 2, np.nan], [1, 2, 3]) is None
    same = association([1, 2, 3, 4], [1, 5, 6, 9], resamples=200)
    again = association([1, 2, 3, 4], [1, 5, 6, 9], resamples=200)
    assert same == again
    assert same.rho == pytest.approx(1)


@pytest.fixture(scope="module")
def submissions():
    """Sixty submissions without any contamination; a third of the samples is called clean, mostly hard."""
    generator = np.random.default_rng(6)
    hard = np.arange(240) % 2 == 0
    clean = np.tile(generator.random(240) < np.where(hard, 0.5, 0.2), (60, 1))
    ability = np.linspace(0.1, 0.8, 60)[:, None]
    resolved = generator.random((60, 240)) < np.where(hard, ability * 0.6, ability)
    return resolved, clean, np.where(hard, "hard", "easy").tolist()


def test_chance_and_difficulty_alone_explain_what_is_seen_without_contamination(submissions):
    resolved, clean, difficulty = submissions
    result = rate_against_change(resolved, clean, difficulty, resamples=200)
    assert result.p_value > 0.05
    assert result.association.rho in result.expected


def test_memory_that_fades_with_ability_is_more_than_chance(submissions):
    resolved, clean, difficulty = submissions
    generator = np.random.default_rng(1)
    memory = ~clean & (generator.random(clean.shape) < np.linspace(0.6, 0, 60)[:, None])
    result = rate_against_change(resolved | memory, clean, difficulty, resamples=200)
    assert result.association.rho > result.expected.high
    assert result.p_value < 0.02


def test_labels_stay_within_their_stratum(submissions):
    resolved, clean, _ = submissions
    # Strata of one sample each: every deal is the observed one.
    result = rate_against_change(resolved, clean, list(range(240)), resamples=5)
    assert result.expected.low == pytest.approx(result.association.rho)
    assert result.expected.high == pytest.approx(result.association.rho)


def test_rate_against_change_edges(submissions):
    resolved, clean, difficulty = submissions
    assert rate_against_change(resolved[:2], clean[:2]).association is None
    nothing = rate_against_change(np.zeros((5, 9), bool), np.ones((5, 9), bool))
    assert nothing.association is nothing.expected is nothing.p_value is None
    with pytest.raises(ValueError, match="differ"):
        rate_against_change(resolved, clean[:3])
    with pytest.raises(ValueError, match="strata"):
        rate_against_change(resolved, clean, difficulty[:3])
