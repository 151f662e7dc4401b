"""What a submission is, as read from one source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date

from engine.reading import clean_name

_FOLDER = re.compile(r"(?P<day>\d{8})[_-](?P<rest>.+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Results:
    """What a submission reached on each sample of its benchmark.

    Attributes:
        outcomes: One of `engine.store.schema.OUTCOMES` for every sample of the benchmark.
        outside: Ids reported as resolved that are no samples of the benchmark, as spelt in the source.
        total: How many samples the source counts, where it says.
        notes: What a reader of the figures must know, one sentence part each.
    """

    outcomes: Mapping[str, str]
    outside: tuple[str, ...] = ()
    total: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def resolved(self) -> frozenset[str]:
        """The samples that count as resolved."""
        return frozenset(sample for sample, outcome in self.outcomes.items() if outcome == "resolved")


@dataclass(frozen=True, slots=True)
class Submission:
    """One leaderboard entry, or what one source says of it; None is what the source does not say.

    Attributes:
        submission: Key: the name of its folder in the public experiments.
        source: Where this was read.
        title: What the leaderboard shows.
        framework: The agent, where the source names it apart from the title.
        submitted_on: Day of the submission.
        open_weights: Whether its models' weights are public.
        open_system: Whether its code is public.
        checked: Whether the leaderboard's maintainers reran it.
        reported_rate: Resolved rate that the leaderboard prints, from 0 to 1.
        model_tags: Its models as the source names them.
        notes: What a reader of the figures must know, one sentence part each.
        results: Outcome per sample.
        patches: For each sample with a prediction, whether its patch holds anything.
    """

    submission: str
    source: str
    title: str | None = None
    framework: str | None = None
    submitted_on: date | None = None
    open_weights: bool | None = None
    open_system: bool | None = None
    checked: bool | None = None
    reported_rate: float | None = None
    model_tags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    results: Results | None = None
    patches: Mapping[str, bool] | None = None


def fill(first: Submission, second: Submission) -> Submission:
    """Return `first` with what only `second` says."""
    missing = {
        field.name: getattr(second, field.name)
        for field in fields(Submission)
        if getattr(first, field.name) in (None, ())
    }
    return replace(first, **missing)


def title_from_name(submission: str) -> str:
    """Return a title for a submission that has none.

    The experiments' folders are named `YYYYMMDD_framework_model`, the leaderboard's titles
    `framework + model`.
    """
    match = _FOLDER.fullmatch(submission)
    return clean_name(match["rest"].replace("_", " + ", 1).replace("_", " ") if match else submission)


def day_from_name(submission: str) -> date | None:
    """Return the day at the start of a folder's name, if there is one."""
    match = _FOLDER.fullmatch(submission)
    try:
        return date.fromisoformat(match["day"]) if match else None
    except ValueError:
        return None
