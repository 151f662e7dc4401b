from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from scratch_repository import new_scratch
from typer.testing import CliRunner, Result

from engine.benchmarks.sample import Sample
from engine.cli.app import build_app
from engine.history.repository import RepositoryHistory
from engine.presence.explanation import explain, in_words
from engine.presence.snapshot import SourceCache
from engine.presence.workers import DETECTORS
from engine.reading import printable


def run(*arguments: str, data: Path) -> Result:
    return CliRunner().invoke(build_app(), ["explain", *arguments, "--data", str(data)])


def test_stored_facts_explain_a_verdict(tiny_data: Path) -> None:
    result = run("a__one-1", "--cutoff", "2024-03", "-d", "paper", data=tiny_data)
    assert result.exit_code == 0, result.output
    assert "sample    a__one-1" in result.stdout
    assert "verdict   present: score 1.00" in result.stdout
    assert "From stored facts" in result.stdout


def test_a_day_without_evidence_and_a_wrong_detector_are_said(tiny_data: Path) -> None:
    assert "nothing is known of a__one-1 on 1999-01-31" in _plain(
        run("a__one-1", "--cutoff", "1999-01", "-d", "paper", data=tiny_data)
    )
    assert "no detector" in _plain(run("a__one-1", "--cutoff", "2024-03", "-d", "none", data=tiny_data))


@pytest.mark.parametrize("threshold", ["nan", "-1", "2", "inf"])
def test_a_threshold_is_a_share(tiny_data: Path, threshold: str) -> None:
    result = run("a__one-1", "--cutoff", "2024-03", "--threshold", threshold, data=tiny_data)
    assert result.exit_code == 2
    assert "does not lie between 0 and 1" in _plain(result)


@pytest.mark.parametrize("typed", ["one-2", "a__one-22", "2"])
def test_a_sample_that_is_not_there_brings_the_nearest(tiny_data: Path, typed: str) -> None:
    result = run(typed, "--cutoff", "2024-03", "-d", "paper", data=tiny_data)
    assert result.exit_code == 2
    assert "a__one-2" in _plain(result)
    assert "did you mean" in _plain(result)


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert printable("a\x1b[31mb") == "a\N{REPLACEMENT CHARACTER}[31mb"


def _plain(result: Result) -> str:
    return " ".join(result.output.replace("│", " ").split())


@pytest.mark.parametrize("detector", ["paper", "traced"])
def test_each_line_of_the_fix_stands_beside_the_nearest_of_the_snapshot(
    tmp_path: Path, detector: str
) -> None:
    before = b"def area(a, b):\n    return a\n"
    after = b"def area(a, b):\n    return a * b\n"
    scratch = new_scratch(tmp_path / "r.git")
    scratch.chain(
        ("2020-01-01", {"m.py": before}),
        ("2020-01-02", {"m.py": after}),
        ("2020-02-01", {"m.py": b"import os\n\n" + after}),
    )
    base, landed = scratch.names["c0"], scratch.names["c1"]
    patch = (
        "diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1,2 +1,2 @@\n def area(a, b):\n"
        "-    return a\n+    return a * b\n"
    )
    sample = Sample("o__r-1", "o/r", 1, base_commit=base, patch=patch)
    cache = SourceCache(RepositoryHistory.open(scratch.path))
    day = date(2020, 2, 1)
    explanation = explain(sample, day, DETECTORS[detector](), cache)
    lines = list(in_words(explanation, day, 0.6))
    text = "\n".join(lines)
    assert landed in text
    assert "m.py:3-4" in text
    assert any(line.startswith("   1.00   return a * b") and line.endswith("(line 4)") for line in lines)
    assert "verdict   present: score 1.00, threshold 0.60" in text


def test_the_tokens_in_which_two_lines_differ_are_marked_on_both_sides(tmp_path: Path) -> None:
    scratch = new_scratch(tmp_path / "r.git")
    scratch.chain(
        ("2020-01-01", {"m.py": b"def area(a, b):\n    return a\n"}),
        ("2020-01-02", {"m.py": b"def area(a, b):\n    return a * b\n"}),
        ("2020-02-01", {"m.py": b"def area(a, b):\n    return scale(a * b)\n"}),
    )
    patch = (
        "diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1,2 +1,2 @@\n def area(a, b):\n"
        "-    return a\n+    return a * b\n"
    )
    sample = Sample("o__r-1", "o/r", 1, base_commit=scratch.names["c0"], patch=patch)
    cache = SourceCache(RepositoryHistory.open(scratch.path))
    (block,) = explain(sample, date(2020, 2, 1), DETECTORS["paper"](), cache).blocks
    (line,) = block.lines
    assert (line.text, line.near) == ("return a * b", "return scale ( a * b )")
    assert line.differing == ()
    assert [line.near[first:last] for first, last in line.near_differing] == ["scale (", ")"]
