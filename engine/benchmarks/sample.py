"""What a sample is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Sample:
    """One benchmark instance, with the texts that stay in the reader's own data set.

    Attributes:
        sample: Canonical id, `owner__name-N` in lower case.
        repository: `owner/name`, lower case.
        number: Number of the pull request.
        base_commit: Commit the gold patch applies to, or None where the data set does not say.
        created_at: When the pull request was opened, or the nearest instant the data set gives; UTC.
        difficulty: Key of the benchmark's level, or None.
        patch: Gold patch, a unified diff as published, or None.
        test_patch: Patch that brings the tests, or None.
        problem_statement: Text of the issue, or None.
        fail_to_pass: Tests that the gold patch makes pass.
        pass_to_pass: Tests that pass before and after.
        landed_commit: Commit by which the fix reached the repository, where the data set names it.
        landed_at: Date of `landed_commit`, UTC.
        duplicate_group: Key shared by samples whose fixes are ports of one another, or None.
        gold_fails_own_tests: Whether the gold patch is known to fail its own tests; None if not looked at.
        extra: The record's other plain fields, by their name in the data set.
    """

    sample: str
    repository: str
    number: int
    base_commit: str | None = None
    created_at: datetime | None = None
    difficulty: str | None = None
    patch: str | None = None
    test_patch: str | None = None
    problem_statement: str | None = None
    fail_to_pass: tuple[str, ...] = ()
    pass_to_pass: tuple[str, ...] = ()
    landed_commit: str | None = None
    landed_at: datetime | None = None
    duplicate_group: str | None = None
    gold_fails_own_tests: bool | None = None
    extra: Mapping[str, Scalar] = field(default_factory=dict)
