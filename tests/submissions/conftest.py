"""Fixtures of the submission tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_benchmark import SAMPLES, write_small_benchmark

from engine.benchmarks.catalogue import Benchmark, find_benchmark
from engine.problems import Loaded
from engine.submissions.readers import read_submissions
from engine.submissions.submission import Submission


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with the small benchmark and no submission."""
    return write_small_benchmark(tmp_path / "data")


@pytest.fixture
def benchmark_small(data: Path) -> Benchmark:
    """The small benchmark."""
    return find_benchmark("small", data)


@pytest.fixture
def read(benchmark_small: Benchmark) -> Callable[..., Loaded[Submission]]:
    """Read submissions of the small benchmark."""

    def read_paths(*paths: Path, **options: Any) -> Loaded[Submission]:
        return read_submissions(paths, benchmark_small, SAMPLES, **options)

    return read_paths
