import json

import pytest

from engine.overlap.evaluation_set import ItemOptions, check_pin, read_evaluation_set, write_pin
from engine.problems import BenchCheckerError

DIFF = """diff --git a/m.py b/m.py
--- a/m.py
+++ b/m.py
@@ -1,3 +1,4 @@
 keep one
-old line
+new line
++++ plus signs
 keep two
"""
ROWS = [
    {"id": "a", "patch": DIFF, "problem": "It fails when the list is empty"},
    {"id": "b", "patch": DIFF, "problem": "Another issue altogether"},
]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def load(path, *fields):
    return read_evaluation_set(path, ItemOptions(fields, "id")).rows[0]


def test_each_field_is_an_item_and_a_diff_can_be_viewed(tmp_path):
    path = write(tmp_path / "e.jsonl", ROWS)
    found = load(path, "problem", "patch:added", "patch:after")
    texts = {item.item: item.text for item in found.items}
    assert texts["a/problem"] == ROWS[0]["problem"]
    assert texts["a/patch:added"] == "new line\n+++ plus signs"
    assert texts["a/patch:after"] == "keep one\nnew line\n+++ plus signs\nkeep two"


def test_a_pin_accepts_what_reads_the_same_and_says_what_changed(tmp_path):
    path, pin = write(tmp_path / "e.jsonl", ROWS), tmp_path / "e.pin.json"
    write_pin(load(path, "problem"), pin)
    assert "It fails" not in pin.read_text()
    same = [ROWS[1], {**ROWS[0], "problem": " it FAILS when\nthe list is  empty"}]
    check_pin(load(write(path, same), "problem"), pin)
    changed = [{**ROWS[0], "problem": "It fails when the list is full"}, {"id": "c", "problem": "new"}]
    with pytest.raises(BenchCheckerError, match=r"1 changed \(a\); 1 added \(c\); 1 removed \(b\)"):
        check_pin(load(write(path, changed), "problem"), pin)


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"items": 3, "canonical": 1}'])
def test_a_pin_that_is_none_is_refused(tmp_path, content):
    pin = tmp_path / "pin.json"
    pin.write_text(content)
    with pytest.raises(BenchCheckerError, match="is no pin"):
        check_pin(load(write(tmp_path / "e.jsonl", ROWS), "problem"), pin)


def test_unusable_records_are_reported_and_double_ids_refused(tmp_path):
    rows = [*ROWS, {"id": "c"}, {"problem": "without id"}, {"id": "d", "problem": "  "}]
    loaded = read_evaluation_set(write(tmp_path / "e.jsonl", rows), ItemOptions(("problem",), "id"))
    assert len(loaded.rows[0].items) == 2
    assert [problem.line for problem in loaded.problems] == [3, 4, 5]
    with pytest.raises(BenchCheckerError, match="two items are called 'a'"):
        load(write(tmp_path / "e.jsonl", [ROWS[0], ROWS[0]]), "problem")
    with pytest.raises(BenchCheckerError, match="no item could be read"):
        load(write(tmp_path / "e.jsonl", [{"id": "x"}]), "problem")
    with pytest.raises(BenchCheckerError, match="unknown view"):
        load(write(tmp_path / "e.jsonl", ROWS), "patch:before")
