import difflib
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engine.overlap.canonical import canonical, tokens
from engine.overlap.pair import longest_common_span, measure_pair, shared_spans
from engine.overlap.rules import Rules

texts = st.lists(st.sampled_from(["ab", "b", "—", "Ünï", "c-d", "\n"]), max_size=25).map(" ".join)


@given(texts, texts)
def test_the_longest_common_span_is_that_of_difflib(a, b):
    match = difflib.SequenceMatcher(None, canonical(a), canonical(b), autojunk=False).find_longest_match()
    assert longest_common_span(a, b) == match.size


@given(texts, texts)
def test_marked_stretches_hold_the_shared_tokens(a, b):
    in_a, in_b = shared_spans(a, b, 2)
    words = tokens(b)
    pairs = {tuple(words[at : at + 2]) for at in range(len(words) - 1)}
    for start, end in in_a:
        first, *_ = marked = tokens(a[start:end])
        assert len(marked) >= 2
        assert (first, marked[1]) in pairs
    assert bool(in_a) == bool(in_b)
    for spans in (in_a, in_b):
        assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_marks_stand_in_the_text_as_it_was_given():
    item = "The QUICK brown fox — jumps over it"
    document = "Then the quick\nbrown “fox” jumps away"
    in_item, in_document = shared_spans(item, document)
    assert [item[start:end] for start, end in in_item] == ["The QUICK brown fox — jumps"]
    assert [document[start:end] for start, end in in_document] == ["the quick\nbrown “fox” jumps"]


def test_an_item_too_short_to_be_judged_has_no_share():
    assert measure_pair("one two", "one two", Rules()).share is None
