import numpy as np
import pytest

from engine.statistics.pair_order import order_shares
from engine.statistics.ranking import SEED, resample_weights


def test_shares_are_those_of_the_resamples_one_by_one():
    generator = np.random.default_rng(3)
    resolved = generator.random((4, 30)) < np.array([[0.2], [0.5], [0.5], [0.9]])
    member = generator.random((4, 30)) < 0.6
    member[2, 5:] = False
    clusters = np.arange(30) // 6
    shares = order_shares(resolved, member, clusters=clusters, resamples=50)
    above, both = np.zeros((4, 4)), np.zeros((4, 4))
    for weights in resample_weights(30, clusters, 50, np.random.default_rng(SEED)):
        rates = []
        for solved, counted in zip(resolved, member, strict=True):
            total = weights[counted].sum()
            rates.append(weights[counted & solved].sum() / total if total else np.nan)
        for i in range(4):
            for j in range(4):
                above[i, j] += rates[i] > rates[j]
                both[i, j] += not np.isnan(rates[i] + rates[j])
    assert both.min() < 50
    assert shares == pytest.approx(above / both)
    assert shares[3, 0] > 0.95


def test_ties_are_neither_above_nor_below():
    resolved = np.array([[True, False], [True, False]])
    assert order_shares(resolved, np.ones_like(resolved)).tolist() == [[0, 0], [0, 0]]


def test_a_submission_without_samples_has_no_share():
    resolved = np.array([[True, False], [True, True]])
    shares = order_shares(resolved, np.array([[True, True], [False, False]]))
    assert np.isnan(shares[0, 1])
    assert np.isnan(shares[1, 0])
    assert order_shares(np.zeros((0, 2), bool), np.zeros((0, 2), bool)).shape == (0, 0)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="do not fit"):
        order_shares(np.zeros((2, 3), bool), np.zeros(3, bool))
