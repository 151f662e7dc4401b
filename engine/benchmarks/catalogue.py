"""The benchmarks BenchChecker knows: `data/benchmark.toml`, read in one place."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.paths import DATA_DIR
from engine.problems import BenchCheckerError

CATALOGUE_NAME = "benchmark.toml"


@dataclass(frozen=True, slots=True)
class Difficulty:
    """One difficulty level of a benchmark.

    Attributes:
        difficulty: Key, as in column names and addresses.
        title: What a reader sees.
        labels: Spellings in the data sets, beside the key itself.
    """

    difficulty: str
    title: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Board:
    """A board of the leaderboard site that ranks submissions on a benchmark.

    Attributes:
        name: Its name in the site's data.
        framework: The framework of all its entries, where it admits only one.
    """

    name: str
    framework: str | None = None


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One benchmark.

    Attributes:
        benchmark: Key.
        title: What a reader sees.
        language: Programming language of its samples, lower case.
        size: Number of samples, the denominator of every rate.
        difficulties: Levels, easiest first.
        url: Where it is published.
        dataset: Hugging Face data set id, where there is one.
        revision: The commit of `dataset` that is read.
        boards: Boards of the leaderboard site, the one to believe first.
    """

    benchmark: str
    title: str
    language: str
    size: int
    difficulties: tuple[Difficulty, ...]
    url: str | None = None
    dataset: str | None = None
    revision: str | None = None
    boards: tuple[Board, ...] = ()

    def difficulty_key(self, label: str) -> str | None:
        """Return the key of the level that a data set calls `label`, or None if it has no such level."""
        wanted = " ".join(label.split()).casefold()
        for level in self.difficulties:
            if wanted in {text.casefold() for text in (level.difficulty, level.title, *level.labels)}:
                return level.difficulty
        return None


def read_catalogue(data: Path = DATA_DIR) -> dict[str, Benchmark]:
    """Read every benchmark of `data`, by key, in the order of the file.

    Raises:
        BenchCheckerError: If the file is missing or an entry is incomplete.
    """
    path = data / CATALOGUE_NAME
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))["benchmark"]
        benchmarks = [_benchmark(entry) for entry in entries]
    except FileNotFoundError as error:
        raise BenchCheckerError(f"{path}: there is no catalogue of benchmarks here (check --data)") from error
    except (KeyError, TypeError, ValueError) as error:
        raise BenchCheckerError(f"{path.name}: {error!r} (compare with the other entries)") from error
    return {benchmark.benchmark: benchmark for benchmark in benchmarks}


def find_benchmark(key: str, data: Path = DATA_DIR) -> Benchmark:
    """Return the benchmark called `key`.

    Raises:
        BenchCheckerError: If `data` has no such benchmark; the message lists those it has.
    """
    catalogue = read_catalogue(data)
    if key not in catalogue:
        raise BenchCheckerError(f"no benchmark is called {key!r}: use one of {', '.join(catalogue)}")
    return catalogue[key]


def benchmark_rows(data: Path = DATA_DIR) -> list[dict[str, Any]]:
    """Return the rows of the table `benchmark`."""
    return [
        {
            "benchmark": entry.benchmark,
            "title": entry.title,
            "language": entry.language,
            "size": entry.size,
            "url": entry.url,
        }
        for entry in read_catalogue(data).values()
    ]


def difficulty_rows(data: Path = DATA_DIR) -> list[dict[str, Any]]:
    """Return the rows of the table `difficulty`; rank 0 is the easiest level."""
    return [
        {"benchmark": entry.benchmark, "difficulty": level.difficulty, "title": level.title, "rank": rank}
        for entry in read_catalogue(data).values()
        for rank, level in enumerate(entry.difficulties)
    ]


def _benchmark(entry: dict[str, Any]) -> Benchmark:
    levels = tuple(
        Difficulty(level["difficulty"], level["title"], tuple(level.get("labels", ())))
        for level in entry["difficulties"]
    )
    if int(entry["size"]) < 1:
        raise ValueError(f"{entry['benchmark']}: size must be positive")
    return Benchmark(
        benchmark=entry["benchmark"],
        title=entry["title"],
        language=entry["language"],
        size=int(entry["size"]),
        difficulties=levels,
        url=entry.get("url"),
        dataset=entry.get("dataset"),
        revision=entry.get("revision"),
        boards=tuple(Board(board["name"], board.get("framework")) for board in entry.get("boards", ())),
    )
