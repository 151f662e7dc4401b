"""Reads submissions from files and folders."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from engine.benchmarks.catalogue import Benchmark
from engine.problems import InvalidInputError, Loaded, Problem
from engine.reading import read_yaml
from engine.submissions.files import Context, Read, contradictions, read_file
from engine.submissions.folders import (
    METADATA_NAME,
    PREDICTION_NAMES,
    RESULT_NAMES,
    first_file,
    submissions_in,
)
from engine.submissions.metadata import apply_metadata
from engine.submissions.outcomes import Place
from engine.submissions.submission import Submission, fill


def read_submissions(
    paths: Iterable[Path],
    benchmark: Benchmark,
    samples: Collection[str],
    *,
    name: str | None = None,
    source: str | None = None,
    strict: bool = False,
) -> Loaded[Submission]:
    """Read every submission in `paths`.

    Args:
        paths: Files or folders: an experiments split, one submission's folder, a folder of reports, a harness
            report, a predictions file, a response matrix or the leaderboard site's data.
        benchmark: The benchmark they were run on.
        samples: Canonical ids of its samples.
        name: Key of the submission, for a single report or predictions file.
        source: Where the files come from; the file's own word, or its name, if left out.
        strict: Raise if anything was left out.

    Returns:
        The submissions in the order read, and the problems. Of the same submission in several places, the
        later ones only add what the first leaves out.

    Raises:
        InvalidInputError: Under `strict`, if anything was left out.
    """
    context = Context(benchmark, frozenset(samples), name, source)
    found: dict[str, Submission] = {}
    problems: list[Problem] = []
    for path in paths:
        submissions, doubts = _read_folders(path, context) if path.is_dir() else read_file(path, context)
        problems += doubts
        for submission in submissions:
            known = found.get(submission.submission)
            if known is not None:
                problems += contradictions(str(path), known, submission)
            found[submission.submission] = submission if known is None else fill(known, submission)
    loaded = Loaded(tuple(found.values()), tuple(problems))
    return loaded.strict() if strict else loaded


def _read_folders(path: Path, context: Context) -> Read:
    submissions: list[Submission] = []
    problems: list[Problem] = []
    for found in submissions_in(path):
        if isinstance(found, Problem):
            problems.append(found)
            continue
        more, doubts = _read_folder(found, context) if found.is_dir() else read_file(found, context)
        submissions += more
        problems += doubts
    return submissions, problems


def _read_folder(folder: Path, context: Context) -> Read:
    """Read one submission's folder: what it is, what it resolved and what it submitted."""
    key = context.name or folder.resolve().name
    submission, problems = _with_metadata(Submission(key, context.source or key), folder)
    results = first_file(folder, RESULT_NAMES)
    if results is None:
        problems.append(Place(str(folder), key).problem("has no results", "add results/results.json"))
        return [], problems
    for path in filter(None, (results, first_file(folder, PREDICTION_NAMES))):
        found, doubts = read_file(path, context, key)
        problems += doubts
        for part in found:
            submission = fill(submission, part)
    return ([] if submission.results is None else [submission]), problems


def _with_metadata(submission: Submission, folder: Path) -> tuple[Submission, list[Problem]]:
    path = first_file(folder, (METADATA_NAME,))
    if path is None:
        return submission, []
    try:
        value, problems = read_yaml(path)
    except InvalidInputError as error:
        return submission, list(error.problems)
    submission, doubts = apply_metadata(submission, value, Place(str(path), submission.submission))
    return submission, [*problems, *doubts]
