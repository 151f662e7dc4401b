"""The catalogue of benchmarks is read completely, and says what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.benchmarks.catalogue import benchmark_rows, difficulty_rows, find_benchmark, read_catalogue
from engine.problems import BenchCheckerError


def test_the_projects_own_catalogue():
    sizes = {key: benchmark.size for key, benchmark in read_catalogue().items()}
    assert sizes == {"swe-bench-verified": 500, "multi-swe-bench-java": 128, "swe-bench-java-verified": 91}
    assert [row["benchmark"] for row in benchmark_rows()] == list(sizes)
    ranks = [
        (row["difficulty"], row["rank"])
        for row in difficulty_rows()
        if row["benchmark"] == "swe-bench-verified"
    ]
    assert ranks == [("lt15m", 0), ("15m_1h", 1), ("1h_4h", 2), ("gt4h", 3)]


@pytest.mark.parametrize(
    ("label", "key"),
    [("<15 min fix", "lt15m"), ("15 min - 1 hour", "15m_1h"), (" 1-4  HOURS ", "1h_4h"), ("gt4h", "gt4h")],
)
def test_difficulties_are_known_by_every_label(label: str, key: str):
    assert find_benchmark("swe-bench-verified").difficulty_key(label) == key


def test_unknown_difficulty():
    assert find_benchmark("multi-swe-bench-java").difficulty_key("impossible") is None


def test_unknown_benchmark_lists_the_known_ones():
    with pytest.raises(BenchCheckerError, match=r"'nonsense'.*swe-bench-verified"):
        find_benchmark("nonsense")


def test_missing_catalogue(tmp_path: Path):
    with pytest.raises(BenchCheckerError, match="no catalogue"):
        read_catalogue(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not toml [",
        "[[benchmark]]\nbenchmark = 'x'\n",
        "[[benchmark]]\nbenchmark='x'\ntitle='X'\nlanguage='y'\nsize=0\ndifficulties=[]\n",
    ],
)
def test_broken_catalogue(tmp_path: Path, text: str):
    (tmp_path / "benchmark.toml").write_text(text)
    with pytest.raises(BenchCheckerError, match=r"benchmark\.toml"):
        read_catalogue(tmp_path)
