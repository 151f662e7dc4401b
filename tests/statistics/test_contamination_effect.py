import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import t as student
from simulated_panels import contaminated_at, simulate

from engine.statistics.cells import CLEAN, CONTAMINATED, UNKNOWN
from engine.statistics.effects.contamination import FEWEST_CLUSTERS, contamination_effect, placebo_effects
from engine.statistics.effects.panel import Panel


def crude_gap(panel):
    seen = panel.known & panel.contaminated
    unseen = panel.known & ~panel.contaminated
    return panel.resolved[seen].mean() - panel.resolved[unseen].mean()


@pytest.mark.parametrize("confounding", [0.0, 0.6, -0.6])
@pytest.mark.parametrize("effect", [0.0, 0.6, -0.4])
def test_a_planted_effect_is_recovered_whatever_the_difficulty(effect, confounding):
    fits = [
        contamination_effect(simulate(seed, effect=effect, confounding=confounding).panel)
        for seed in range(12)
    ]
    estimates = np.array([fit.effect.estimate for fit in fits])
    error = estimates.std(ddof=1) / np.sqrt(len(estimates))
    assert abs(estimates.mean() - effect) < 3.5 * error
    assert error < 0.05
    assert all(fit.converged for fit in fits)


def test_intervals_cover_the_planted_effect():
    fits = [contamination_effect(simulate(seed, 25, 80, effect=0.5).panel) for seed in range(150)]
    covered = np.mean([0.5 in fit.effect.interval for fit in fits])
    assert 0.9 < covered < 0.99


def test_null_is_seldom_found_where_the_plain_gap_misleads():
    panels = [simulate(seed, 25, 80, confounding=0.8).panel for seed in range(100)]
    found = np.mean([contamination_effect(panel).effect.p_value < 0.05 for panel in panels])
    assert found < 0.11
    # The same panels, compared plainly: long-lived fixes are easier and contaminated more often.
    assert np.mean([crude_gap(panel) for panel in panels]) > 0.05


def test_a_control_takes_out_a_reason_that_has_a_name():
    # Later submissions are better at short-lived fixes, which are the ones that become clean.
    plain, controlled = [], []
    for seed in range(10):
        world = simulate(seed)
        life = (world.rewritten - world.landed) / 365
        control = (world.cutoffs[:, None] / 365 - 2) * (life[None, :] < 2)
        generator = np.random.default_rng(seed)
        base = np.log(0.4 / 0.6) - world.difficulty[None, :]
        resolved = generator.random(control.shape) < expit(base + control)
        panel = Panel(resolved, world.panel.contaminated, world.panel.known)
        plain.append(contamination_effect(panel).effect.estimate)
        controlled.append(contamination_effect(panel, controls=control[..., None]).effect.estimate)
    error = np.std(controlled, ddof=1) / np.sqrt(10)
    assert abs(np.mean(controlled)) < 3 * error
    assert abs(np.mean(plain)) > 6 * error


def test_points_are_the_change_in_rates():
    world = simulate(8, 80, 300, effect=0.9)
    result = contamination_effect(world.panel)
    assert 0 < result.points.interval.low < result.points.estimate < result.points.interval.high < 0.3
    # A rate r that contamination raised by 0.9 logits was expit(logit(r) - 0.9): at most 0.22 lower.
    assert result.points.estimate < expit(0.45) - expit(-0.45) + 0.02
    assert result.effect.odds_ratio == pytest.approx(np.exp(result.effect.estimate))
    assert result.effect.odds_ratio in result.effect.odds_ratio_interval


def test_points_are_those_of_a_world_without_contamination():
    gaps, estimates = [], []
    for seed in range(20):
        seen, unseen = simulate(seed, 50, 150, effect=0.8), simulate(seed, 50, 150, effect=0.0)
        cells = seen.panel.contaminated
        gaps.append(seen.panel.resolved[cells].mean() - unseen.panel.resolved[cells].mean())
        estimates.append(contamination_effect(seen.panel).points.estimate)
    assert np.mean(estimates) == pytest.approx(np.mean(gaps), abs=0.015)


def test_samples_that_all_or_none_solve_are_counted_and_left_out():
    world = simulate(2, 30, 60, effect=0.5)
    more = np.concatenate([world.panel.resolved, np.ones((30, 2), bool), np.zeros((30, 3), bool)], axis=1)
    label = np.concatenate([world.panel.contaminated, world.panel.contaminated[:, :5]], axis=1)
    plain = contamination_effect(world.panel)
    padded = contamination_effect(Panel(more, label, np.ones_like(more)))
    assert (padded.always, padded.never) == (plain.always + 2, plain.never + 3)
    assert padded.effect.estimate == pytest.approx(plain.effect.estimate)
    assert padded.samples == plain.samples
    # The same change is spread over more contaminated cells.
    assert padded.points.estimate < plain.points.estimate


def test_unknown_cells_take_no_part():
    world = simulate(6, 40, 100, effect=0.5, unknown=0.3)
    panel = world.panel
    nonsense = Panel(
        np.where(panel.known, panel.resolved, ~panel.resolved),
        np.where(panel.known, panel.contaminated, True),
        panel.known,
    )
    assert contamination_effect(nonsense) == contamination_effect(panel)


def test_labels_become_a_panel():
    labels = np.array([[CLEAN, CONTAMINATED], [UNKNOWN, CONTAMINATED]])
    panel = Panel.from_labels([[True, False], [True, True]], labels)
    assert panel.contaminated.tolist() == [[False, True], [False, True]]
    assert panel.known.tolist() == [[True, True], [False, True]]
    assert panel.varying == 0
    assert Panel.from_labels(np.ones((2, 1)), [[CLEAN], [CONTAMINATED]]).varying == 1
    with pytest.raises(ValueError, match="three matrices"):
        Panel.from_labels([[True]], [CLEAN])


def test_a_few_samples_that_drift_are_not_found_to_be_contaminated():
    # Six labels change, and every sample becomes easier or harder with time for reasons of its own.
    found, plain = [], []
    for seed in range(60):
        world = simulate(seed, 40, 80)
        generator = np.random.default_rng(seed)
        drift = (world.cutoffs[:, None] / 365 - 2) * generator.normal(0, 0.6, 80)
        resolved = generator.random((40, 80)) < expit(drift - world.difficulty[None, :])
        label = world.panel.contaminated.copy()
        label[:, 6:] = label[20, 6:]
        result = contamination_effect(Panel(resolved, label, world.panel.known))
        if result.effect is None:
            continue
        found.append(0 in result.effect.interval)
        half = (result.effect.interval.high - result.effect.interval.low) / 2
        error = half / student.ppf(0.975, result.clusters - 1)
        plain.append(abs(result.effect.estimate) < 1.96 * error)
    assert len(found) > 40
    assert np.mean(found) > 0.9
    assert np.mean(plain) < np.mean(found)


def test_an_effect_that_rests_on_one_sample_has_no_interval():
    world = simulate(3, 40, 60, effect=0.5)
    label = world.panel.contaminated.copy()
    label[:, 1:] = label[20, 1:]
    result = contamination_effect(Panel(world.panel.resolved, label, world.panel.known))
    assert result.varying == 1
    assert result.clusters < FEWEST_CLUSTERS
    assert result.effect is result.points is None


def test_labels_that_never_vary_show_nothing():
    world = simulate(1, 20, 40)
    fixed = np.broadcast_to(np.arange(40) % 2 == 0, (20, 40))
    result = contamination_effect(Panel(world.panel.resolved, fixed, world.panel.known))
    assert result.effect is None
    assert result.points is None
    assert result.varying == 0
    assert result.samples > 0


def test_an_empty_panel_shows_nothing():
    nothing = np.zeros((3, 0), dtype=bool)
    result = contamination_effect(Panel(nothing, nothing, nothing))
    assert result.effect is None
    assert (result.submissions, result.samples, result.cells) == (0, 0, 0)


def shifted(world, *days):
    known = np.ones_like(world.panel.known)
    return {day: (contaminated_at(world.cutoffs + day, world.landed, world.rewritten), known) for day in days}


def test_the_placebo_is_quiet_when_the_effect_is_contamination():
    quiet, loud = 0, 0
    for seed in range(15):
        world = simulate(seed, effect=0.8, confounding=0.5)
        results = placebo_effects(world.panel, shifted(world, -180, 180))
        assert [(r.shift, r.among) for r in results] == [
            (-180, "clean"),
            (-180, "contaminated"),
            (180, "clean"),
            (180, "contaminated"),
        ]
        p_values = [r.effect.p_value for r in results]
        quiet += sum(p > 0.05 for p in p_values)
        loud += sum(p <= 0.05 for p in p_values)
    assert loud <= 0.12 * (quiet + loud)


def test_the_placebo_speaks_when_outcomes_change_before_the_label_does():
    # What really changes the outcome is the state of the code half a year after the cutoff.
    found = 0
    for seed in range(6):
        world = simulate(seed)
        generator = np.random.default_rng(seed)
        ahead = contaminated_at(world.cutoffs + 180, world.landed, world.rewritten)
        lift = ahead & ~world.panel.resolved & (generator.random(ahead.shape) < 0.35)
        panel = Panel(world.panel.resolved | lift, world.panel.contaminated, world.panel.known)
        by_cells = {r.among: r.effect for r in placebo_effects(panel, shifted(world, 180))}
        found += sum(effect.estimate > 0 and effect.p_value < 0.05 for effect in by_cells.values())
    assert found >= 10


def test_a_placebo_without_variation_says_so():
    world = simulate(0, 15, 30)
    same = {0: (world.panel.contaminated, world.panel.known)}
    assert [r.effect for r in placebo_effects(world.panel, same)] == [None, None]
