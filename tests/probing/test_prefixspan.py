from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.probing.mining.prefixspan import (
    Pattern,
    frequent_patterns,
    merge_equal_support,
)

SEQUENCES = st.lists(st.lists(st.integers(0, 4), max_size=7), min_size=1, max_size=6)
DISTINCT = st.lists(st.lists(st.integers(0, 6), max_size=6, unique=True), min_size=1, max_size=6)


def by_counting(sequences, least, longest, reach=None):
    """Every subsequence of every sequence, with the sequences that hold it."""
    holders: dict[tuple[int, ...], set[int]] = {}
    for owner, sequence in enumerate(sequences):
        for length in range(1, longest + 1):
            for places in combinations(range(len(sequence)), length):
                steps = [later - earlier for earlier, later in pairwise(places)]
                if reach is None or all(step <= reach for step in steps):
                    holders.setdefault(tuple(sequence[place] for place in places), set()).add(owner)
    return {items: tuple(sorted(found)) for items, found in holders.items() if len(found) >= least}


@given(SEQUENCES, st.integers(1, 4), st.integers(1, 4))
def test_all_frequent_patterns_are_found_once(sequences, least, longest):
    found = list(frequent_patterns(sequences, least, longest))
    assert {pattern.items: pattern.sequences for pattern in found} == by_counting(sequences, least, longest)
    assert len({pattern.items for pattern in found}) == len(found)


@given(DISTINCT, st.integers(1, 3), st.integers(1, 4), st.integers(1, 3))
def test_reach_bounds_the_steps(sequences, least, longest, reach):
    found = frequent_patterns(sequences, least, longest, reach)
    expected = by_counting(sequences, least, longest, reach)
    assert {pattern.items: pattern.sequences for pattern in found} == expected


def test_reach_refuses_repeated_items():
    with pytest.raises(ValueError, match="twice"):
        list(frequent_patterns([[1, 2, 1]], 1, 2, reach=1))


@given(SEQUENCES, st.integers(1, 3))
def test_what_merging_drops_is_in_a_superset_of_equal_support(sequences, least):
    patterns = list(frequent_patterns(sequences, least, 4))
    kept = merge_equal_support(patterns)
    for pattern in patterns:
        rivals = [
            other
            for other in patterns
            if other.items != pattern.items
            and other.support == pattern.support
            and is_subsequence(pattern.items, other.items)
        ]
        assert (pattern in kept) == (not rivals)


def is_subsequence(items, other):
    rest = iter(other)
    return all(item in rest for item in items)


def test_support_counts_sequences():
    assert Pattern((1, 2), (0, 3, 5)).support == 3
