"""Could a collection of code have read a fix? The paper's four categories (Section 3.1, Figure 1).

Training data is collected over a span of time that nobody publishes. A label only looks at the cutoff's
snapshot, so for an assumed span it can be right or wrong in four ways.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from enum import Enum
from typing import NamedTuple


class Span(NamedTuple):
    """One span of days with a detector's score, as in table `presence`; both ends inclusive."""

    valid_from: date
    valid_to: date
    score: float | None


class Category(Enum):
    """What the label at the cutoff is worth for an assumed collection; numbered as in Figure 1."""

    RIGHTLY_CONTAMINATED = 1
    WRONGLY_CONTAMINATED = 2
    WRONGLY_CLEAN = 3
    RIGHTLY_CLEAN = 4


def last_present(spans: Iterable[Span], threshold: float, cutoff: date) -> date | None:
    """Return the last day up to the cutoff on which the fix was there, None where it never was.

    Args:
        spans: A detector's evidence on one sample.
        threshold: Score from which the fix counts as present; a score of 0 never does.
        cutoff: Days after it do not count.
    """
    days = [
        min(span.valid_to, cutoff)
        for span in spans
        if span.score is not None and span.score >= threshold and span.score > 0 and span.valid_from <= cutoff
    ]
    return max(days, default=None)


def categorise(
    landed: date | None, persisted: date | None, collected_from: date, collected_to: date, cutoff: date
) -> Category:
    """Return the category of a sample.

    Two cases that Figure 1 leaves out are rightly clean, because no collected day saw the fix: it landed
    after the cutoff or never, or it both landed after the collection ended and was gone at the cutoff.

    Args:
        landed: Day the fix landed (T_p,intro), None where it never did.
        persisted: Last day up to the cutoff on which it was there (T_p,persist), None where it never was.
        collected_from: First day of the collection (T_c,start).
        collected_to: Last day of the collection (T_c,end).
        cutoff: Day of the snapshot that the label looks at (T_latest).

    Raises:
        ValueError: Unless collected_from <= collected_to <= cutoff.
    """
    if not collected_from <= collected_to <= cutoff:
        raise ValueError(
            f"a collection runs forwards and ends by the cutoff: {collected_from}, {collected_to}, {cutoff}"
        )
    if landed is None or persisted is None or landed > cutoff:
        return Category.RIGHTLY_CLEAN
    if persisted >= cutoff:
        return Category.RIGHTLY_CONTAMINATED if landed <= collected_to else Category.WRONGLY_CONTAMINATED
    overlaps = persisted >= collected_from and landed <= collected_to
    return Category.WRONGLY_CLEAN if overlaps else Category.RIGHTLY_CLEAN
