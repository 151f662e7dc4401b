import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import t

from engine.statistics.arrays import Counts
from engine.statistics.clustered import clustered_differences, clustered_rates
from engine.statistics.intervals import wilson_bounds


def row(k, n):
    return Counts(np.array([k], dtype=np.int64), np.array([n], dtype=np.int64))


def expand(k, n):
    """One outcome and one cluster a sample."""
    outcome = np.concatenate([np.repeat([1.0, 0.0], [a, b - a]) for a, b in zip(k, n, strict=True)])
    return outcome, np.repeat(np.arange(len(n)), n)


def test_variance_of_a_rate_is_that_of_a_cluster_robust_regression():
    k, n = [90, 5, 12, 0, 7], [200, 30, 20, 9, 8]
    outcome, cluster = expand(k, n)
    fit = sm.OLS(outcome, np.ones_like(outcome)).fit(cov_type="cluster", cov_kwds={"groups": cluster})
    rate, variance = outcome.mean(), fit.cov_params()[0, 0]
    # Wilson's interval solves (rate - p)^2 = t^2 p (1 - p) / n: both ends must name the same n, which is that
    # of the robust variance.
    bounds = clustered_rates(row(k, n), 0.95)
    quantile = t.ppf(0.975, len(n) - 1)
    for end in (bounds.low[0], bounds.high[0]):
        implied = quantile**2 * end * (1 - end) / (rate - end) ** 2
        assert implied == pytest.approx(rate * (1 - rate) / variance)


def test_difference_is_that_of_a_cluster_robust_regression():
    clean_k, clean_n = [30, 2, 4, 0], [80, 10, 9, 4]
    dirty_k, dirty_n = [100, 9, 3, 5], [120, 20, 11, 5]
    first, first_cluster = expand(clean_k, clean_n)
    second, second_cluster = expand(dirty_k, dirty_n)
    outcome = np.concatenate([first, second])
    design = sm.add_constant(np.repeat([1.0, 0.0], [len(first), len(second)]))
    fit = sm.OLS(outcome, design).fit(
        cov_type="cluster", cov_kwds={"groups": np.concatenate([first_cluster, second_cluster])}
    )
    # statsmodels also multiplies by (N - 1) / (N - 2), for the regression's two coefficients.
    size = len(outcome)
    error = fit.bse[1] * np.sqrt((size - 2) / (size - 1))
    half = t.ppf(0.975, 3) * error
    bounds = clustered_differences(row(clean_k, clean_n), row(dirty_k, dirty_n), 0.95)
    assert bounds.low[0] == pytest.approx(fit.params[1] - half)
    assert bounds.high[0] == pytest.approx(fit.params[1] + half)


def test_interval_covers_where_samples_of_a_repository_are_alike():
    generator = np.random.default_rng(11)
    n = np.tile([40] * 12, (3000, 1))
    rate = 0.6
    chance = generator.beta(rate * 9, (1 - rate) * 9, n.shape)
    counts = Counts(generator.binomial(n, chance), n)
    clustered = clustered_rates(counts, 0.95)
    low, high = wilson_bounds(counts.k.sum(axis=1), n.sum(axis=1), 0.95)
    naive = np.mean((low <= rate) & (rate <= high))
    allowed = np.mean((clustered.low <= rate) & (rate <= clustered.high))
    assert naive < 0.75
    assert 0.93 < allowed < 0.98


def test_repositories_that_agree_do_not_narrow_the_interval():
    counts = row([50, 50, 50], [100, 100, 100])
    bounds = clustered_rates(counts, 0.95)
    low, high = wilson_bounds(150, 300, 0.95)
    assert bounds.low[0] <= low
    assert bounds.high[0] >= high
    difference = clustered_differences(counts, row([60, 60, 60], [100, 100, 100]), 0.95)
    assert difference.low[0] < -0.1 < difference.high[0]


@pytest.mark.parametrize(
    ("k", "n"), [([5], [10]), ([5, 0], [10, 0]), ([0, 0], [4, 5]), ([4, 5], [4, 5]), ([0, 0], [0, 0])]
)
def test_nothing_to_learn_from_gives_no_interval(k, n):
    bounds = clustered_rates(row(k, n), 0.95)
    assert np.isnan(bounds.low[0])
    assert bounds.at(0) is None


def test_difference_without_a_group_or_variation_gives_no_interval():
    some, none = row([1, 2], [3, 4]), row([0, 0], [0, 0])
    assert clustered_differences(some, none, 0.95).at(0) is None
    assert clustered_differences(none, some, 0.95).at(0) is None
    assert clustered_differences(row([3, 4], [3, 4]), row([0, 0], [2, 2]), 0.95).at(0) is None
    assert clustered_differences(row([1], [3]), row([2], [3]), 0.95).at(0) is None
    # One repository holds the clean samples, another the contaminated ones: two clusters, defined but wide.
    apart = clustered_differences(row([1, 0], [3, 0]), row([0, 2], [0, 3]), 0.95)
    assert (apart.low[0], apart.high[0]) == (-1, 1)
