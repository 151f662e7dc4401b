"""The reader's own data sets and clones: the only places that hold patches and code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from engine.benchmarks.catalogue import find_benchmark
from engine.benchmarks.readers import read_samples
from engine.benchmarks.sample import Sample
from engine.history.clones import locate, read_sources
from engine.history.repository import RepositoryHistory
from engine.history.summary import known_sources
from engine.presence.explanation import Explanation, explain
from engine.presence.snapshot import SourceCache
from engine.presence.workers import DETECTORS
from engine.problems import BenchCheckerError


@dataclass(frozen=True, slots=True)
class OwnSources:
    """Where a reader keeps them.

    Attributes:
        samples: `BENCHMARK=FILE` items: a benchmark's key and its data set with the patches.
        repos: Folder of local repositories.
        mapping: TSV of repository and the name under which its history is kept.
        data: Folder of the fact files.
        cache: Folder for indexes.
    """

    samples: tuple[str, ...]
    repos: Path
    mapping: Path | None
    data: Path
    cache: Path

    def explain(self, sample: str, detector: str, day: date) -> Explanation:
        """Judge a sample anew at one day, and put its lines beside the snapshot's.

        Raises:
            BenchCheckerError: If the sample, its repository or the detector is not at hand, or the sample
                cannot be judged on that day; the message says what to do.
        """
        if detector not in DETECTORS:
            raise BenchCheckerError(f"no detector is called {detector!r}: use one of {', '.join(DETECTORS)}")
        found = self._find(sample)
        sources = known_sources(self.data)
        if self.mapping is not None:
            sources |= {row.repository: row.source for row in read_sources(self.mapping).strict().rows}
        path = locate(self.repos, found.repository, sources)
        if path is None:
            raise BenchCheckerError(
                f"there is no history of {found.repository} in {self.repos}: clone it there"
            )
        history = RepositoryHistory.open(path, cache_dir=self.cache / "history")
        return explain(found, day, DETECTORS[detector](), SourceCache(history))

    def _find(self, key: str) -> Sample:
        for benchmark, file in map(_split, self.samples):
            for sample in read_samples(file, find_benchmark(benchmark, self.data)).rows:
                if sample.sample == key:
                    return sample
        raise BenchCheckerError(f"{key} is in none of the data sets at hand: {', '.join(self.samples)}")


def own_sources(
    samples: Sequence[str], repos: Path, mapping: Path | None, data: Path, cache: Path
) -> OwnSources:
    """Return sources after a look at them.

    Raises:
        BenchCheckerError: If an item has another form, or a folder or file is missing.
    """
    for _, file in map(_split, samples):
        if not Path(file).is_file():
            raise BenchCheckerError(f"there is no data set {file}")
    if not repos.is_dir():
        raise BenchCheckerError(f"there is no folder of repositories {repos}")
    if mapping is not None and not mapping.is_file():
        raise BenchCheckerError(f"there is no mapping {mapping}")
    return OwnSources(tuple(samples), repos, mapping, data, cache)


def _split(item: str) -> tuple[str, str]:
    benchmark, separator, file = item.partition("=")
    if not separator:
        raise BenchCheckerError(f"{item!r} is not of the form BENCHMARK=FILE")
    return benchmark, file
