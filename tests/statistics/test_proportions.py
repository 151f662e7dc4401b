import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from engine.statistics.intervals import critical_value, wilson_bounds
from engine.statistics.proportions import (
    Interval,
    Proportion,
    newcombe_difference,
    relative_change,
    relative_change_as_printed,
)

proportions = st.integers(1, 600).flatmap(lambda n: st.builds(Proportion, st.integers(0, n), st.just(n)))


@given(proportions, st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_agrees_with_scipy_and_statsmodels(p, confidence):
    interval = p.wilson(confidence)
    scipy = binomtest(p.k, p.n).proportion_ci(confidence, method="wilson")
    other = proportion_confint(p.k, p.n, alpha=1 - confidence, method="wilson")
    assert interval.low == pytest.approx(scipy.low, abs=1e-12)
    assert interval.high == pytest.approx(scipy.high, abs=1e-12)
    assert (interval.low, interval.high) == pytest.approx(other, abs=1e-12)


@given(proportions)
def test_wilson_ends_solve_the_score_equation(p):
    # The interval is where |rate - p0| <= z sqrt(p0 (1 - p0) / n): exact in fractions up to z.
    z2 = Fraction(critical_value(0.95)) ** 2
    interval = p.wilson()
    for end in (interval.low, interval.high):
        p0 = Fraction(end)
        gap = (Fraction(p.k, p.n) - p0) ** 2 - z2 * p0 * (1 - p0) / p.n
        assert abs(gap) < Fraction(1, 10**12)


def test_wilson_at_the_edges():
    assert Proportion(0, 0).rate is None
    assert Proportion(0, 0).wilson() is None
    assert Proportion(0, 42).wilson().low == 0
    assert 0 < Proportion(0, 42).wilson().high < 0.1
    assert Proportion(42, 42).wilson().high == 1
    assert Proportion(42, 42).wilson().low < 1
    low, high = wilson_bounds([0, 3, 0], [0, 3, 3], 0.95)
    assert np.isnan(low[0])
    assert np.isnan(high[0])
    assert (high[1], low[2]) == (1, 0)


@pytest.mark.parametrize(("k", "n"), [(-1, 3), (4, 3), (1, 0)])
def test_impossible_counts_are_refused(k, n):
    with pytest.raises(ValueError, match="0 <= k <= n"):
        Proportion(k, n)


def test_impossible_confidence_and_interval_are_refused():
    with pytest.raises(ValueError, match="confidence"):
        critical_value(1.0)
    with pytest.raises(ValueError, match="upwards"):
        Interval(1.0, 0.0)
    with pytest.raises(ValueError, match="upwards"):
        Interval(math.nan, 0.0)


@given(proportions, proportions)
def test_newcombe_agrees_with_statsmodels(clean, contaminated):
    interval = newcombe_difference(clean, contaminated)
    expected = confint_proportions_2indep(
        clean.k, clean.n, contaminated.k, contaminated.n, method="newcomb", compare="diff"
    )
    assert (interval.low, interval.high) == pytest.approx(np.clip(expected, -1, 1), abs=1e-12)
    assert clean.rate - contaminated.rate in interval


def test_newcombe_reproduces_the_example_of_the_1998_paper():
    # Table II of Newcombe 1998, method 10: 56/70 against 48/80 gives 0.0524 to 0.3339.
    interval = newcombe_difference(Proportion(56, 70), Proportion(48, 80))
    assert (round(interval.low, 4), round(interval.high, 4)) == (0.0524, 0.3339)


@given(proportions, proportions)
def test_newcombe_is_antisymmetric(first, second):
    there, back = newcombe_difference(first, second), newcombe_difference(second, first)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low), abs=1e-12)


def test_newcombe_of_an_empty_group_is_undefined():
    assert newcombe_difference(Proportion(0, 0), Proportion(1, 2)) is None
    assert newcombe_difference(Proportion(1, 2), Proportion(0, 0)) is None


# Cells of the paper's Tables 6, 7 and 8: before, after, change as printed in percent.
PRINTED = [
    ((394, 500), (130, 174), -5.2),
    ((205, 261), (73, 91), 2.1),
    ((19, 42), (9, 25), -20.4),
    ((1, 3), (0, 1), -100.0),
    ((0, 3), (0, 1), 0.0),
    ((0, 42), (0, 18), 0.0),
    ((112, 500), (17, 132), -42.5),
    ((2, 42), (1, 21), 0.0),
    ((20, 128), (4, 58), -55.9),
    ((0, 36), (0, 20), 0.0),
]


@pytest.mark.parametrize(("before", "after", "printed"), PRINTED)
def test_change_is_the_papers(before, after, printed):
    change = relative_change_as_printed(Proportion(*before), Proportion(*after))
    assert round(100 * change, 1) == printed


def test_nothing_resolved_before_shows_no_drop_of_any_size():
    assert relative_change(Proportion(0, 42), Proportion(0, 18)) is None
    assert relative_change(Proportion(2, 42), Proportion(1, 21)) == 0
    for change in (relative_change, relative_change_as_printed):
        assert change(Proportion(0, 0), Proportion(0, 0)) is None
        assert change(Proportion(1, 2), Proportion(0, 0)) is None
        assert change(Proportion(0, 2), Proportion(1, 2)) is None
