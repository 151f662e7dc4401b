import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.statistics.effects.matching import matched_comparison, quantile_bins
from engine.statistics.effects.panel import Panel


def confounded(seed, effect=0.0):
    """Large samples are hard and mostly clean."""
    generator = np.random.default_rng(seed)
    large = generator.random(600) < 0.5
    contaminated = generator.random(600) < np.where(large, 0.3, 0.8)
    rate = np.where(large, 0.3, 0.7) + effect * contaminated
    resolved = generator.random((20, 600)) < rate
    matrix = np.tile(contaminated, (20, 1))
    return Panel(resolved, matrix, np.ones_like(matrix)), large.tolist()


@pytest.mark.parametrize("effect", [0.0, 0.12])
def test_matching_takes_out_what_was_matched_on(effect):
    panel, large = confounded(3, effect)
    result = matched_comparison(panel, [large])
    assert result.crude < -0.15 - effect / 2
    assert -effect in result.interval
    assert result.difference == pytest.approx(-effect, abs=0.04)
    assert (result.strata, result.submissions) == (2, 20)
    assert result.clean_matched == result.contaminated_matched == 1


def test_intervals_cover_what_was_planted():
    covered = [0.0 in matched_comparison(*_as_arguments(seed), resamples=200).interval for seed in range(60)]
    assert np.mean(covered) > 0.85


def _as_arguments(seed):
    panel, large = confounded(seed)
    return panel, [large]


def test_each_submission_is_compared_within_strata():
    resolved = np.array([[1, 1, 0, 0, 1, 0], [0, 0, 0, 1, 1, 1]], dtype=bool)
    contaminated = np.array([[1, 1, 0, 0, 1, 1], [1, 1, 0, 0, 0, 1]], dtype=bool)
    result = matched_comparison(
        Panel(resolved, contaminated, np.ones_like(resolved)), [list("aaaabb"), [1, 1, 1, 1, 2, 2]]
    )
    assert result.by_submission.strata.tolist() == [1, 2]
    # First: stratum a, 0/2 clean against 2/2. Second: a, 1/2 against 0/2; b, 1/1 against 1/1.
    assert result.by_submission.risk_difference.tolist() == pytest.approx([-1, (0.5 * 1 + 0 * 0.5) / 1.5])
    assert result.clean_matched == 1
    assert result.contaminated_matched == pytest.approx(5 / 7)


def test_samples_without_a_counterpart_are_left_out_and_counted():
    panel, large = confounded(1)
    alone = [f"sample {index}" for index in range(600)]
    result = matched_comparison(panel, [large, alone])
    assert result.difference is result.interval is result.crude is None
    assert (result.strata, result.submissions, result.clean_matched) == (0, 0, 0)


def test_without_covariates_the_comparison_is_the_crude_one():
    panel, _ = confounded(2)
    result = matched_comparison(panel, [], resamples=50)
    assert result.difference == pytest.approx(result.crude)


def test_clusters_widen_the_interval_where_they_are_alike():
    generator = np.random.default_rng(5)
    repository = np.repeat(np.arange(12), 50)
    contaminated = np.tile(generator.random(600) < 0.2 + 0.6 * (repository % 2), (5, 1))
    resolved = generator.random((5, 600)) < generator.random(12)[repository]
    panel = Panel(resolved, contaminated, np.ones_like(resolved))
    singly, together = matched_comparison(panel, []), matched_comparison(panel, [], clusters=repository)
    width = [r.interval.high - r.interval.low for r in (singly, together)]
    assert width[1] > 1.5 * width[0]


@given(st.lists(st.one_of(st.just(np.nan), st.integers(0, 9)), max_size=30), st.integers(1, 5))
def test_quantile_bins_keep_order_and_equal_values_together(values, bins):
    places = quantile_bins(values, bins)
    assert [place is None for place in places] == [value != value for value in values]
    pairs = [(v, p) for v, p in zip(values, places, strict=True) if p is not None]
    assert all(p1 <= p2 for v1, p1 in pairs for v2, p2 in pairs if v1 <= v2)
    assert len({p for _, p in pairs}) <= bins


def test_input_that_does_not_fit_is_refused():
    panel, large = confounded(1)
    with pytest.raises(ValueError, match="covariate"):
        matched_comparison(panel, [large[:5]])
    with pytest.raises(ValueError, match="one bin"):
        quantile_bins([1.0], 0)
