"""An effect that changes with the submission is found, and one that does not is not."""

import numpy as np
import pytest
from scipy.special import expit
from simulated_panels import simulate

from engine.statistics.effects.modifier import effect_modifier
from engine.statistics.effects.panel import Panel


def planted(seed, slope):
    """Outcomes in which contamination helps by `slope` logits more with each unit of a modifier."""
    world = simulate(seed)
    generator = np.random.default_rng(1000 + seed)
    modifier = generator.normal(0, 1, len(world.cutoffs))
    gain = (0.4 + slope * modifier)[:, None] * world.panel.contaminated
    logits = 0.8 * modifier[:, None] - world.difficulty[None, :] + gain
    resolved = generator.random(logits.shape) < expit(logits)
    return Panel(resolved, world.panel.contaminated, world.panel.known), modifier


@pytest.mark.parametrize("slope", [0.0, 0.5, -0.5])
def test_a_planted_interaction_is_recovered(slope):
    found = [effect_modifier(*planted(seed, slope)) for seed in range(12)]
    estimates = np.array([each.estimate for each in found])
    error = estimates.std(ddof=1) / np.sqrt(len(estimates))
    assert error < 0.06
    assert abs(estimates.mean() - slope) < 3.5 * error
    assert np.mean([slope in each.interval for each in found]) > 0.7


def test_a_modifier_that_does_not_vary_has_no_effect():
    panel, modifier = planted(1, 0.5)
    assert effect_modifier(panel, np.zeros_like(modifier)) is None
    with pytest.raises(ValueError, match="a modifier for each of 60"):
        effect_modifier(panel, modifier[:-1])
