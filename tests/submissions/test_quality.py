"""Whether outcomes and a printed rate belong together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.submissions.quality import agreement


@pytest.mark.parametrize(
    ("resolved", "rate", "total"),
    [
        (394, 0.788, 500),
        (22, 0.044, 500),
        (350, 0.7, 500),
        (105, 0.2104, 499),
        (324, 0.6493, 499),
        (0, 0.0, 500),
        (500, 1.0, 500),
    ],
)
def test_the_denominator_behind_a_rate(resolved: int, rate: float, total: int):
    found = agreement(resolved, 500, rate)
    assert (found.total, found.usable) == (total, True)
    assert (found.note is None) == (total == 500)


def test_the_note_names_the_other_denominator():
    note = agreement(324, 500, 0.6493).note
    assert (
        note
        == "the leaderboard's 64.93% is 324 of 499, here it is of 500: which samples it left out is not known"
    )


def test_outcomes_of_another_run_are_not_used():
    found = agreement(51, 500, 0.528)
    assert found.total is None
    assert not found.usable
    assert (
        found.note == "its outcomes give 51 of 500 (10.2%) but the leaderboard says 52.8%: outcomes not used"
    )


def test_without_a_rate_nothing_is_doubted():
    assert agreement(51, 500, None) == agreement(0, 500, None)
    assert agreement(51, 500, None).usable


@given(st.integers(1, 600), st.data())
def test_a_rate_printed_from_the_outcomes_agrees(size: int, data: st.DataObject):
    resolved = data.draw(st.integers(0, size))
    digits = data.draw(st.integers(1, 3))
    found = agreement(resolved, size, round(100 * resolved / size, digits) / 100)
    assert found.total == size
    assert found.note is None


@given(st.integers(0, 500), st.integers(0, 500))
def test_another_count_is_never_taken_for_the_same(resolved: int, printed: int):
    found = agreement(resolved, 500, printed / 500)
    if abs(resolved - printed) > 0.01 * printed + 1:
        assert not found.usable
