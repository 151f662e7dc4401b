"""The interval of a difference covers it as often as it says."""

import numpy as np
import pytest

from engine.statistics.contrast import contrast
from engine.statistics.proportions import Interval, Proportion


def test_symmetric_intervals_add_in_squares():
    found = contrast(5.0, Interval(2.0, 8.0), 1.0, Interval(-3.0, 5.0))
    assert found.estimate == 4.0
    assert (found.interval.low, found.interval.high) == (pytest.approx(-1.0), pytest.approx(9.0))


def test_of_wilson_intervals_it_covers_the_true_difference():
    generator = np.random.default_rng(3)
    covered = []
    for _ in range(2000):
        first, second = (Proportion(int(generator.binomial(n, p)), n) for n, p in ((40, 0.9), (25, 0.6)))
        found = contrast(first.rate, first.wilson(), second.rate, second.wilson())
        covered.append(0.3 in found.interval)
    assert 0.935 < np.mean(covered) < 0.97
