"""Stage I's test against exact fractions and plain enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.statistics.repository_presence import (
    P0,
    PresenceVerdict,
    binomial_tail,
    calibrate_p0,
    design_effect,
    detectable_rate,
    grid_weights,
    judge_repositories,
    normalised_weights,
    repository_test,
    weighted_tail,
)

probabilities = st.fractions(0, 1, max_denominator=1000)


def exact_tail(hits: int, queries: int, p0: Fraction) -> Fraction:
    return sum(
        (comb(queries, i) * p0**i * (1 - p0) ** (queries - i) for i in range(hits, queries + 1)), Fraction(0)
    )


@given(st.integers(0, 200), st.data(), probabilities)
def test_the_tail_agrees_with_fractions(queries: int, data: st.DataObject, p0: Fraction) -> None:
    hits = data.draw(st.integers(0, queries))
    expected = exact_tail(hits, queries, p0)
    assert binomial_tail(hits, queries, float(p0)) == pytest.approx(float(expected), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("hits", "queries", "p0", "expected"),
    [(0, 0, 0.3, 1.0), (0, 9, 0.0, 1.0), (1, 9, 0.0, 0.0), (9, 9, 1.0, 1.0), (0, 9, 1.0, 1.0)],
)
def test_the_ends_are_defined(hits: int, queries: int, p0: float, expected: float) -> None:
    assert binomial_tail(hits, queries, p0) == expected
    flags = [True] * hits + [False] * (queries - hits)
    assert weighted_tail(flags, np.ones(queries), p0) == expected


@pytest.mark.parametrize(("hits", "queries", "p0"), [(2, 1, 0.5), (-1, 1, 0.5), (0, 1, 1.5)])
def test_what_is_no_test_is_refused(hits: int, queries: int, p0: float) -> None:
    with pytest.raises(ValueError, match="no binomial tail"):
        binomial_tail(hits, queries, p0)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.booleans(), st.integers(1, 400)), min_size=1, max_size=9),
    st.fractions(0, 1, max_denominator=50),
)
def test_the_weighted_tail_agrees_with_enumeration(pairs: list[tuple[bool, int]], p0: Fraction) -> None:
    hits, weights = [hit for hit, _ in pairs], [weight for _, weight in pairs]
    steps = [int(step) for step in grid_weights(weights)]
    observed = sum(step for step, hit in zip(steps, hits, strict=True) if hit)
    expected = Fraction(0)
    for outcome in product([False, True], repeat=len(steps)):
        if sum(step for step, hit in zip(steps, outcome, strict=True) if hit) >= observed:
            found = sum(outcome)
            expected += p0**found * (1 - p0) ** (len(steps) - found)
    assert weighted_tail(hits, weights, float(p0)) == pytest.approx(float(expected), rel=1e-9, abs=1e-12)


@given(st.integers(1, 120), st.data(), st.floats(0.01, 0.5))
def test_equal_weights_give_the_unweighted_test(queries: int, data: st.DataObject, p0: float) -> None:
    hits = data.draw(st.integers(0, queries))
    flags = [True] * hits + [False] * (queries - hits)
    assert weighted_tail(flags, np.full(queries, 3.7), p0) == pytest.approx(
        binomial_tail(hits, queries, p0), rel=1e-9, abs=1e-12
    )


def test_weights_have_mean_one_and_none_is_negative() -> None:
    assert normalised_weights([1, 3]).tolist() == [0.5, 1.5]
    assert normalised_weights([0, 0]).tolist() == [1.0, 1.0]
    for bad in ([-1.0, 2.0], [float("nan")], [float("inf")]):
        with pytest.raises(ValueError, match="finite"):
            normalised_weights(bad)


def test_calibration_is_the_posterior_under_jeffreys_prior() -> None:
    p0 = calibrate_p0(0, 50)
    assert p0.value == pytest.approx(0.5 / 51, abs=1e-15)
    assert p0.interval is not None
    # Quantiles of Beta(1/2, 101/2) and Beta(9/2, 93/2), by independent numerical integration of the density.
    assert (p0.interval.low, p0.interval.high) == (
        pytest.approx(_beta_quantile(0.025, 0.5, 50.5), rel=1e-6),
        pytest.approx(_beta_quantile(0.975, 0.5, 50.5), rel=1e-6),
    )
    assert calibrate_p0(4, 50).value == pytest.approx(4.5 / 51, abs=1e-15)
    with pytest.raises(ValueError, match="a query"):
        calibrate_p0(0, 0)


def _beta_quantile(share: float, a: float, b: float) -> float:
    """Bisect the regularised incomplete beta integral, computed by substitution x = sin^2(t)."""
    angles = np.linspace(0, np.pi / 2, 2_000_001)
    density = np.sin(angles) ** (2 * a - 1) * np.cos(angles) ** (2 * b - 1)
    cumulative = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2)])
    angle = np.interp(share * cumulative[-1], cumulative, angles)
    return float(np.sin(angle) ** 2)


def test_queries_that_hit_by_groups_count_for_less() -> None:
    hits = [True] * 10 + [False] * 10
    together = ["a"] * 10 + ["b"] * 10
    assert design_effect(hits, together) == pytest.approx(20.0)
    assert design_effect(hits, [str(i) for i in range(20)]) == pytest.approx(20 / 19)
    assert design_effect([], []) == design_effect([True, True], ["a", "b"]) == 1.0
    test = repository_test(hits, np.ones(20), together, P0(0.1))
    assert test.p_value < 1e-5 < test.adjusted_p_value
    assert test.adjusted_p_value == binomial_tail(0, 1, 0.1) == 1.0


def test_the_detectable_rate_is_where_the_power_is_reached() -> None:
    rate = detectable_rate(40, 0.08)
    assert rate is not None
    needed = next(k for k in range(41) if binomial_tail(k, 40, 0.08) <= 0.05)
    assert binomial_tail(needed, 40, rate) == pytest.approx(0.8, abs=1e-9)
    assert detectable_rate(0, 0.08) is None
    assert detectable_rate(1, 0.08) is None
    assert detectable_rate(50, 1.0) is None


def test_verdicts_need_significance_after_false_discovery_control_or_power() -> None:
    def made(hits: int, queries: int) -> object:
        flags = [True] * hits + [False] * (queries - hits)
        return repository_test(flags, np.ones(queries), [str(i) for i in range(queries)], P0(0.08))

    tests = [made(30, 60), made(5, 60), made(1, 4), made(0, 0)]
    verdicts = [verdict for verdict, _ in judge_repositories(tests)]  # type: ignore[arg-type]
    assert verdicts == [
        PresenceVerdict.PRESENT,
        PresenceVerdict.NOT_SHOWN,
        PresenceVerdict.TOO_FEW,
        PresenceVerdict.TOO_FEW,
    ]
    # 9 of 60 has p = 0.05 alone; among twenty repositories without a sign it is no discovery.
    alone, crowd = made(9, 60), [made(9, 60)] + [made(4, 60)] * 19
    assert judge_repositories([alone])[0][0] is PresenceVerdict.PRESENT  # type: ignore[list-item]
    assert judge_repositories(crowd)[0][0] is PresenceVerdict.NOT_SHOWN  # type: ignore[arg-type]
    assert judge_repositories([]) == []
