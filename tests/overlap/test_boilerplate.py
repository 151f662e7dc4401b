import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.overlap.evaluation_set import EvaluationSet, make_item
from engine.overlap.index import build_index
from engine.overlap.matcher import Matcher
from engine.overlap.queue import Choice
from engine.overlap.result import ScanResult
from engine.overlap.rules import Rules
from engine.overlap.scan import load_scan, rebuild, run_scan
from engine.overlap.scan_plan import Scan

LICENCE = "permission is hereby granted, free of charge, to any person obtaining a copy"


def sentence(start: int, count: int) -> str:
    return " ".join(f"subject{number} verb{number}" for number in range(start, start + count))


# A long item with a licence line, a short one that consists of little else but a rare line, and one whose
# only shared line is everywhere.
ITEMS = {
    "long": f"{sentence(0, 200)}. {LICENCE}. {sentence(200, 200)}",
    "short": f"ab cd: {sentence(900, 4)} ef gh ij",
    "common": f"kl mn: {LICENCE} op qr",
}
DOCUMENTS = [f"file {number}: {LICENCE}. code {number}" for number in range(12)] + [
    f"{sentence(900, 4)} and then {sentence(700, 30)}"
]


@pytest.fixture
def scan(tmp_path):
    corpus = tmp_path / "a.jsonl"
    corpus.write_text("".join(json.dumps({"text": text}) + "\n" for text in DOCUMENTS))
    items = tuple(make_item(name, text) for name, text in ITEMS.items())
    # Tokens and n-grams flag nothing here: only the character rule is looked at.
    rules = Rules(token_share=1, share=1, paragraph_share=1, keep_share=1)
    scan = Scan(EvaluationSet("eval", items), (str(corpus),), tmp_path / "out", rules)
    run_scan(scan)
    return scan


def test_common_stretches_and_short_ones_in_long_items_are_likely_boilerplate(scan):
    result = ScanResult(scan.folder)
    assert {item.item: (item.pairs, item.likely_boilerplate) for item in result.queue_items()} == {
        "short": (1, False),
        "long": (12, True),
        "common": (12, True),
    }
    assert [entry.pair.item for entry in result.queue(Choice(likely="leak"))] == ["short"]
    assert len(result.queue(Choice(likely="boilerplate"))) == 24
    # The published rule stands: all three count as flagged.
    assert sum(row["flagged"] for row in result.table("item")) == 3


def test_the_share_is_that_of_the_items_windows_which_few_documents_hold(scan):
    result = ScanResult(scan.folder)
    [short] = result.queue(Choice(item="short"))
    item = ITEMS["short"]
    windows = [item[at : at + 50] for at in range(len(item) - 49)]
    assert short.span_share == pytest.approx(sum(w in DOCUMENTS[-1] for w in windows) / len(windows))
    assert {entry.span_share for entry in result.queue(Choice(item="common"))} == {0}


def test_what_is_common_can_be_chosen_afterwards_and_each_shard_adds_its_documents(scan):
    scanned, shards = load_scan(scan.folder, 0.6)
    rebuild(replace(scanned, rules=replace(scanned.rules, span_documents=12)), shards)
    common = ScanResult(scan.folder).queue_items(Choice(item="common"))
    assert not common[0].likely_boilerplate
    assert common[0].span_share > 0.5


def test_pairs_of_an_item_stand_together_and_boilerplate_comes_last(scan):
    order = [entry.pair.item for entry in ScanResult(scan.folder).queue()]
    assert (
        order == ["short"] + ["common"] * 12 + ["long"] * 12
        or order == ["short"] + ["long"] * 12 + ["common"] * 12
    )


@settings(deadline=None)
@given(st.text("ab c", max_size=80), st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=3))
def test_shared_windows_are_exactly_those_of_the_text(item: str, parts: list[tuple[int, int]]) -> None:
    document = "x".join(item[start : start + length] for start, length in parts)
    rules = Rules(span=15)
    index = build_index([make_item("0", "zz"), make_item("1", item)], rules)
    batch, found = Matcher(index).match_texts(["zz", document])
    texts = [bytes(batch.text[a:b]) for a, b in zip(batch.text_starts, batch.text_ends, strict=True)]
    text = bytes(index.batch.text)
    expected = [
        at
        for at in range(len(text) - 14)
        if b"\xff" not in text[at : at + 15] and text[at : at + 15] in texts[1]
    ]
    got = [
        at
        for first, count in zip(found.window_first, found.window_count, strict=True)
        for at in range(first, first + count)
    ]
    assert got == expected
    assert set(found.window_document.tolist()) <= {1}
    assert len(np.unique(found.window_first)) == len(found.window_first)
