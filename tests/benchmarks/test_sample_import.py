"""Samples become facts that hold no text of theirs."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.benchmarks.catalogue import Benchmark, Difficulty
from engine.benchmarks.importing import plan_samples, sample_row
from engine.benchmarks.sample import Sample
from engine.patches.diff import PatchError
from engine.problems import BenchCheckerError, Loaded
from engine.store.changes import apply
from engine.store.facts import read_facts

LEVELS = (Difficulty("easy", "Easy"),)
LARGE = Benchmark("large", "Large", "java", 2, LEVELS)
SMALL = Benchmark("small", "Small", "java", 2, LEVELS)
PATCH = (
    "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,3 @@\n-x = 1\n+x = 2\n+y = 'é'\n z = 3\n"
    "diff --git a/b.py b/b.py\n--- a/b.py\n+++ b/b.py\n@@ -1,2 +1 @@\n-SECRET\n keep\n"
)
FULL = Sample(
    sample="o__n-1",
    repository="o/n",
    number=1,
    base_commit="a" * 40,
    created_at=datetime(2024, 5, 6, 7, 8, 9, 123, tzinfo=UTC),
    difficulty="easy",
    patch=PATCH,
    problem_statement="SECRET issue",
    extra={"title": "SECRET title"},
)
BARE = Sample("o__n-1", "o/n", 1, created_at=datetime(2020, 1, 1, tzinfo=UTC))


def run(data: Path, benchmark: Benchmark, *samples: Sample) -> list[str]:
    changes, problems = plan_samples(data, benchmark, Loaded(samples), "file")
    apply(data, changes)
    return [problem.message for problem in problems]


def contents(data: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(data.iterdir())}


def test_sizes_and_hash_of_the_patch():
    row = sample_row(FULL)
    assert row["patch_sha256"] == hashlib.sha256(PATCH.encode()).hexdigest()
    assert (row["files"], row["added_lines"], row["removed_lines"]) == (2, 2, 2)


def test_no_text_reaches_the_facts(tmp_path: Path):
    run(tmp_path, LARGE, FULL)
    assert all(b"SECRET" not in content for content in contents(tmp_path).values())


def test_importing_twice_changes_no_byte(tmp_path: Path):
    run(tmp_path, LARGE, FULL, replace(BARE, sample="o__n-2", number=2))
    before = contents(tmp_path)
    changes, _ = plan_samples(tmp_path, LARGE, Loaded((FULL,)), "file")
    assert not any(changes)
    run(tmp_path, LARGE, FULL)
    assert contents(tmp_path) == before


def test_a_record_with_a_patch_says_more_in_either_order(tmp_path: Path):
    first, second = tmp_path / "first", tmp_path / "second"
    run(first, LARGE, FULL)
    run(first, SMALL, BARE)
    run(second, SMALL, BARE)
    run(second, LARGE, FULL)
    assert contents(first) == contents(second)
    (row,) = read_facts(first, "sample")
    assert row["created_at"] == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    members = [(row["benchmark"], row["difficulty"]) for row in read_facts(first, "membership")]
    assert members == [("large", "easy"), ("small", None)]


def test_a_new_edition_of_a_sample_replaces_it(tmp_path: Path):
    run(tmp_path, LARGE, FULL)
    changes, _ = plan_samples(tmp_path, LARGE, Loaded((replace(FULL, base_commit="b" * 40),)), "file")
    assert list(changes[0].describe()) == [f"~ sample o__n-1: base_commit '{'a' * 40}' → '{'b' * 40}'"]


@pytest.mark.parametrize(
    "patch",
    [
        "",
        "not a diff",
        "diff --git a/../../x b/../../x\n--- a/../../x\n+++ b/../../x\n@@ -1 +1 @@\n-a\n+b\n",
    ],
)
def test_a_patch_that_cannot_be_read_leaves_its_sample_out(tmp_path: Path, patch: str):
    with pytest.raises(PatchError):
        sample_row(replace(FULL, patch=patch))
    assert (
        len(run(tmp_path, LARGE, replace(FULL, patch=patch), replace(FULL, sample="o__n-2", number=2))) == 1
    )
    assert [row["sample"] for row in read_facts(tmp_path, "sample")] == ["o__n-2"]


def test_more_samples_than_the_benchmark_has(tmp_path: Path):
    samples = [replace(FULL, sample=f"o__n-{number}", number=number) for number in (1, 2, 3)]
    with pytest.raises(BenchCheckerError, match="has 2 samples, but this would make 3"):
        run(tmp_path, LARGE, *samples)
    assert contents(tmp_path) == {}
