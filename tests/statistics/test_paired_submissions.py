import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests

from engine.statistics.effects.paired import compare_all, compare_pair, solved_alone
from engine.statistics.proportions import Proportion, newcombe_difference

tables = st.tuples(*[st.integers(0, 40)] * 4)


def outcomes(both, first, second, neither):
    a = [True] * (both + first) + [False] * (second + neither)
    b = [True] * both + [False] * first + [True] * second + [False] * neither
    return a, b


@given(tables)
def test_exact_test_and_kappa_agree_with_statsmodels(cells):
    result = compare_pair(*outcomes(*cells))
    assert (result.both, result.first_only, result.second_only, result.neither) == cells
    table = np.array(cells).reshape(2, 2)
    assert result.p_value == pytest.approx(min(1, mcnemar(table, exact=True).pvalue))
    if result.agreement is None:
        assert sum(cells) in (cells[0], cells[3])
        return
    with np.errstate(invalid="ignore"):
        theirs = cohens_kappa(table)
    assert result.agreement.kappa == pytest.approx(theirs.kappa)
    if not theirs.var_kappa > 1e-12:
        assert result.agreement.interval is None
        return
    assert result.agreement.interval.low == pytest.approx(max(theirs.kappa_low, -1), abs=1e-9)
    assert result.agreement.interval.high == pytest.approx(min(theirs.kappa_upp, 1), abs=1e-9)


@given(tables)
def test_paired_interval_is_antisymmetric_and_holds_the_difference(cells):
    both, first, second, neither = cells
    result, swapped = compare_pair(*outcomes(*cells)), compare_pair(*outcomes(both, second, first, neither))
    if not sum(cells):
        assert result.difference_interval is result.difference is None
        return
    there, back = result.difference_interval, swapped.difference_interval
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))
    assert there.low - 1e-12 <= result.difference <= there.high + 1e-12


@pytest.mark.parametrize(
    ("cells", "low", "high"), [((36, 12, 2, 0), 0.0569, 0.3404), ((20, 12, 2, 16), 0.0562, 0.3292)]
)
def test_paired_interval_reproduces_published_ones(cells, low, high):
    # Newcombe 1998, Statistics in Medicine 17, 2635-2650, method 10. Only the second is correlated enough for
    # the continuity correction to leave anything.
    interval = compare_pair(*outcomes(*cells)).difference_interval
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


def test_independent_outcomes_have_newcombes_unpaired_interval():
    # No correlation: 30/60 and 20/60 with cells as the margins give.
    result = compare_pair(*outcomes(10, 20, 10, 20))
    expected = newcombe_difference(Proportion(30, 60), Proportion(20, 60))
    assert (result.difference_interval.low, result.difference_interval.high) == pytest.approx(
        (expected.low, expected.high)
    )


def test_paired_interval_covers_and_is_narrower_than_the_unpaired_one():
    generator = np.random.default_rng(1)
    covered, paired, unpaired = 0, [], []
    for _ in range(400):
        easy = generator.random(150)
        first, second = easy + generator.normal(0, 0.1, 150) > 0.4, easy + generator.normal(0, 0.1, 150) > 0.5
        result = compare_pair(first, second)
        interval = result.difference_interval
        covered += 0.1 in interval
        paired.append(interval.high - interval.low)
        apart = newcombe_difference(Proportion(int(first.sum()), 150), Proportion(int(second.sum()), 150))
        unpaired.append(apart.high - apart.low)
    assert covered / 400 > 0.93
    assert np.mean(paired) < 0.75 * np.mean(unpaired)


def test_only_samples_that_count_are_compared():
    result = compare_pair([True, True, False], [False, True, True], [True, True, False])
    assert (result.both, result.first_only, result.second_only, result.n) == (1, 1, 0, 2)
    assert result.difference == 0.5


def test_submissions_that_never_differ():
    same = compare_pair([True, False, True], [True, False, True])
    assert same.p_value == 1
    assert (same.agreement.kappa, same.agreement.interval) == (1, None)
    assert compare_pair([True, True, True], [True, False, True]).agreement.interval is None
    assert compare_pair([True], [True]).agreement is None
    assert compare_pair([], []).agreement is None


def test_every_pair_is_compared_where_both_count():
    generator = np.random.default_rng(3)
    resolved, member = generator.random((4, 80)) < 0.5, generator.random((4, 80)) < 0.7
    pairs = compare_all(resolved, member)
    assert [(pair.first, pair.second) for pair in pairs] == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert pairs[4].result == compare_pair(resolved[1], resolved[3], member[1] & member[3])
    expected = multipletests([pair.result.p_value for pair in pairs], method="fdr_bh")[1]
    assert [pair.q_value for pair in pairs] == pytest.approx(expected)
    shared = compare_all(resolved, member[0])
    assert all(pair.result.n == member[0].sum() for pair in shared)
    assert compare_all(resolved)[0].result.n == 80
    assert compare_all(resolved[:1]) == ()


def test_solved_alone():
    resolved = [[True, True, False, False], [True, False, False, True]]
    assert solved_alone(resolved).tolist() == [[False, True, False, False], [False, False, False, True]]


def test_shapes_that_differ_are_refused():
    with pytest.raises(ValueError, match="differ"):
        compare_pair([True], [True, False])
