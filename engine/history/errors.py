"""What can go wrong with a history, as errors a caller can tell apart."""

from __future__ import annotations

from datetime import date

from engine.problems import BenchCheckerError


class HistoryError(BenchCheckerError):
    """Base of every error about a git history."""


class HistoryUnavailable(HistoryError):
    """The repository cannot be used at all: missing, empty, shallow or corrupt.

    Attributes:
        reason: Why, in words that can stand as the reason of an `unknown` label.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class DayOutsideHistory(HistoryError):
    """No snapshot is known for a day.

    Attributes:
        day: The day asked for.
        bound: The first or the last day that has a snapshot.
    """

    def __init__(self, day: date, bound: date, message: str) -> None:
        self.day = day
        self.bound = bound
        super().__init__(message)


class DayBeforeHistory(DayOutsideHistory):
    """The day lies before the first commit."""

    def __init__(self, day: date, first_day: date) -> None:
        super().__init__(day, first_day, f"the history starts on {first_day}, after {day}")


class DayAfterHistory(DayOutsideHistory):
    """The day lies after the last commit read, so what the branch held then is not known."""

    def __init__(self, day: date, last_day: date) -> None:
        super().__init__(day, last_day, f"the history ends on {last_day}, before {day}")


class BlobUnavailable(HistoryError):
    """A blob cannot be read.

    Attributes:
        blob: Object id.
    """

    def __init__(self, blob: str, message: str) -> None:
        self.blob = blob
        super().__init__(message)


class MissingBlob(BlobUnavailable):
    """The object is named by a tree but is not in the object store, or is no blob."""

    def __init__(self, blob: str, detail: str = "") -> None:
        super().__init__(blob, f"blob {blob} is not in the repository{f': {detail}' if detail else ''}")


class BlobTooLarge(BlobUnavailable):
    """The blob is larger than the limit of the reader."""

    def __init__(self, blob: str, size: int, limit: int) -> None:
        super().__init__(blob, f"blob {blob} has {size} bytes, the limit is {limit}")


class CloneFailed(HistoryError):
    """A clone could not be made."""
