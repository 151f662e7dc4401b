import numpy as np
import pytest
from simulated_panels import simulate

from engine.statistics.effects.event_study import event_study
from engine.statistics.effects.panel import Panel

EDGES = [-730, -365, 0, 365, 730]


def study(world, edges=EDGES):
    days = world.cutoffs[:, None] - world.landed[None, :]
    return event_study(world.panel, days, edges)


def forever(seed, **arguments):
    """A world whose fixes stay once they have landed."""
    world = simulate(seed, 80, 250, **arguments)
    landed = world.landed[None, :] <= world.cutoffs[:, None]
    return world, landed


def lifted(world, landed, share, seed):
    generator = np.random.default_rng(seed)
    lift = landed & ~world.panel.resolved & (generator.random(landed.shape) < share)
    return Panel(world.panel.resolved | lift, landed, world.panel.known)


def mean_profile(worlds):
    results = [study(world) for world in worlds]
    return np.array([[np.nan if b.reference else b.effect.estimate for b in r.bins] for r in results])


def test_a_step_at_the_landing_is_seen_and_nothing_before_it():
    profiles = []
    for seed in range(8):
        world, landed = forever(seed)
        panel = lifted(world, landed, 0.4, seed)
        days = world.cutoffs[:, None] - world.landed[None, :]
        result = event_study(panel, days, EDGES)
        assert result.trend_identified
        assert [b.reference for b in result.bins] == [True, False, True, False, False, False]
        profiles.append([np.nan if b.reference else b.effect.estimate for b in result.bins])
    mean = np.mean(profiles, axis=0)
    spread = np.std(profiles, axis=0, ddof=1) / np.sqrt(len(profiles))
    assert abs(mean[1]) < 3.5 * spread[1]
    assert np.all(mean[3:] > 0.4)


@pytest.mark.parametrize("drift", [0.0, 0.5])
def test_a_steady_drift_is_no_step(drift):
    profiles = mean_profile(simulate(seed, 80, 250, drift=drift) for seed in range(10))
    mean = np.nanmean(profiles[:, [1, 3, 4, 5]], axis=0)
    spread = profiles[:, [1, 3, 4, 5]].std(axis=0, ddof=1) / np.sqrt(len(profiles))
    assert np.all(np.abs(mean) < 4 * spread + 0.05)


def test_bins_count_their_cells_and_samples_that_never_landed_are_in_none():
    world = simulate(1, 30, 80)
    days = world.cutoffs[:, None] - world.landed[None, :]
    days[:, :10] = np.nan
    result = event_study(world.panel, days, EDGES)
    inside = ~np.isnan(days)
    assert 0 < sum(b.cells for b in result.bins) <= inside.sum()
    assert (result.bins[0].low, result.bins[0].high) == (None, -730)
    assert (result.bins[-1].low, result.bins[-1].high) == (730, None)


def test_without_two_bins_before_the_landing_slopes_say_nothing():
    world = simulate(1, 30, 80)
    assert not study(world, [0, 365]).trend_identified
    late = world.cutoffs[:, None] - world.landed[None, :] + 5000
    result = event_study(world.panel, late, [0, 365])
    assert not result.trend_identified
    assert not any(b.reference for b in result.bins)


@pytest.mark.parametrize("edges", [[10, 20], [0, 0], [5, 0], []])
def test_edges_must_increase_and_hold_the_landing(edges):
    with pytest.raises(ValueError, match="edges"):
        study(simulate(1, 5, 9), edges)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="shape"):
        event_study(simulate(1, 5, 9).panel, np.zeros((2, 2)), [0])
