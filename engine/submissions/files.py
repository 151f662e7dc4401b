"""Reads one file of submissions in any of the formats people have, told apart by its contents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from engine.benchmarks.catalogue import Benchmark
from engine.problems import Problem, Severity
from engine.reading import Record, clean_name, is_plain_name, iter_records
from engine.submissions.board import is_board, read_board
from engine.submissions.folders import name_from_file
from engine.submissions.matrix import is_matrix_row, read_matrix_row
from engine.submissions.outcomes import Place, settle
from engine.submissions.predictions import (
    is_prediction,
    is_prediction_mapping,
    read_predictions,
    unfold_predictions,
)
from engine.submissions.reports import is_report, parse_report
from engine.submissions.submission import Submission, fill

Read = tuple[list[Submission], list[Problem]]

_FORMATS = (
    "known are results.json, harness reports, per_instance_details.json, predictions, response matrices "
    "and the leaderboard site's data"
)


@dataclass(frozen=True, slots=True)
class Context:
    """What the files of one import share.

    Attributes:
        benchmark: The benchmark that the submissions were run on.
        samples: Canonical ids of its samples.
        name: Key of the submission, where the user gave one.
        source: Where the files come from, where the user said.
    """

    benchmark: Benchmark
    samples: frozenset[str]
    name: str | None = None
    source: str | None = None


def read_file(path: Path, context: Context, key: str | None = None) -> Read:
    """Return the submissions in a file, and the problems.

    Args:
        path: The file.
        context: What the import shares.
        key: The submission it belongs to, where its folder says.
    """
    problems: list[Problem] = []
    records = iter_records(path)
    for first in records:
        if isinstance(first, Problem):
            problems.append(first)
            continue
        found, doubts = _read(path, context, key, chain([first], records), first.value)
        return found, [*problems, *doubts]
    if all(problem.severity is Severity.WARNING for problem in problems):
        problems.append(Problem(str(path), None, "", "holds nothing", "fetch the file again"))
    return [], problems


def contradictions(file: str, known: Submission, again: Submission) -> list[Problem]:
    """Return the problem that two sources of one submission disagree on what it resolved, if they do."""
    if known.results is None or again.results is None:
        return []
    count = len(known.results.resolved ^ again.results.resolved)
    if count == 0:
        return []
    message = f"is here a second time with other outcomes for {count} samples; the first was used"
    return [Place(file, known.submission).problem(message, "remove the wrong one")]


def _read(
    path: Path, context: Context, key: str | None, records: Iterator[Record | Problem], first: Any
) -> Read:
    if is_matrix_row(first):
        return _read_matrix(path, context, records)
    name = key or context.name or name_from_file(path)
    place = Place(str(path), clean_name(name))
    if not is_plain_name(name):
        return [], [place.problem("the file's name cannot be a submission's key", "give --submission NAME")]
    if is_prediction(first) or is_prediction_mapping(first):
        return _read_predictions(name, context, place, records)
    values = list(records)
    if len(values) > 1 or not isinstance(first, dict):
        return [], [place.problem("holds records of an unknown format", _FORMATS)]
    if is_board(first):
        source = context.source or path.name
        return read_board(first, context.benchmark, context.samples, str(path), source)
    if is_report(first):
        return _read_report(name, context, place, first)
    return [], [place.problem("has an unknown format", _FORMATS)]


def _read_matrix(path: Path, context: Context, records: Iterable[Record | Problem]) -> Read:
    found: dict[str, Submission] = {}
    problems: list[Problem] = []
    for record in records:
        if isinstance(record, Problem):
            problems.append(record)
            continue
        if not is_matrix_row(record.value):
            place = Place(str(path), "", record.line)
            problems.append(place.problem("expected subject_id and responses", "correct the line"))
            continue
        submission, doubts = read_matrix_row(record, context.samples, str(path), context.source or path.name)
        problems += doubts
        if submission is not None:
            known = found.get(submission.submission)
            if known is not None:
                problems += contradictions(str(path), known, submission)
            found[submission.submission] = submission if known is None else fill(known, submission)
    return list(found.values()), problems


def _read_predictions(name: str, context: Context, place: Place, records: Iterable[Record | Problem]) -> Read:
    problems: list[Problem] = []

    def unfolded() -> Iterator[Record]:
        for record in records:
            if isinstance(record, Problem):
                problems.append(record)
            elif is_prediction_mapping(record.value):
                yield from unfold_predictions(record.value)
            else:
                yield record

    patches, doubts = read_predictions(unfolded(), context.samples, place)
    source = context.source or Path(place.file).name
    return [Submission(name, source, patches=patches)], [*problems, *doubts]


def _read_report(name: str, context: Context, place: Place, value: dict[str, Any]) -> Read:
    report, named_source, problems = parse_report(value, place)
    if report is None:
        return [], problems
    results, doubts = settle(report, context.samples, place)
    source = context.source or named_source or Path(place.file).name
    return [Submission(name, clean_name(source), results=results)], [*problems, *doubts]
