"""Which submissions a leaderboard shows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from engine.leaderboard.source import Submission


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that all must hold; the default shows everything.

    A submission that does not say what a condition asks for (no date, no framework) does not meet it.

    Attributes:
        frameworks: Any of these; empty for all.
        models: Any of these keys; empty for all.
        submitted_from: First day of submission.
        submitted_to: Last day of submission.
        open_weights: True for open weights only, False for the others only.
    """

    frameworks: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    submitted_from: date | None = None
    submitted_to: date | None = None
    open_weights: bool | None = None

    def meets(self, submission: Submission) -> bool:
        """Return whether `submission` is shown."""
        day = submission.submitted_on
        return (
            (not self.frameworks or submission.framework in self.frameworks)
            and (not self.models or bool(set(self.models) & set(submission.models)))
            and (self.submitted_from is None or (day is not None and day >= self.submitted_from))
            and (self.submitted_to is None or (day is not None and day <= self.submitted_to))
            and (self.open_weights is None or submission.open_weights is self.open_weights)
        )
