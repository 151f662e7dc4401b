"""Hand-read verdicts, as people write them."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from engine.evaluation.gold import COLUMNS, GoldVerdict, read_gold
from engine.problems import InvalidInputError

ROW = ("Owner__Name-7", "2025-03-31", "a" * 40, "present", "3", "moved", "now in \"b.py\" as 'f'")


def written(folder: Path, *rows: tuple[str, ...], columns: tuple[str, ...] = COLUMNS) -> Path:
    path = folder / "verdicts.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in (columns, *rows)), encoding="utf-8")
    return path


def test_a_row(tmp_path: Path):
    loaded = read_gold(written(tmp_path, ROW))
    assert loaded.problems == ()
    assert loaded.rows == (
        GoldVerdict("owner__name-7", date(2025, 3, 31), "a" * 40, True, 3, "moved", ROW[-1]),
    )
    assert not loaded.rows[0].is_arguable


def test_columns_in_another_order_and_further_ones(tmp_path: Path):
    columns = (*reversed(COLUMNS), "reader")
    loaded = read_gold(written(tmp_path, (*reversed(ROW), "somebody"), columns=columns))
    assert loaded.rows[0].reason == ROW[-1]


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (0, "no id", "owner__name-N"),
        (1, "March", "no day like"),
        (1, "2025-02-30", "no day like"),
        (3, "yes", "neither present nor absent"),
        (4, "4", "not 1, 2 or 3"),
        (4, "", "not 1, 2 or 3"),
    ],
)
def test_a_row_that_cannot_be_used_is_named_and_the_others_stay(
    tmp_path: Path, place: int, value: str, words: str
):
    broken = (*ROW[:place], value, *ROW[place + 1 :])
    other = ("owner__name-8", *ROW[1:])
    loaded = read_gold(written(tmp_path, broken, other))
    assert [row.sample for row in loaded.rows] == ["owner__name-8"]
    assert [problem.line for problem in loaded.problems] == [2]
    assert words in loaded.problems[0].message


def test_a_short_row_is_named(tmp_path: Path):
    loaded = read_gold(written(tmp_path, ROW[:3]))
    assert loaded.rows == ()
    assert "neither present nor absent" in loaded.problems[0].message


def test_two_verdicts_of_one_snapshot(tmp_path: Path):
    against = (*ROW[:3], "absent", *ROW[4:])
    loaded = read_gold(written(tmp_path, ROW, ROW, against))
    assert len(loaded.rows) == 1
    assert [problem.line for problem in loaded.problems] == [4]


def test_arguable_verdicts(tmp_path: Path):
    assert read_gold(written(tmp_path, (*ROW[:4], "1", *ROW[5:]))).rows[0].is_arguable


@pytest.mark.parametrize("content", [b"", b"sample_id\tcutoff\n", b"\xff\xfe"])
def test_another_file_is_refused(tmp_path: Path, content: bytes):
    path = tmp_path / "verdicts.tsv"
    path.write_bytes(content)
    with pytest.raises(InvalidInputError, match=r"verdicts\.tsv"):
        read_gold(path)
    with pytest.raises(InvalidInputError, match="cannot be read"):
        read_gold(tmp_path / "missing.tsv")
