"""The matcher against definitions written out plainly."""

import difflib
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.overlap.canonical import canonical, tokens
from engine.overlap.evaluation_set import make_item
from engine.overlap.hashing import aligned_windows, all_windows, rolling, text_batch, token_hashes
from engine.overlap.index import build_index
from engine.overlap.matcher import Matcher
from engine.overlap.rules import Rules

WORDS = [
    "a",
    "b",
    "and",
    "der",
    "längere",
    "incomprehensibilities",
    "incomprehensibilitieX",
    "über-x",
    "7",
    "\n\n",
]
texts = st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join)


def grams(words, n):
    return [tuple(words[at : at + n]) for at in range(len(words) - n + 1)]


def plain_share(item, document, rules, dropped=frozenset()):
    words = tokens(item)
    if len(words) < rules.shortest_item:
        return 0, 0
    n = min(rules.n, len(words))
    wanted = [gram for gram in grams(words, n) if gram not in dropped]
    present = set(grams(tokens(document), n))
    return sum(gram in present for gram in wanted), len(wanted)


def plain_contamination(item, document, rules):
    """Llama 2's rule, from every pair of starts."""
    a, b = tokens(item), tokens(document)
    marked, longest = set(), 0
    for i in range(len(a)):
        for j in range(len(b)):
            agree = [x == y for x, y in zip(a[i:], b[j:], strict=False)]
            if len(agree) < rules.run or not all(agree[: rules.run]):
                continue
            best = max(
                length
                for length in range(rules.run, len(agree) + 1)
                if agree[length - 1] and agree[:length].count(False) <= rules.skips
            )
            if best > rules.run:
                longest = max(longest, best)
                marked |= {i + at for at in range(best) if agree[at]}
    return len(marked), longest


def plain_span(item, document):
    a, b = canonical(item), canonical(document)
    return difflib.SequenceMatcher(None, a, b, autojunk=False).find_longest_match().size


def measured(items, documents, rules):
    index = build_index([make_item(str(at), text) for at, text in enumerate(items)], rules)
    _, found = Matcher(index).match_texts(documents)
    rows = zip(
        found.document, found.item, found.ngrams, found.contaminated, found.longest, found.span, strict=True
    )
    return index, found, {(int(d), int(i)): tuple(map(int, rest)) for d, i, *rest in rows}


@settings(deadline=None, max_examples=150)
@given(
    st.lists(texts, min_size=1, max_size=4),
    st.lists(texts, min_size=1, max_size=4),
    st.integers(2, 6),
    st.integers(2, 5),
    st.integers(0, 3),
    st.sampled_from([15, 16, 31, 47, 50]),
)
def test_every_measure_agrees_with_its_definition(items, documents, n, run, skips, span):
    agrees(items, documents, Rules(n=n, run=run, skips=skips, span=span, min_tokens=3))


@settings(deadline=None, max_examples=150)
@given(st.data(), st.integers(6, 14), st.integers(6, 12), st.integers(0, 3))
def test_every_measure_agrees_where_documents_are_probed_at_few_tokens(data, n, run, skips):
    items = data.draw(st.lists(texts, min_size=1, max_size=4))
    places = st.integers(0, 40)
    pieces = st.tuples(st.sampled_from(items), places, places).map(
        lambda drawn: " ".join(drawn[0].split()[slice(*sorted(drawn[1:]))])
    )
    documents = data.draw(
        st.lists(st.lists(pieces | st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=1, max_size=4)
    )
    agrees(items, documents, Rules(n=n, run=run, skips=skips, min_tokens=3))


def agrees(items, documents, rules):
    span = rules.span
    index, _, found = measured(items, documents, rules)
    for i, item in enumerate(items):
        for d, document in enumerate(documents):
            matched, total = plain_share(item, document, rules)
            assert index.totals[i] == total
            contaminated, longest = plain_contamination(item, document, rules)
            if len(tokens(item)) < rules.shortest_item:
                contaminated = longest = 0
            common = plain_span(item, document)
            expected = (matched, contaminated, longest, common if common >= span else 0)
            assert found.get((d, i), (0, 0, 0, 0)) == expected


@settings(deadline=None, max_examples=60)
@given(st.lists(texts, min_size=1, max_size=4), st.lists(texts, min_size=1, max_size=4), st.integers(1, 2))
def test_common_ngrams_are_dropped_and_counted(items, documents, most):
    rules = Rules(n=3, run=3, min_tokens=3, max_items=most)
    per_item = [set(grams(tokens(item), 3)) for item in items]
    frequency = Counter(gram for found in per_item for gram in found)
    dropped = {gram for gram, count in frequency.items() if count > most}
    index, _, found = measured(items, documents, rules)
    for i, item in enumerate(items):
        assert index.dropped[i] == sum(gram in dropped for gram in grams(tokens(item), 3))
        for d, document in enumerate(documents):
            matched, total = plain_share(item, document, rules, dropped)
            assert index.totals[i] == total
            assert found.get((d, i), (0,))[0] == matched


@settings(deadline=None)
@given(st.lists(st.text(), min_size=1, max_size=5))
def test_a_batch_holds_the_canonical_text_and_tokens_of_each_document(documents):
    batch = text_batch(documents)
    for at, document in enumerate(documents):
        text = batch.text[batch.text_starts[at] : batch.text_ends[at]].tobytes().decode("utf-8")
        assert text == canonical(document)
        assert [token.decode() for token in batch.token_bytes(at)] == tokens(document)
    counts = np.diff(batch.token_offsets)
    assert counts.tolist() == [len(tokens(document)) for document in documents]


@settings(deadline=None)
@given(st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=30), min_size=1))
def test_equal_tokens_have_equal_hashes_and_others_differ(words):
    batch = text_batch([" ".join(words)])
    found = dict(zip(batch.token_bytes(0), token_hashes(batch).tolist(), strict=True))
    assert len(set(found.values())) == len(found)


@pytest.mark.parametrize("length", range(1, 22))
def test_rolling_hashes_see_every_token_and_its_place(length):
    values = np.arange(1, 40, dtype=np.uint64) * np.uint64(7919)
    base = rolling(values, length)
    assert len(base) == len(values) - length + 1
    assert len(np.unique(base)) == len(base)
    for at in range(length):
        changed = values.copy()
        changed[at] += np.uint64(1)
        assert rolling(changed, length)[0] != base[0]
    swapped = values.copy()
    swapped[:2] = swapped[1::-1]
    assert length == 1 or rolling(swapped, length)[0] != base[0]
    np.testing.assert_array_equal(rolling(np.tile(values, 2), length)[: len(base)], base)
    for every in range(2, 6):
        np.testing.assert_array_equal(rolling(values, length, every), base[::every])


@pytest.mark.parametrize("step", [8, 16])
def test_windows_at_every_byte_hash_like_aligned_ones(step):
    text = np.frombuffer(bytes(range(32, 120)) * 3, np.uint8)
    everywhere = all_windows(text, step, 2)
    assert len(everywhere) == len(text) - 2 * step + 1
    for shift in range(step):
        aligned = aligned_windows(text[shift:], step, 2)
        np.testing.assert_array_equal(everywhere[shift::step][: len(aligned)], aligned)
    assert len(np.unique(everywhere[:88])) == 88
    assert len(all_windows(text[: 2 * step - 1], step, 2)) == 0


def test_a_run_never_crosses_from_one_document_to_the_next():
    words = [f"w{at}" for at in range(30)]
    whole = " ".join(words)
    rules = Rules()
    _, _, found = measured([whole], [" ".join(words[:9]), " ".join(words[9:18])], rules)
    assert found == {}
    _, _, found = measured([whole], [" ".join(words[:20]), " ".join(words[20:])], rules)
    assert found[0, 0][0] == 20 - 13 + 1
    assert (1, 0) not in found or found[1, 0][0] == 0
