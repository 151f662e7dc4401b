"""Drops that differ beyond what labels without meaning would give are told from those that do not."""

import numpy as np
import pytest

from engine.statistics.effects.spread import change_spread

STRATA = ["easy"] * 100 + ["hard"] * 100


def outcomes(seed, gaps):
    """Outcomes of submissions whose clean samples are resolved less often by each of `gaps`."""
    generator = np.random.default_rng(seed)
    clean = generator.random(200) < 0.4
    rates = 0.7 - np.array(gaps)[:, None] * clean[None, :]
    return generator.random(rates.shape) < rates, np.tile(clean, (len(gaps), 1))


def test_alike_drops_are_within_chance_about_as_often_as_they_should():
    p_values = [
        change_spread(*outcomes(seed, [0.2, 0.2, 0.2]), STRATA, resamples=200).p_value for seed in range(60)
    ]
    assert np.mean([p <= 0.05 for p in p_values]) < 0.15


def test_drops_that_differ_are_found():
    found = change_spread(*outcomes(1, [0.0, 0.5]), STRATA, resamples=400)
    assert found.p_value < 0.01
    assert found.distance > found.expected.high


def test_the_changes_are_those_of_plain_counting():
    resolved, clean = outcomes(2, [0.1, 0.3])
    found = change_spread(resolved, clean, STRATA, resamples=50)
    plain = [row[mask].mean() / row.mean() - 1 for row, mask in zip(resolved, clean, strict=True)]
    assert (found.least, found.greatest) == (pytest.approx(min(plain)), pytest.approx(max(plain)))


def test_one_submission_has_no_spread_and_shapes_must_fit():
    resolved, clean = outcomes(3, [0.1])
    assert change_spread(resolved, clean, STRATA) is None
    with pytest.raises(ValueError, match="do not fit"):
        change_spread(resolved, clean, STRATA[1:])
