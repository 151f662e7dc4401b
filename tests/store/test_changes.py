"""What a command would change can be shown, and is applied in order."""

from __future__ import annotations

from pathlib import Path

from engine.store.changes import apply, compare
from engine.store.facts import read_facts

KNOWN = {"benchmark": "b", "sample": "o__n-1", "difficulty": "easy"}


def test_added_changed_and_removed_rows():
    gone, new = KNOWN | {"sample": "o__n-2"}, KNOWN | {"sample": "o__n-3"}
    change = compare("membership", [KNOWN, gone], [KNOWN | {"difficulty": "hard"}, new])
    assert change
    assert list(change.describe()) == [
        "+ membership b o__n-3",
        "- membership b o__n-2",
        "~ membership b o__n-1: difficulty 'easy' → 'hard'",
    ]


def test_a_long_list_is_cut_and_counted():
    rows = [KNOWN | {"sample": f"o__n-{number}"} for number in range(1, 8)]
    assert list(compare("membership", [], rows).describe(limit=2)) == [
        "+ membership b o__n-1",
        "+ membership b o__n-2",
        "+ membership and 5 more",
    ]


def test_a_column_left_out_is_empty(tmp_path: Path):
    row = {"benchmark": "b", "sample": "o__n-1"}
    apply(tmp_path, [compare("membership", [], [row])])
    assert read_facts(tmp_path, "membership") == [row | {"difficulty": None}]
    assert not compare("membership", read_facts(tmp_path, "membership"), [row])


def test_only_what_changes_is_written_and_a_missing_file_is_made(tmp_path: Path):
    unchanged = compare("membership", [KNOWN], [KNOWN])
    assert [path.name for path in apply(tmp_path, [unchanged])] == ["membership.csv"]
    before = (tmp_path / "membership.csv").stat().st_mtime_ns
    assert apply(tmp_path, [unchanged]) == []
    assert (tmp_path / "membership.csv").stat().st_mtime_ns == before
