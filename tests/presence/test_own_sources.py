from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from scratch_repository import new_scratch

from engine.paths import DATA_DIR
from engine.presence.own_sources import OwnSources, own_sources
from engine.problems import BenchCheckerError

BENCHMARK = "swe-bench-verified"
PATCH = (
    "diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1,2 +1,2 @@\n def area(a, b):\n"
    "-    return a\n+    return a * b\n"
)


@pytest.fixture
def sources(tmp_path: Path) -> OwnSources:
    scratch = new_scratch(tmp_path / "repos" / "o__r.git")
    scratch.chain(
        ("2020-01-01", {"m.py": b"def area(a, b):\n    return a\n"}),
        ("2020-01-02", {"m.py": b"def area(a, b):\n    return a * b\n"}),
        ("2020-02-01", {"other.py": b"x = 1\n"}),
    )
    record = {
        "repo": "o/r",
        "instance_id": "o__r-1",
        "base_commit": scratch.names["c0"],
        "patch": PATCH,
        "created_at": "2020-01-01T12:00:00Z",
    }
    file = tmp_path / "set.jsonl"
    file.write_text(json.dumps(record) + "\n", encoding="utf-8")
    return own_sources([f"{BENCHMARK}={file}"], tmp_path / "repos", None, DATA_DIR, tmp_path / "cache")


@pytest.mark.parametrize("detector", ["paper", "traced"])
def test_a_sample_is_judged_from_the_readers_own_files(sources: OwnSources, detector: str) -> None:
    explanation = sources.explain("o__r-1", detector, date(2020, 2, 1))
    assert explanation.verdict.score == 1.0
    (block,) = explanation.blocks
    assert [(line.text, line.near, line.near_start) for line in block.lines] == [
        ("return a * b", "return a * b", 2)
    ]
    early = sources.explain("o__r-1", detector, date(2020, 1, 1))
    assert (early.verdict.score, early.blocks) == (0.0, ())


def test_what_is_not_at_hand_is_said(sources: OwnSources, tmp_path: Path) -> None:
    with pytest.raises(BenchCheckerError, match="o__r-2 is in none of the data sets"):
        sources.explain("o__r-2", "paper", date(2020, 2, 1))
    with pytest.raises(BenchCheckerError, match="no detector is called 'none'"):
        sources.explain("o__r-1", "none", date(2020, 2, 1))
    empty = tmp_path / "empty"
    empty.mkdir()
    elsewhere = own_sources(sources.samples, empty, None, DATA_DIR, tmp_path / "cache")
    with pytest.raises(BenchCheckerError, match="no history of o/r"):
        elsewhere.explain("o__r-1", "paper", date(2020, 2, 1))


@pytest.mark.parametrize(
    ("samples", "folder", "mapping", "message"),
    [
        (["no-equals-sign"], ".", None, "not of the form"),
        ([f"{BENCHMARK}=gone.jsonl"], ".", None, "no data set"),
        ([], "gone", None, "no folder"),
        ([], ".", "gone.tsv", "no mapping"),
    ],
)
def test_wrong_sources_are_refused(
    tmp_path: Path, samples: list[str], folder: str, mapping: str | None, message: str
) -> None:
    named = None if mapping is None else tmp_path / mapping
    with pytest.raises(BenchCheckerError, match=message):
        own_sources(samples, tmp_path / folder, named, DATA_DIR, tmp_path)
