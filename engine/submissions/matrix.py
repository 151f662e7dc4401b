"""Reads a response matrix: one line a submission, with 1 or 0 for every sample it was run on."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from engine.problems import Problem
from engine.reading import Record, clean_name, is_plain_name
from engine.submissions.outcomes import Place, settle
from engine.submissions.reports import is_usable, report_from_flags
from engine.submissions.submission import Submission


def is_matrix_row(value: Any) -> bool:
    """Whether a JSON value is a line of a response matrix."""
    return isinstance(value, dict) and "subject_id" in value and isinstance(value.get("responses"), dict)


def read_matrix_row(
    record: Record, samples: Collection[str], file: str, source: str
) -> tuple[Submission | None, list[Problem]]:
    """Return the submission on one line, and its problems."""
    name = record.value["subject_id"]
    place = Place(file, clean_name(name), record.line)
    if not isinstance(name, str) or not is_plain_name(name):
        return None, [place.problem("subject_id cannot be a folder's name", "correct the name")]
    report, problems = report_from_flags(record.value["responses"], place)
    if not is_usable(report, problems):
        return None, problems
    results, doubts = settle(report, samples, place)
    return Submission(name, source, results=results), [*problems, *doubts]
