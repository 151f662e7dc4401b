"""Reads the one submission of a results file, and finds out which benchmark it was run on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.audit.lines import with_lines
from engine.benchmarks.catalogue import CATALOGUE_NAME, Benchmark, read_catalogue
from engine.leaderboard.source import read_samples
from engine.paths import DATA_DIR
from engine.problems import BenchCheckerError, InvalidInputError, Loaded, Problem, Severity
from engine.store.connection import Snapshot
from engine.submissions.joining import with_patches
from engine.submissions.outcomes import Place
from engine.submissions.readers import read_submissions
from engine.submissions.submission import Results, Submission

_SHOWN = 5
_SPELLING = "check its spelling (owner__name-number), or choose another benchmark"


@dataclass(frozen=True, slots=True)
class AuditedFile:
    """A submission as a file reports it.

    Attributes:
        benchmark: Key of the benchmark it is counted on.
        submission: Its name.
        results: An outcome for every sample of the benchmark.
        problems: What the file has that was not used, or used with a doubt; lines where they are known.
    """

    benchmark: str
    submission: str
    results: Results
    problems: tuple[Problem, ...]


def read_audited(
    database: Snapshot,
    path: Path,
    benchmark: str | None = None,
    submission: str | None = None,
    *,
    data: Path = DATA_DIR,
) -> AuditedFile:
    """Read the submission of a file in any of the formats that `import submissions` knows.

    Args:
        database: The facts.
        path: The file, or the folder of one submission.
        benchmark: Key of the benchmark; the one that has most of the resolved ids if left out.
        submission: Which one, of a file that holds several; names it, if the file holds one without a name.
        data: Folder with the catalogue of benchmarks, which names the leaderboard's boards.

    Raises:
        InvalidInputError: If the file holds no results; with everything found wrong.
        BenchCheckerError: If it holds several submissions and none is chosen, or fits no benchmark.
    """
    known = _benchmarks(database, data)
    if benchmark is not None and benchmark not in known:
        raise BenchCheckerError(f"no benchmark is called {benchmark!r}: use one of {', '.join(known)}")
    asked = [known[benchmark]] if benchmark else [*known.values()]
    read = [(entry, _read(database, path, entry, submission)) for entry in asked]
    found = [
        _Candidate(entry, chosen, chosen.results, loaded.problems)
        for entry, loaded in read
        if (chosen := _chosen(loaded, submission)) is not None and chosen.results is not None
    ]
    if not found:
        problems = [problem for _, loaded in read[:1] for problem in _no_results(loaded, path)]
        raise InvalidInputError(with_lines(problems, path))
    return _accept(max(found, key=lambda candidate: candidate.fit), path)


class SeveralSubmissionsError(BenchCheckerError):
    """The file holds several submissions; `names` has their keys."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        listed = ", ".join([*self.names[:_SHOWN], *(["…"] if len(self.names) > _SHOWN else [])])
        super().__init__(f"the file holds {len(self.names)} submissions ({listed}): say which one to audit")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """The file as results on one benchmark."""

    benchmark: Benchmark
    submission: Submission
    results: Results
    problems: tuple[Problem, ...]

    @property
    def fit(self) -> tuple[int, bool, int]:
        """Larger the better the file fits the benchmark."""
        counts_all = self.results.total == self.benchmark.size
        return len(self.results.resolved), counts_all, -len(self.results.outside)


def _accept(found: _Candidate, path: Path) -> AuditedFile:
    results, name = found.results, found.submission.submission
    if results.outside and not results.resolved:
        ids = f"none of its {len(results.outside)} resolved ids, such as {results.outside[0]!r},"
        message = f"{ids} is a sample of {found.benchmark.title}"
        raise InvalidInputError(with_lines([Problem(str(path), None, name, message, _SPELLING)], path))
    exact, doubts = with_patches(results, found.submission.patches, Place(str(path), name))
    problems = with_lines([*found.problems, *doubts, *_outside(path, results)], path)
    return AuditedFile(found.benchmark.benchmark, name, exact, problems)


def _benchmarks(database: Snapshot, data: Path) -> dict[str, Benchmark]:
    """Return the benchmarks of the database; what boards they have, only the catalogue knows."""
    boards = read_catalogue(data) if (data / CATALOGUE_NAME).is_file() else {}
    rows = database.rows(
        "SELECT benchmark, title, language, size FROM benchmark ORDER BY size DESC, benchmark"
    )
    found = {row["benchmark"]: Benchmark(**row, difficulties=()) for row in rows}
    return {
        key: replace(entry, boards=boards[key].boards) if key in boards else entry
        for key, entry in found.items()
    }


def _read(database: Snapshot, path: Path, benchmark: Benchmark, name: str | None) -> Loaded[Submission]:
    samples = read_samples(database, benchmark.benchmark).samples
    return read_submissions([path], benchmark, samples, name=name)


def _chosen(loaded: Loaded[Submission], name: str | None) -> Submission | None:
    if len(loaded.rows) < 2:
        return loaded.rows[0] if loaded.rows else None
    named = {found.submission: found for found in loaded.rows}
    if name is None:
        raise SeveralSubmissionsError(tuple(named))
    if name not in named:
        raise BenchCheckerError(f"the file holds no submission called {name!r}: it has {', '.join(named)}")
    return named[name]


def _no_results(loaded: Loaded[Submission], path: Path) -> list[Problem]:
    problems = list(loaded.problems)
    if any(found.patches is not None for found in loaded.rows):
        message = "says what was submitted, but not what was resolved"
        remedy = "give the report that the benchmark's harness wrote for these predictions"
        problems.append(Problem(str(path), None, "", message, remedy))
    if not any(problem.severity is Severity.ERROR for problem in problems):
        problems.append(Problem(str(path), None, "", "holds no results", "give a harness's report"))
    return problems


def _outside(path: Path, results: Results) -> list[Problem]:
    message = "is no sample of this benchmark, not counted"
    return [
        Problem(str(path), None, reported, message, _SPELLING, Severity.WARNING)
        for reported in results.outside[:_SHOWN]
    ]
