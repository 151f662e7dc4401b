"""The facts of the real imports: complete, without texts, and equal to the paper's figures before labels."""

from __future__ import annotations

import csv
import re
from collections import Counter
from typing import Any

import pytest

from engine.benchmarks.catalogue import read_catalogue
from engine.benchmarks.ids import parse_sample_id
from engine.paths import DATA_DIR
from engine.store.facts import read_facts

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def facts() -> dict[str, Rows]:
    names = ("sample", "membership", "submission", "submission_model", "result", "outside_result")
    return {name: read_facts(DATA_DIR, name) for name in names}


def test_every_benchmark_has_all_its_samples(facts: dict[str, Rows]):
    counts = Counter(row["benchmark"] for row in facts["membership"])
    assert counts == {key: benchmark.size for key, benchmark in read_catalogue().items()}
    # 78 of the 91 older Java samples are among the 128.
    assert len(facts["sample"]) == 500 + 128 + 13


def test_ids_are_canonical_and_agree_with_their_columns(facts: dict[str, Rows]):
    for row in facts["sample"]:
        found = parse_sample_id(row["sample"])
        assert found is not None
        assert (found.canonical, found.repository, found.number) == (
            row["sample"],
            row["repository"],
            row["number"],
        )


def test_samples_carry_sizes_and_hashes_but_no_text(facts: dict[str, Rows]):
    hashed = [row for row in facts["sample"] if row["patch_sha256"] is not None]
    assert len(hashed) == 628
    for row in hashed:
        assert re.fullmatch("[0-9a-f]{64}", row["patch_sha256"])
        assert row["files"] > 0
        assert row["added_lines"] + row["removed_lines"] > 0
        assert row["base_commit"]
    assert all(row["title"] is None for row in facts["sample"])
    assert sum(bool(row["gold_fails_own_tests"]) for row in facts["sample"]) == 17


def test_difficulties_are_those_of_the_paper(facts: dict[str, Rows]):
    counts = Counter((row["benchmark"], row["difficulty"]) for row in facts["membership"])
    verified = [counts["swe-bench-verified", level] for level in ("lt15m", "15m_1h", "1h_4h", "gt4h")]
    java = [counts["multi-swe-bench-java", level] for level in ("easy", "medium", "hard")]
    assert (verified, java) == ([194, 261, 42, 3], [27, 65, 36])


def test_182_submissions_with_one_outcome_for_every_sample(facts: dict[str, Rows]):
    counts = Counter(row["benchmark"] for row in facts["submission"])
    assert counts == {"swe-bench-verified": 174, "swe-bench-java-verified": 5, "multi-swe-bench-java": 3}
    members = {(row["benchmark"], row["sample"]) for row in facts["membership"]}
    assert {(row["benchmark"], row["sample"]) for row in facts["result"]} == members
    assert len(facts["result"]) == 174 * 500 + 5 * 91 + 3 * 128
    keys = {(row["benchmark"], row["submission"], row["sample"]) for row in facts["result"]}
    assert len(keys) == len(facts["result"])


def test_the_odd_ones_are_marked(facts: dict[str, Rows]):
    by_key = {row["submission"]: row for row in facts["submission"]}
    assert [key for key, row in by_key.items() if not row["use_results"]] == [
        "20250720_mini-v0.0.0-claude-3-7-sonnet-20250219"
    ]
    short = {key for key, row in by_key.items() if row["reported_total"] == 499}
    assert short == {
        "20250720_mini-v0.0.0-Llama-4-Maverick-17B-Instruct",
        "20250726_mini-v1.0.0_claude-sonnet-4-20250514",
    }
    assert all("of 499" in by_key[key]["quality"] for key in short)


@pytest.mark.parametrize("number", [6, 7, 8, 9])
def test_resolved_before_labels_equals_the_papers_tables(facts: dict[str, Rows], number: int):
    with (DATA_DIR / "paper" / "row.csv").open(encoding="utf-8") as stream:
        known = {(row["table"], row["row"]): row for row in csv.DictReader(stream) if row["submission"]}
    level = {(row["benchmark"], row["sample"]): row["difficulty"] for row in facts["membership"]}
    resolved: Counter[tuple[str, str, str]] = Counter()
    for row in facts["result"]:
        if row["outcome"] == "resolved":
            for name in ("overall", level[row["benchmark"], row["sample"]]):
                resolved[row["benchmark"], row["submission"], name] += 1
    compared = 0
    with (DATA_DIR / "paper" / f"table{number}.csv").open(encoding="utf-8") as stream:
        for cell in csv.DictReader(stream):
            row = known.get((cell["table"], cell["row"]))
            if row is not None:
                ours = resolved[row["benchmark"], row["submission"], cell["level"]]
                assert ours == int(cell["before_resolved"]), (cell["row"], cell["level"])
                compared += 1
    assert compared == {6: 50, 7: 4, 8: 75, 9: 4}[number]
