import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.statistics.arrays import Counts
from engine.statistics.ranking import Rank, bootstrap_ranks, ranks, simultaneous_ranks


def counts(k, n):
    return Counts(np.array(k, dtype=np.int64), np.array(n, dtype=np.int64))


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, np.nan]), max_size=12))
def test_a_rank_is_one_plus_the_number_of_better_rates(rates):
    for rate, rank in zip(rates, ranks(rates), strict=True):
        if np.isnan(rate):
            assert np.isnan(rank)
        else:
            assert rank == 1 + sum(other > rate for other in rates)


def test_equal_fractions_of_different_size_tie():
    assert ranks([1 / 3, 58 / 174, 0.2]).tolist() == [1, 1, 3]


def test_simultaneous_intervals_separate_only_what_differs():
    result = simultaneous_ranks(counts([480, 250, 245, 10, 0], [500, 500, 500, 500, 0]))
    assert [result.at(i) for i in range(5)] == [
        Rank(1, 1, 1),
        Rank(2, 2, 3),
        Rank(3, 2, 3),
        Rank(4, 4, 4),
        None,
    ]


def test_simultaneous_intervals_hold_together():
    generator = np.random.default_rng(1)
    truth = np.linspace(0.5, 0.6, 15)
    true_rank = ranks(truth)
    held = 0
    for _ in range(200):
        result = simultaneous_ranks(counts(generator.binomial(500, truth), [500] * 15))
        held += bool(np.all((result.low <= true_rank) & (true_rank <= result.high)))
    assert held >= 190


def test_simultaneous_edges():
    assert simultaneous_ranks(counts([], [])).rank.shape == (0,)
    assert simultaneous_ranks(counts([1], [2])).at(0) == Rank(1, 1, 1)
    assert simultaneous_ranks(counts([0, 0], [5, 9])).at(1) == Rank(1, 1, 2)


@pytest.fixture(scope="module")
def matrix():
    generator = np.random.default_rng(4)
    easy = generator.random(300)
    ability = np.array([0.9, 0.55, 0.5, 0.1])
    return generator.random((4, 300)) < np.clip(ability[:, None] + easy - 0.5, 0, 1)


def test_bootstrap_gives_the_ranks_of_a_plain_loop(matrix):
    member = np.random.default_rng(8).random(matrix.shape) < 0.6
    result = bootstrap_ranks(matrix, member, resamples=400, seed=9)
    generator = np.random.default_rng(9)
    drawn = generator.integers(300, size=(400, 300))
    places = np.array([ranks([matrix[s, rows][member[s, rows]].mean() for s in range(4)]) for rows in drawn])
    places.sort(axis=0)
    assert result.rank.tolist() == ranks([matrix[s, member[s]].mean() for s in range(4)]).tolist()
    assert result.low.tolist() == np.minimum(places[10], result.rank).tolist()
    assert result.high.tolist() == np.maximum(places[389], result.rank).tolist()


def test_bootstrap_is_certain_of_the_clear_and_not_of_the_close(matrix):
    result = bootstrap_ranks(matrix, np.ones(300, dtype=bool))
    assert (result.at(0), result.at(3)) == (Rank(1, 1, 1), Rank(4, 4, 4))
    assert (result.low[1], result.high[2]) == (2, 3)


def test_an_interval_holds_the_rank_even_where_all_tie():
    # Each solves one sample of its own: all share rank 1, and nearly every resample puts most of them lower.
    result = bootstrap_ranks(np.eye(200, dtype=bool), np.ones(200, dtype=bool), resamples=200)
    assert result.low.tolist() == result.rank.tolist() == [1.0] * 200
    assert np.all(result.high > 50)


def test_the_same_seed_gives_the_same_intervals(matrix):
    first = bootstrap_ranks(matrix, np.ones(300, dtype=bool), resamples=50, seed=1)
    again = bootstrap_ranks(matrix, np.ones(300, dtype=bool), resamples=50, seed=1)
    assert first.low.tolist() == again.low.tolist()
    assert first.high.tolist() == again.high.tolist()


def test_whole_repositories_are_drawn():
    # The second leads in one repository only: without it, the first leads; with samples drawn singly, never.
    resolved = np.zeros((2, 400), dtype=bool)
    resolved[0, :200:2] = True
    resolved[1, 200:] = True
    member = np.ones(400, dtype=bool)
    singly = bootstrap_ranks(resolved, member)
    clustered = bootstrap_ranks(resolved, member, clusters=np.repeat(["one", "other"], 200))
    assert singly.at(1) == Rank(1, 1, 1)
    assert clustered.at(1) == Rank(1, 1, 2)


def test_a_submission_without_samples_has_no_rank(matrix):
    member = np.ones(matrix.shape, dtype=bool)
    member[2] = False
    result = bootstrap_ranks(matrix, member, resamples=20)
    assert result.at(2) is None
    assert result.at(3).rank == 3


def test_bootstrap_edges():
    assert bootstrap_ranks(np.zeros((0, 4)), np.ones(4)).rank.shape == (0,)
    assert bootstrap_ranks(np.zeros((2, 0)), np.ones(0)).at(0) is None
    one = np.zeros((2, 3), dtype=bool)
    few = np.zeros(3, dtype=bool)
    few[0] = True
    # A resample without the only member has no rates; the others tie.
    assert bootstrap_ranks(one, few).at(1) == Rank(1, 1, 1)


def test_shapes_that_do_not_fit_are_refused(matrix):
    with pytest.raises(ValueError, match="do not fit"):
        bootstrap_ranks(matrix, np.ones(3))
    with pytest.raises(ValueError, match="clusters"):
        bootstrap_ranks(matrix, np.ones(300), clusters=["a"])
