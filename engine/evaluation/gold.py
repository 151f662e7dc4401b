"""Reads hand-read verdicts: whether a fix was in the tree at a cutoff, as a person saw it.

A tab-separated file with the columns sample_id, cutoff, commit, verdict, confidence, kind and reason, in any
order; further columns are ignored.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from engine.benchmarks.ids import parse_sample_id
from engine.problems import InvalidInputError, Loaded, Problem
from engine.reading import clean_name

COLUMNS = ("sample_id", "cutoff", "commit", "verdict", "confidence", "kind", "reason")
ARGUABLE = 1
"""The confidence that is left out of rates."""


@dataclass(frozen=True, slots=True)
class GoldVerdict:
    """One hand-read verdict.

    Attributes:
        sample: Canonical sample id.
        cutoff: The day at whose end the tree was read, UTC.
        commit: The commit that was read.
        present: The verdict.
        confidence: 3 certain, 2 likely, 1 arguable.
        kind: What became of the fix, in a word.
        reason: The reader's reason.
    """

    sample: str
    cutoff: date
    commit: str
    present: bool
    confidence: int
    kind: str
    reason: str

    @property
    def is_arguable(self) -> bool:
        """Whether it is left out of rates."""
        return self.confidence <= ARGUABLE


def read_gold(file: Path) -> Loaded[GoldVerdict]:
    """Read one file of verdicts.

    Returns:
        The verdicts, each sample and cutoff once, and a problem for every row that could not be used.

    Raises:
        InvalidInputError: If the file cannot be read or lacks a column.
    """
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise _unusable(file, f"cannot be read: {error}", "check the path; it must be UTF-8") from error
    # Reasons hold quotation marks of any number: a tab is all that separates.
    reader = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    missing = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
    if missing:
        raise _unusable(file, f"has no column {', '.join(missing)}", "give it the header line")
    rows: dict[tuple[str, date], GoldVerdict] = {}
    problems: list[Problem] = []
    for row in reader:
        subject = clean_name(row["sample_id"] or "")
        try:
            verdict = _verdict(row)
        except ValueError as error:
            problems.append(Problem(str(file), reader.line_num, subject, str(error), "correct the row"))
            continue
        if rows.setdefault((verdict.sample, verdict.cutoff), verdict) != verdict:
            message = f"has two verdicts at {verdict.cutoff}"
            problems.append(Problem(str(file), reader.line_num, subject, message, "keep one of them"))
    return Loaded(tuple(rows.values()), tuple(problems))


def _verdict(row: dict[str, str | None]) -> GoldVerdict:
    values = {column: (row[column] or "").strip() for column in COLUMNS}
    identity = parse_sample_id(values["sample_id"])
    if identity is None:
        raise ValueError("the sample id is not of the form owner__name-N")
    if values["verdict"] not in ("present", "absent"):
        raise ValueError(f"the verdict is {clean_name(values['verdict'])!r}, neither present nor absent")
    if values["confidence"] not in ("1", "2", "3"):
        raise ValueError(f"the confidence is {clean_name(values['confidence'])!r}, not 1, 2 or 3")
    try:
        cutoff = date.fromisoformat(values["cutoff"])
    except ValueError:
        raise ValueError(f"the cutoff {clean_name(values['cutoff'])!r} is no day like 2025-03-31") from None
    return GoldVerdict(
        sample=identity.canonical,
        cutoff=cutoff,
        commit=values["commit"],
        present=values["verdict"] == "present",
        confidence=int(values["confidence"]),
        kind=values["kind"],
        reason=values["reason"],
    )


def _unusable(file: Path, message: str, remedy: str) -> InvalidInputError:
    return InvalidInputError([Problem(str(file), None, "", message, remedy)])
