"""Clean against contaminated within strata, by plain counting, and what a ranking's change amounts to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.statistics.effects.panel import Panel
from engine.statistics.proportions import FEWEST_SAMPLES
from engine.statistics.rank_change import rank_change
from engine.statistics.ranking import Rank
from engine.statistics.strata import Direction, Stratum, compare_strata

SHAPE = (3, 12)


@given(
    arrays(np.bool_, SHAPE),
    arrays(np.bool_, SHAPE),
    arrays(np.bool_, SHAPE),
    st.lists(st.sampled_from(["a", "b", None]), min_size=12, max_size=12),
)
def test_counts_are_those_of_plain_loops(
    resolved: np.ndarray, contaminated: np.ndarray, known: np.ndarray, strata: list[str | None]
) -> None:
    found = {s.name: s for s in compare_strata(Panel(resolved, contaminated, known), strata)}
    assert set(found) == set(strata)
    for name, stratum in found.items():
        cells = [
            (bool(resolved[i, j]), bool(contaminated[i, j]), j)
            for i in range(3)
            for j in range(12)
            if known[i, j] and strata[j] == name
        ]
        clean = [cell for cell in cells if not cell[1]]
        assert stratum.samples == strata.count(name)
        assert (stratum.before.k, stratum.before.n) == (sum(c[0] for c in cells), len(cells))
        assert (stratum.clean.k, stratum.clean.n) == (sum(c[0] for c in clean), len(clean))
        assert stratum.clean_samples == len({c[2] for c in clean})
        assert stratum.contaminated_samples == len({c[2] for c in cells if c[1]})


def simulated(gap: float, submissions: int = 30, samples: int = 80) -> Stratum:
    generator = np.random.default_rng(7)
    contaminated = np.tile(np.arange(samples) % 2 == 0, (submissions, 1))
    chance = 0.4 + np.where(contaminated, gap, 0.0)
    resolved = generator.random((submissions, samples)) < chance
    panel = Panel(resolved, contaminated, np.ones(contaminated.shape, np.bool_))
    (stratum,) = compare_strata(panel, ["a"] * samples)
    return stratum


def test_a_planted_difference_is_found_and_none_is_not() -> None:
    assert simulated(0.3).direction is Direction.LOWER
    assert simulated(-0.3).direction is Direction.HIGHER
    assert simulated(0.0).direction is Direction.OPEN
    planted = simulated(0.3)
    assert planted.difference_interval is not None
    assert -0.3 in planted.difference_interval


def test_few_samples_say_nothing_however_many_submissions_answered() -> None:
    few = simulated(0.5, submissions=200, samples=2 * FEWEST_SAMPLES - 2)
    assert few.direction is Direction.TOO_SMALL
    assert simulated(0.5, submissions=200, samples=2 * FEWEST_SAMPLES).direction is Direction.LOWER


def test_asking_the_same_question_often_adds_no_certainty() -> None:
    """Copies of one submission leave the interval as it was: samples are what was drawn."""
    generator = np.random.default_rng(3)
    once = generator.random((1, 60)) < 0.5
    contaminated = (np.arange(60) % 2 == 0)[None]
    widths = []
    for copies in (1, 40):
        shape = (copies, 60)
        panel = Panel(
            np.tile(once, (copies, 1)), np.broadcast_to(contaminated, shape), np.ones(shape, np.bool_)
        )
        (stratum,) = compare_strata(panel, ["a"] * 60)
        assert stratum.difference_interval is not None
        widths.append(stratum.difference_interval.high - stratum.difference_interval.low)
    assert widths[1] == pytest.approx(widths[0], rel=0.05)


def test_strata_must_name_every_sample() -> None:
    flags = np.ones((1, 2), np.bool_)
    with pytest.raises(ValueError, match="strata name 1 samples"):
        compare_strata(Panel(flags, flags, flags), ["a"])


def test_a_change_of_ranks_is_counted() -> None:
    places = [
        (Rank(1, 1, 2), Rank(4, 3, 4)),
        (Rank(2, 1, 3), Rank(1, 1, 3)),
        (Rank(3, 2, 4), Rank(3, 1, 4)),
        (Rank(4, 4, 4), Rank(2, 1, 3)),
        (Rank(5, 5, 5), None),
    ]
    found = rank_change(places)
    assert (found.ranked, found.moved, found.surely_moved, found.largest_move) == (4, 3, 2, 3)
    assert (found.could_lead_before, found.could_lead_after) == (2, 3)
    assert found.agreement == pytest.approx(-1 / 3)


def test_a_ranking_of_one_has_no_agreement() -> None:
    found = rank_change([(Rank(1, 1, 1), Rank(1, 1, 1))])
    assert (found.ranked, found.moved, found.agreement) == (1, 0, None)
