"""What can be wrong with something read from outside, and how it is said.

Readers return a `Loaded`: the rows that could be used, and a `Problem` for every one that could not, so
that nothing is dropped silently. Under `strict` the same problems become one `InvalidInputError`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

Row = TypeVar("Row")


class BenchCheckerError(Exception):
    """An error that a user can act on; the command line prints it without a traceback."""


class Severity(StrEnum):
    """Whether a row could still be used."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing found wrong in input.

    Attributes:
        file: File (or data set id) the row came from.
        line: 1-based line, or None where the format has no lines.
        subject: The id concerned (sample, submission, model), or an empty string.
        message: What is wrong.
        remedy: What the reader can do about it.
        severity: `ERROR` when the row was left out, `WARNING` when it was used all the same.
    """

    file: str
    line: int | None
    subject: str
    message: str
    remedy: str
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        """`file:line: severity: subject: message (remedy)`, on one line whatever the input holds."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        subject = f"{self.subject}: " if self.subject else ""
        text = f"{place}: {self.severity.value}: {subject}{self.message} ({self.remedy})"
        return "".join(
            character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text
        )


class InvalidInputError(BenchCheckerError):
    """Raised under `strict`, with every problem found and not only the first."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


@dataclass(frozen=True, slots=True)
class Loaded(Generic[Row]):
    """Rows that could be used, and what was wrong with the others."""

    rows: tuple[Row, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems for which a row was left out."""
        return tuple(problem for problem in self.problems if problem.severity is Severity.ERROR)

    def strict(self) -> Loaded[Row]:
        """Return self, or raise if any problem is an error.

        Raises:
            InvalidInputError: If a row was left out.
        """
        if self.errors:
            raise InvalidInputError(self.errors)
        return self
