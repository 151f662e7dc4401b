"""What a test verification can come to, and what runs the tests."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from engine.benchmarks.sample import Sample


class State(StrEnum):
    """How a verification ended."""

    PASSED = "passed"
    FAILED = "failed"
    DID_NOT_APPLY = "did not apply"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class TestOutcome:
    """The outcome of one verification.

    Attributes:
        state: How it ended. Only `passed` and `failed` say something about the fix.
        reason: In words, what decided it.
        log: What the tests printed, None where nothing ran.
    """

    __test__ = False  # not a test class, whatever pytest makes of its name

    state: State
    reason: str
    log: Path | None = None


class TestRunner(Protocol):
    """Runs a sample's tests on its base commit with a diff applied.

    Attributes:
        name: What the command line calls it.
    """

    name: str

    def run(self, sample: Sample, diff: str, folder: Path) -> TestOutcome:
        """Run the tests.

        Args:
            sample: With its base commit and, for a local run, its test patch.
            diff: Unified diff against the base commit, in place of the gold patch.
            folder: Where logs are kept; it exists.
        """
        ...


class NoRunner:
    """Runs nothing: similarity alone decides."""

    name = "none"

    def run(self, sample: Sample, diff: str, folder: Path) -> TestOutcome:
        """See `TestRunner.run`."""
        return TestOutcome(State.NOT_RUN, "no runner was asked for")
