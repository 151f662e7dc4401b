import numpy as np
import pytest

from engine.statistics.arrays import Counts
from engine.statistics.effects.fragility import Scenario, rank_fragility


def scenario(k, n, **choices):
    return Scenario(choices, Counts(np.array(k, dtype=np.int64), np.array(n, dtype=np.int64)))


@pytest.fixture
def four():
    return [
        scenario([9, 6, 3, 0], [10, 10, 10, 0], detector="paper", threshold="0.7"),
        scenario([9, 3, 6, 0], [10, 10, 10, 0], detector="traced", threshold="0.7"),
        scenario([9, 6, 6, 1], [10, 10, 10, 10], detector="paper", threshold="0.9"),
        scenario([9, 5, 6, 0], [10, 10, 10, 0], detector="traced", threshold="0.9"),
    ]


def test_ranks_and_their_range(four):
    result = rank_fragility(four)
    assert result.ranks[:, :3].tolist() == [[1, 2, 3], [1, 3, 2], [1, 2, 2], [1, 3, 2]]
    assert result.best.tolist() == [1, 2, 2, 4]
    assert result.worst.tolist() == [1, 3, 3, 4]


def test_only_statements_true_in_every_scenario_survive(four):
    result = rank_fragility(four)
    assert result.always_above.tolist() == [
        [False, True, True, True],
        [False, False, False, True],
        [False, False, False, True],
        [False, False, False, False],
    ]
    # The reference orders three pairs; second above third does not survive.
    assert result.surviving == pytest.approx(2 / 3)


def test_agreement_with_the_reference(four):
    agreement = rank_fragility(four).agreement
    assert agreement[0] == pytest.approx(1)
    assert agreement[1] == pytest.approx(1 / 3)
    assert np.isnan(
        rank_fragility([four[0], scenario([1, 1, 1, 1], [2] * 4, detector="x", threshold="y")]).agreement[1]
    )


def test_each_aspect_moves_ranks_by_itself(four):
    moved = rank_fragility(four).moved_by
    # Detector alone: scenarios 0-1 move 0, 1, 1 and 2-3 move 0, 1, 0. The fourth is rated once only.
    assert moved["detector"] == pytest.approx(3 / 6)
    # Threshold alone: 0-2 move 0, 0, 1 and 1-3 nothing.
    assert moved["threshold"] == pytest.approx(1 / 6)
    assert rank_fragility(four[:2]).moved_by["threshold"] is None


def test_leaving_some_out_moves_nobody_that_remains():
    everyone = scenario([9, 8, 7, 6], [10] * 4, policy="latest")
    without_best = scenario([0, 8, 7, 6], [0, 10, 10, 10], policy="single")
    assert rank_fragility([everyone, without_best]).moved_by["policy"] == 0


def test_a_reference_that_orders_nothing_has_nothing_to_lose():
    tied = scenario([1, 1], [2, 2], detector="paper")
    result = rank_fragility([tied])
    assert result.surviving is None
    assert result.best.tolist() == [1, 1]


def test_submissions_never_rated_together_support_no_statement():
    result = rank_fragility([scenario([1, 0], [1, 0], policy="a"), scenario([0, 1], [0, 9], policy="b")])
    assert not result.always_above.any()


@pytest.mark.parametrize(
    ("scenarios", "message"),
    [
        ([], "at least one"),
        ([scenario([1], [1], a="x"), scenario([1], [1], b="x")], "aspects"),
        ([scenario([1], [1], a="x"), scenario([1, 1], [1, 1], a="y")], "submissions"),
    ],
)
def test_scenarios_that_do_not_fit_are_refused(scenarios, message):
    with pytest.raises(ValueError, match=message):
        rank_fragility(scenarios)
