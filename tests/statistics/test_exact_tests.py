from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact
from statsmodels.stats.multitest import multipletests

from engine.statistics.exact import benjamini_hochberg, fisher_p_values

group = st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def by_fractions(k1, n1, k2, n2):
    total, size = k1 + k2, n1 + n2
    support = range(max(0, total - n2), min(total, n1) + 1)
    probability = {x: Fraction(comb(n1, x) * comb(n2, total - x), comb(size, total)) for x in support}
    return {
        "two-sided": sum(p for p in probability.values() if p <= probability[k1]),
        "less": sum(p for x, p in probability.items() if x <= k1),
        "greater": sum(p for x, p in probability.items() if x >= k1),
    }


@given(group, group)
def test_fisher_equals_exact_fractions(first, second):
    for alternative, expected in by_fractions(*first, *second).items():
        p_value = fisher_p_values(*first, *second, alternative)
        assert p_value == pytest.approx(float(expected), rel=1e-9)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_fisher_agrees_with_scipy_at_the_size_of_a_leaderboard(alternative):
    generator = np.random.default_rng(7)
    n1, n2 = generator.integers(1, 3000, 60), generator.integers(1, 3000, 60)
    k1 = generator.binomial(n1, generator.random(60))
    k2 = generator.binomial(n2, generator.random(60))
    ours = fisher_p_values(k1, n1, k2, n2, alternative)
    for index, table in enumerate(zip(k1, n1, k2, n2, strict=True)):
        a, m, c, n = (int(value) for value in table)
        expected = fisher_exact([[a, m - a], [c, n - c]], alternative=alternative).pvalue
        assert ours[index] == pytest.approx(expected, rel=1e-6, abs=1e-20)


def test_fisher_keeps_the_tail_of_a_rare_outcome():
    # Mean 0.013 and deviation 0.12: tables with 4 and more are far away in deviations and still count.
    expected = fisher_exact([[2, 8], [38, 29962]], alternative="greater").pvalue
    assert fisher_p_values(2, 10, 38, 30000, "greater") == pytest.approx(expected, rel=1e-9, abs=0)


def test_fisher_at_the_edges():
    assert np.isnan(fisher_p_values(0, 0, 1, 2))
    assert np.isnan(fisher_p_values(1, 2, 0, 0))
    assert fisher_p_values(0, 5, 0, 7) == 1
    assert fisher_p_values(5, 5, 7, 7) == 1
    assert fisher_p_values([], [], [], []).shape == (0,)
    assert fisher_p_values(np.ones((2, 3)), 2, 1, 2).shape == (2, 3)
    assert 0 <= fisher_p_values(0, 2000, 2000, 2000) < 1e-300


@pytest.mark.parametrize("table", [(3, 2, 0, 1), (-1, 2, 0, 1), (0, 1, 2, 1)])
def test_fisher_refuses_impossible_tables(table):
    with pytest.raises(ValueError, match="0 <= k <= n"):
        fisher_p_values(*table)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_benjamini_hochberg_agrees_with_statsmodels(p_values):
    assert benjamini_hochberg(p_values) == pytest.approx(multipletests(p_values, method="fdr_bh")[1])


def test_tests_that_could_not_be_made_are_no_part_of_the_family():
    adjusted = benjamini_hochberg([0.01, np.nan, 0.04])
    assert adjusted[[0, 2]] == pytest.approx([0.02, 0.04])
    assert np.isnan(adjusted[1])
    assert benjamini_hochberg([]).shape == (0,)
    assert np.isnan(benjamini_hochberg([np.nan])).all()
