import numpy as np
import pytest
import statsmodels.api as sm
from simulated_panels import simulate

from engine.statistics.effects.two_way import fit_two_way, informative_cells


def dummies(terms, cells):
    """The model's terms and effects as columns of a regression, one row a cell."""
    rows, columns = np.nonzero(cells)
    submission = (rows[:, None] == np.unique(rows)).astype(float)
    sample = (columns[:, None] == np.unique(columns)[1:]).astype(float)
    return rows, columns, np.concatenate([terms[rows, columns], submission, sample], axis=1)


def as_regression(resolved, terms, cells):
    """The fit by statsmodels, its errors robust to nothing but unequal variances."""
    rows, columns, design = dummies(terms, cells)
    outcome = resolved[rows, columns].astype(float)
    return sm.Logit(outcome, design).fit(disp=0, method="newton", tol=1e-12, cov_type="HC0")


def without_each(resolved, terms, cells, clusters, axis):
    """The variance by leaving out one cluster after the other and fitting the rest anew."""
    whole = as_regression(resolved, terms, cells).params[: terms.shape[2]]
    moved = []
    for cluster in np.unique(clusters[cells.any(axis=1 - axis)]):
        kept = cells & np.expand_dims(clusters != cluster, 1 - axis)
        left = informative_cells(resolved, kept)
        moved.append(as_regression(resolved, terms, left).params[: terms.shape[2]] - whole)
    return np.sum(np.square(moved), axis=0)


def test_the_fit_is_that_of_a_regression_on_dummies():
    panel = simulate(3, 12, 40, effect=0.8, unknown=0.1).panel
    other = np.random.default_rng(0).normal(size=panel.resolved.shape)
    terms = np.stack([panel.contaminated.astype(float), other], axis=-1)
    ours = fit_two_way(panel.resolved, terms, panel.known)
    theirs = as_regression(panel.resolved, terms, ours.used)
    assert ours.converged
    assert ours.linear[np.nonzero(ours.used)] == pytest.approx(theirs.fittedvalues, abs=1e-6)


@pytest.mark.parametrize("size", [1, 2])
def test_errors_are_those_of_refits_without_each_cluster(size):
    panel = simulate(3, 24, 60, effect=0.8, unknown=0.1).panel
    other = np.random.default_rng(0).normal(size=panel.resolved.shape)
    terms = np.stack([panel.contaminated.astype(float), other], axis=-1)
    of_samples, of_submissions = np.arange(60) // size, np.arange(24) // size
    ours = fit_two_way(panel.resolved, terms, panel.known, of_samples, of_submissions)
    by_sample = without_each(panel.resolved, terms, ours.used, of_samples, 1)
    by_submission = without_each(panel.resolved, terms, ours.used, of_submissions, 0)
    largest = np.maximum(by_sample, by_submission)
    if size == 1:
        overlap = np.diag(as_regression(panel.resolved, terms, ours.used).cov_params())[:2]
        largest = np.maximum(largest, by_sample + by_submission - overlap)
        assert ours.uncertainty.error == pytest.approx(np.sqrt(largest), rel=0.1)
    else:
        # What pairs of clusters share is taken off their sum.
        assert np.all(ours.uncertainty.error > 0.9 * np.sqrt(largest))
        assert np.all(ours.uncertainty.error < 1.1 * np.sqrt(by_sample + by_submission))


def test_effective_clusters_count_those_that_say_something():
    world = simulate(3, 40, 60, effect=0.5)
    label = world.panel.contaminated.copy()
    everywhere = fit_two_way(world.panel.resolved, label[..., None].astype(float), world.panel.known)
    label[:, 4:] = label[20, 4:]
    few = fit_two_way(world.panel.resolved, label[..., None].astype(float), world.panel.known)
    assert everywhere.uncertainty.samples[0] > 15
    assert 1 <= few.uncertainty.samples[0] <= 4
    label[:, 1:] = label[20, 1:]
    one = fit_two_way(world.panel.resolved, label[..., None].astype(float), world.panel.known)
    assert one.uncertainty.samples[0] == pytest.approx(1, abs=0.2)
    assert one.uncertainty.error[0] > 3 * few.uncertainty.error[0]


def test_the_bias_of_many_effects_is_taken_out():
    ours, plain = [], []
    for seed in range(120):
        panel = simulate(seed, 12, 40, effect=1.0).panel
        terms = panel.contaminated[..., None].astype(float)
        fit = fit_two_way(panel.resolved, terms, panel.known)
        ours.append(fit.coefficients[0])
        plain.append(as_regression(panel.resolved, terms, fit.used).params[0])
    error = np.std(ours) / np.sqrt(len(ours))
    assert abs(np.mean(ours) - 1.0) < 2.5 * error
    assert np.mean(plain) - 1.0 > 3.5 * error


def test_a_term_that_the_effects_explain_is_not_identified():
    panel = simulate(1, 20, 50, effect=0.5).panel
    generator = np.random.default_rng(2)
    by_sample = np.broadcast_to(generator.normal(size=50), (20, 50))
    by_submission = np.broadcast_to(generator.normal(size=(20, 1)), (20, 50))
    label = panel.contaminated.astype(float)
    terms = np.stack([by_sample + by_submission, label, label, np.zeros((20, 50))], axis=-1)
    fit = fit_two_way(panel.resolved, terms, panel.known)
    assert np.isnan(fit.coefficients).tolist() == [True, False, True, True]
    assert np.isnan(fit.uncertainty.error).tolist() == [True, False, True, True]
    assert (fit.uncertainty.samples > 0).tolist() == [False, True, False, False]
    alone = fit_two_way(panel.resolved, label[..., None], panel.known)
    assert fit.coefficients[1] == pytest.approx(alone.coefficients[0])


def test_submissions_and_samples_with_one_outcome_are_left_out_until_none_is():
    # Sample 0 is solved by all; without it submission 0 solves nothing; without that one, sample 1 is solved
    # by all.
    resolved = np.array([[1, 0, 0, 0], [1, 1, 1, 0], [1, 1, 0, 1]], dtype=bool)
    used = informative_cells(resolved, np.ones_like(resolved))
    assert used.tolist() == [[False] * 4, [False, False, True, True], [False, False, True, True]]


@pytest.mark.parametrize("resolved", [np.zeros((3, 4), bool), np.ones((3, 4), bool), np.zeros((0, 4), bool)])
def test_nothing_to_compare_gives_no_estimate_and_no_error(resolved):
    fit = fit_two_way(resolved, np.zeros((*resolved.shape, 1)), np.ones_like(resolved))
    assert np.isnan(fit.coefficients).all()
    assert not fit.used.any()


def test_panels_that_fall_apart_are_fitted_together():
    # Two groups of submissions share no known sample: each has a constant of its own.
    panel = simulate(4, 30, 60, effect=0.7).panel
    known = np.zeros_like(panel.known)
    known[:15, :30] = known[15:, 30:] = True
    terms = panel.contaminated[..., None].astype(float)
    fit = fit_two_way(panel.resolved, terms, known)
    rows, columns, design = dummies(terms, fit.used)
    # The regression needs a reference sample in each group; `dummies` leaves one out for the first.
    extra = 1 + len(np.unique(rows)) + int(np.searchsorted(np.unique(columns)[1:], 30))
    outcome = panel.resolved[rows, columns].astype(float)
    theirs = sm.Logit(outcome, np.delete(design, extra, axis=1)).fit(disp=0, method="newton", tol=1e-12)
    assert fit.linear[rows, columns] == pytest.approx(theirs.fittedvalues, abs=1e-5)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="differ"):
        fit_two_way(np.zeros((2, 3), bool), np.zeros((2, 4, 1)), np.ones((2, 3), bool))
