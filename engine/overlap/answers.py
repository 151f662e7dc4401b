"""Reads a model's per-item results for the scores of a report."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.problems import BenchCheckerError, Loaded, Problem

_TRUE = {"true", "1", "1.0", "yes", "pass", "passed", "correct", "resolved"}
_FALSE = {"false", "0", "0.0", "no", "fail", "failed", "incorrect", "wrong", "unresolved"}


def read_answers(
    path: Path, id_field: str = "item", correct_field: str = "correct"
) -> Loaded[tuple[str, bool]]:
    """Read which items a model answered correctly, from JSON Lines or CSV.

    Returns:
        Item and whether it was answered correctly; rows that say neither yes nor no are problems.

    Raises:
        BenchCheckerError: If the file cannot be read, or an item has two different answers.
    """
    answers: dict[str, bool] = {}
    problems: list[Problem] = []
    for line, row in _rows(path, problems):
        item, value = row.get(id_field), row.get(correct_field)
        told = str(value).strip().lower()
        if item is None or told not in _TRUE | _FALSE:
            message = f"needs {id_field!r} and a yes or no in {correct_field!r}"
            problems.append(
                Problem(path.name, line, str(item or ""), message, "see --id-field, --correct-field")
            )
            continue
        correct = told in _TRUE
        if answers.setdefault(str(item), correct) != correct:
            raise BenchCheckerError(f"{path.name}:{line}: {item} is answered twice, and differently")
    return Loaded(tuple(answers.items()), tuple(problems))


def _rows(path: Path, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            if path.suffix.lower() == ".csv":
                reader = csv.DictReader(stream)
                for row in reader:
                    yield reader.line_num, row
                return
            for number, line in enumerate(stream, start=1):
                if not line.strip():
                    continue
                try:
                    value = json.loads(line)
                except ValueError as error:
                    problems.append(Problem(path.name, number, "", f"no JSON: {error}", "correct the line"))
                    continue
                if isinstance(value, dict):
                    yield number, value
                else:
                    problems.append(Problem(path.name, number, "", "no JSON object", "correct the line"))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BenchCheckerError(f"{path}: cannot be read: {error}") from error
