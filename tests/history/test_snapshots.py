from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.history.errors import DayAfterHistory, DayBeforeHistory, HistoryUnavailable
from engine.history.snapshots import FirstParentChain

_START = datetime(2020, 1, 1, tzinfo=UTC)
# A few days with many commits, so that overtaken commits, ties and gaps all occur.
_CHAINS = st.lists(st.integers(0, 12 * 24 - 1), min_size=1, max_size=14)


def _chain(hours: list[int]) -> FirstParentChain:
    moments = [_START + timedelta(hours=hour) for hour in hours]
    return FirstParentChain([f"{number:040x}" for number in range(len(hours))], _seconds(*moments))


def _seconds(*moments: datetime) -> list[int]:
    return [int(moment.timestamp()) for moment in moments]


def _brute_force(hours: list[int], day: date) -> int | None:
    """The definition, word for word: the last commit dated up to the end of the day."""
    end = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)
    fitting = [number for number, hour in enumerate(hours) if _START + timedelta(hours=hour) < end]
    return fitting[-1] if fitting else None


def _days() -> list[date]:
    return [_START.date() + timedelta(days=number) for number in range(-2, 15)]


@given(_CHAINS)
def test_snapshot_is_the_last_commit_up_to_the_end_of_the_day(hours: list[int]) -> None:
    chain = _chain(hours)
    for day in _days():
        expected = _brute_force(hours, day)
        if expected is None:
            with pytest.raises(DayBeforeHistory):
                chain.snapshot_at(day)
        elif day > chain.head.day:
            with pytest.raises(DayAfterHistory):
                chain.snapshot_at(day)
        else:
            assert chain.snapshot_at(day).position == expected


@given(_CHAINS)
def test_windows_hold_exactly_the_days_of_each_snapshot(hours: list[int]) -> None:
    chain = _chain(hours)
    known = [day for day in _days() if chain.first_day <= day <= chain.last_day]
    for position in range(len(chain)):
        expected = [day for day in known if _brute_force(hours, day) == position]
        window = chain.window(position)
        assert window == ((expected[0], expected[-1]) if expected else None)
        assert not expected or len(expected) == (expected[-1] - expected[0]).days + 1


@given(_CHAINS, st.data())
def test_days_of_a_range_are_those_of_its_snapshots(hours: list[int], data: st.DataObject) -> None:
    chain = _chain(hours)
    start = data.draw(st.integers(0, len(chain) - 1))
    stop = data.draw(st.integers(start + 1, len(chain)))
    known = [day for day in _days() if chain.first_day <= day <= chain.last_day]
    expected = [day for day in known if start <= chain.snapshot_at(day).position < stop]
    assert chain.days(start, stop) == ((expected[0], expected[-1]) if expected else None)


def test_a_commit_with_a_later_date_than_its_successor_is_no_snapshot() -> None:
    chain = _chain([0, 9 * 24, 2 * 24])
    assert chain.window(1) is None
    assert chain.window(0) == (date(2020, 1, 1), date(2020, 1, 2))
    assert chain.window(2) == (date(2020, 1, 3), date(2020, 1, 3))
    assert chain.last_day == date(2020, 1, 3)


def test_errors_name_the_day_and_the_reach() -> None:
    chain = _chain([0, 24])
    with pytest.raises(DayAfterHistory, match="ends on 2020-01-02, before 2020-01-03") as after:
        chain.snapshot_at(date(2020, 1, 3))
    assert (after.value.day, after.value.bound) == (date(2020, 1, 3), date(2020, 1, 2))
    with pytest.raises(DayBeforeHistory, match="starts on 2020-01-01, after 2019-12-31"):
        chain.snapshot_at(date(2019, 12, 31))


def test_last_second_of_a_day_belongs_to_it() -> None:
    moments = _seconds(datetime(2020, 1, 1, 23, 59, 59, tzinfo=UTC), datetime(2020, 1, 2, tzinfo=UTC))
    chain = FirstParentChain(["a" * 40, "b" * 40], moments)
    assert chain.snapshot_at(date(2020, 1, 1)).sha == "a" * 40
    assert chain.snapshot_at(date(2020, 1, 2)).sha == "b" * 40


def test_dates_outside_the_calendar_do_not_break_the_chain() -> None:
    chain = FirstParentChain(["a" * 40, "b" * 40, "c" * 40], [-(10**12), 10**15, *_seconds(_START)])
    assert chain.first_day == date(1970, 1, 1)
    assert chain.window(1) is None
    assert chain[1].committed_at.tzinfo is UTC
    assert chain.snapshot_at(date(2020, 1, 1)).position == 2


def test_an_empty_chain_is_refused() -> None:
    with pytest.raises(HistoryUnavailable):
        FirstParentChain([], [])


@pytest.mark.parametrize(("start", "stop"), [(-1, 1), (1, 1), (0, 3), (2, 1)])
def test_ranges_outside_the_chain_are_refused(start: int, stop: int) -> None:
    with pytest.raises(IndexError):
        _chain([0, 24]).days(start, stop)


def test_positions_count_from_either_end() -> None:
    chain = _chain([0, 24, 48])
    assert chain[-1] == chain.head == chain[2]
    assert chain.position_of(chain[1].sha) == 1
    assert chain.position_of("f" * 40) is None
    with pytest.raises(IndexError):
        chain[3]
