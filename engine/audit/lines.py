"""Finds the line of a JSON document that a problem is about; readers of documents do not know it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from engine.problems import Problem
from engine.reading import MAX_DOCUMENT_BYTES

# An id of a sample, or what a message puts in quotes.
_NAMED = re.compile(r"'([^']{1,300})'|([\w.-]+(?:__|/)[\w.-]+(?:-|:pr-)\d+)")
_TWICE = re.compile(r"two values|both resolved and unresolved|twice")


def with_lines(problems: Iterable[Problem], path: Path) -> tuple[Problem, ...]:
    """Return problems, each that names something in the file with the line where it first stands.

    What is there twice is shown at its second place.
    """
    found = tuple(problems)
    if all(problem.line is not None for problem in found) or not _is_document(path):
        return found
    raw = path.read_bytes()
    return tuple(problem if problem.line else replace(problem, line=_line(problem, raw)) for problem in found)


def _is_document(path: Path) -> bool:
    return path.is_file() and path.suffix != ".parquet" and path.stat().st_size <= MAX_DOCUMENT_BYTES


def _line(problem: Problem, raw: bytes) -> int | None:
    for match in _NAMED.finditer(f"{problem.message} '{problem.subject}'"):
        wanted = json.dumps(match[1] or match[2], ensure_ascii=False).encode()
        place = raw.find(wanted)
        if place >= 0:
            again = raw.find(wanted, place + 1) if _TWICE.search(problem.message) else -1
            return raw.count(b"\n", 0, max(place, again)) + 1
    return None
