from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import StratifiedTable

from engine.statistics.arrays import Counts
from engine.statistics.proportions import Proportion
from engine.statistics.stratified import mantel_haenszel, mantel_haenszel_columns

proportion = st.integers(1, 60).flatmap(lambda n: st.builds(Proportion, st.integers(0, n), st.just(n)))
strata = st.lists(st.tuples(proportion, proportion), min_size=1, max_size=5)


def tables(pairs):
    return [np.array([[a.k, a.n - a.k], [b.k, b.n - b.k]], dtype=float) for a, b in pairs]


@given(strata)
def test_odds_ratio_and_test_agree_with_statsmodels(pairs):
    ours = mantel_haenszel([a for a, _ in pairs], [b for _, b in pairs])
    r = sum(Fraction(a.k * (b.n - b.k), a.n + b.n) for a, b in pairs)
    s = sum(Fraction((a.n - a.k) * b.k, a.n + b.n) for a, b in pairs)
    assume(r > 0 and s > 0)
    theirs = StratifiedTable(tables(pairs))
    assert ours.odds_ratio == pytest.approx(float(r / s))
    assert ours.odds_ratio == pytest.approx(theirs.oddsratio_pooled)
    bounds = theirs.oddsratio_pooled_confint()
    assert (ours.odds_ratio_interval.low, ours.odds_ratio_interval.high) == pytest.approx(bounds)
    assert ours.p_value == pytest.approx(theirs.test_null_odds(correction=False).pvalue)


@given(strata)
def test_risk_difference_equals_exact_fractions(pairs):
    ours = mantel_haenszel([a for a, _ in pairs], [b for _, b in pairs])
    top = bottom = weighted_p = weighted_q = Fraction(0)
    for a, b in pairs:
        size, weight = a.n + b.n, Fraction(a.n * b.n, a.n + b.n)
        top += weight * (Fraction(a.k, a.n) - Fraction(b.k, b.n))
        bottom += weight
        weighted_p += Fraction(a.n**2 * b.k - b.n**2 * a.k, size**2) + Fraction(
            a.n * b.n * (b.n - a.n), 2 * size**2
        )
        weighted_q += Fraction(a.k * (b.n - b.k) + b.k * (a.n - a.k), 2 * size)
    difference = top / bottom
    variance = (difference * weighted_p + weighted_q) / bottom**2
    assert ours.risk_difference == pytest.approx(float(difference), abs=1e-12)
    if variance > Fraction(1, 10**9):
        half = 1.959963984540054 * float(variance) ** 0.5
        interval = ours.risk_difference_interval
        assert interval.low == pytest.approx(max(float(difference) - half, -1), abs=1e-9)
        assert interval.high == pytest.approx(min(float(difference) + half, 1), abs=1e-9)


def test_risk_difference_interval_covers_a_planted_difference():
    generator = np.random.default_rng(3)
    trials, truth = 4000, -0.1
    n1, n2 = np.array([57, 91, 25, 3]), np.array([137, 170, 17, 3])
    contaminated = np.array([0.9, 0.7, 0.4, 0.3])
    clean = Counts(generator.binomial(n1, contaminated + truth, (trials, 4)), np.tile(n1, (trials, 1)))
    other = Counts(generator.binomial(n2, contaminated, (trials, 4)), np.tile(n2, (trials, 1)))
    bounds = mantel_haenszel_columns(clean, other, 0.95).risk_difference_bounds
    coverage = np.mean((bounds.low <= truth) & (truth <= bounds.high))
    assert 0.93 < coverage < 0.97


def test_difficulty_alone_leaves_no_difference():
    # Clean samples are mostly hard and so solved less, while each level shows the same rate in both groups.
    clean = [Proportion(9, 10), Proportion(20, 100)]
    contaminated = [Proportion(90, 100), Proportion(2, 10)]
    result = mantel_haenszel(clean, contaminated)
    assert result.odds_ratio == pytest.approx(1)
    assert result.risk_difference == pytest.approx(0)
    assert result.p_value == pytest.approx(1)


def test_strata_of_one_group_say_nothing():
    useful = (Proportion(3, 10), Proportion(9, 12))
    alone = mantel_haenszel([useful[0]], [useful[1]])
    padded = mantel_haenszel(
        [useful[0], Proportion(5, 5), Proportion(0, 0), Proportion(0, 0)],
        [useful[1], Proportion(0, 0), Proportion(4, 9), Proportion(0, 0)],
    )
    assert padded == alone
    assert padded.strata == 1


def test_undefined_parts_are_none_and_infinite_ones_say_so():
    nothing = mantel_haenszel([Proportion(0, 0)], [Proportion(1, 2)])
    assert nothing.strata == 0
    assert nothing.odds_ratio is nothing.risk_difference is nothing.p_value is None
    assert nothing.odds_ratio_interval is nothing.risk_difference_interval is None
    all_equal = mantel_haenszel([Proportion(0, 4)], [Proportion(0, 9)])
    assert all_equal.odds_ratio is None
    assert all_equal.risk_difference == 0
    assert all_equal.risk_difference_interval is None
    assert all_equal.p_value is None
    separated = mantel_haenszel([Proportion(4, 4)], [Proportion(0, 9)])
    assert separated.odds_ratio == np.inf
    assert separated.odds_ratio_interval is None
    assert separated.risk_difference == 1
    assert mantel_haenszel([Proportion(0, 4)], [Proportion(9, 9)]).odds_ratio == 0
    assert mantel_haenszel([], []).strata == 0


def test_lists_of_different_length_are_refused():
    with pytest.raises(ValueError, match="strata"):
        mantel_haenszel([Proportion(1, 2)], [])
