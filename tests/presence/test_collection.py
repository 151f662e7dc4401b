from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.presence.collection import Category, Span, categorise, last_present

START, END, CUTOFF = date(2024, 1, 1), date(2024, 6, 30), date(2024, 9, 30)


@pytest.mark.parametrize(
    ("landed", "persisted", "expected"),
    [
        (date(2023, 5, 1), CUTOFF, Category.RIGHTLY_CONTAMINATED),
        (date(2024, 6, 30), CUTOFF, Category.RIGHTLY_CONTAMINATED),
        (date(2024, 7, 1), CUTOFF, Category.WRONGLY_CONTAMINATED),
        (date(2023, 5, 1), date(2024, 1, 1), Category.WRONGLY_CLEAN),
        (date(2023, 5, 1), date(2023, 12, 31), Category.RIGHTLY_CLEAN),
        (date(2024, 7, 1), date(2024, 8, 1), Category.RIGHTLY_CLEAN),
        (date(2024, 10, 1), None, Category.RIGHTLY_CLEAN),
        (None, None, Category.RIGHTLY_CLEAN),
    ],
)
def test_the_categories_of_figure_1(landed: date | None, persisted: date | None, expected: Category) -> None:
    assert categorise(landed, persisted, START, END, CUTOFF) is expected


@pytest.mark.parametrize(
    "window", [(END, START, CUTOFF), (START, CUTOFF + timedelta(days=1), CUTOFF)], ids=["backwards", "late"]
)
def test_an_impossible_collection_is_refused(window: tuple[date, date, date]) -> None:
    with pytest.raises(ValueError, match="runs forwards"):
        categorise(START, CUTOFF, *window)


def test_the_last_day_of_presence_ends_at_the_cutoff_and_needs_the_threshold() -> None:
    spans = [
        Span(date(2020, 1, 1), date(2020, 6, 30), 0.0),
        Span(date(2020, 7, 1), date(2022, 12, 31), 0.9),
        Span(date(2023, 1, 1), date(2023, 3, 31), None),
        Span(date(2023, 4, 1), date(2030, 1, 1), 0.5),
    ]
    assert last_present(spans, 0.6, CUTOFF) == date(2022, 12, 31)
    assert last_present(spans, 0.5, CUTOFF) == CUTOFF
    assert last_present(spans, 0.0, date(2020, 3, 1)) is None
    assert last_present(spans, 0.95, CUTOFF) is None


_day = st.integers(0, 60).map(lambda days: date(2024, 1, 1) + timedelta(days=days))


@given(st.lists(_day, min_size=3, max_size=3), _day, _day)
def test_a_category_says_whether_a_collected_day_saw_the_fix(
    window: list[date], one: date, other: date
) -> None:
    start, end, cutoff = sorted(window)
    landed, persisted = min(one, other), min(max(one, other), cutoff)
    category = categorise(landed, persisted if landed <= cutoff else None, start, end, cutoff)
    seen = any(
        landed <= start + timedelta(days=offset) <= persisted for offset in range((end - start).days + 1)
    )
    assert seen == (category in (Category.RIGHTLY_CONTAMINATED, Category.WRONGLY_CLEAN))
    present = landed <= cutoff and persisted == cutoff
    assert present == (category in (Category.RIGHTLY_CONTAMINATED, Category.WRONGLY_CONTAMINATED))
