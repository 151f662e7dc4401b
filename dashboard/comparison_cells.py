"""Cells of a comparison before and after, shared by the leaderboard and the page of a submission."""

from __future__ import annotations

from dashboard import legend, theme, words
from dashboard.table import Cell, Column, Dumbbell, Point
from dashboard.theme import Tone
from engine.statistics.proportions import Interval, Proportion
from engine.statistics.ranking import Rank
from engine.statistics.summary import Comparison
from engine.statistics.verdict import Criteria, Verdict

MARGIN = f"{100 * Criteria().margin:g}"
"""The smallest excess of the contaminated over the clean rate worth the name, in points."""

_VERDICTS: dict[Verdict, tuple[str, Tone, str]] = {
    Verdict.HOLDS: ("Holds", "contaminated", "●"),
    Verdict.DOES_NOT_HOLD: ("Does not hold", "clean", "○"),
    Verdict.INSUFFICIENT: ("Insufficient evidence", "unknown", "?"),
}

DUMBBELL_COLUMN = Column(
    "scores",
    "Resolved, %",
    "Hollow: all samples. Filled: clean samples only. The thin lines are 95% intervals.",
    kind="dumbbell",
)
BEFORE_COLUMN = Column(
    "before", "Before", "Share of all samples resolved, with its 95% interval.", align="end", whole=True
)
AFTER_COLUMN = Column(
    "after",
    "After",
    "Share of the clean samples resolved, with its 95% interval.",
    align="end",
    whole=True,
)
CHANGE_COLUMN = Column(
    "change",
    "Change",
    "Relative change of the rate. Below it: clean minus contaminated rate in percentage points (pp), with "
    "its 95% interval.",
    align="end",
    whole=True,
)
VERDICT_COLUMN = Column(
    "verdict",
    "Contamination test",
    f"Holds: contaminated samples score higher beyond chance. Does not hold: not by {MARGIN} points or more.",
)


def show_legend() -> None:
    """Say what the points and lines of `DUMBBELL_COLUMN` mean."""
    colours = theme.palette()
    legend.show(
        legend.Entry("hollow", colours.before, "before: all samples"),
        legend.Entry("filled", colours.clean, "after: clean samples only"),
        legend.Entry("line", colours.before, "thin lines: 95% intervals"),
    )


def dumbbell(comparison: Comparison | None, *, known: bool) -> Dumbbell:
    """Return the two points; the second only where the labels are `known`."""
    if comparison is None:
        return Dumbbell(None, None, "no usable results")
    clean = comparison.clean if known else Proportion(0, 0)
    return share_dumbbell(comparison.before, comparison.before_interval, clean, comparison.clean_interval)


def share_dumbbell(
    before: Proportion, before_interval: Interval | None, clean: Proportion, clean_interval: Interval | None
) -> Dumbbell:
    """Return the two points of a rate before and after; a group without samples has none."""
    after = words.percent(clean.rate) if clean.n else "not known"
    return Dumbbell(
        _point(before, before_interval),
        _point(clean, clean_interval),
        f"before {words.percent(before.rate)}, after {after}",
    )


def _point(share: Proportion, bounds: Interval | None) -> Point | None:
    if share.rate is None:
        return None
    ends = (None, None) if bounds is None else (100 * bounds.low, 100 * bounds.high)
    return Point(100 * share.rate, *ends)


def rate_cell(share: Proportion, bounds: Interval | None) -> Cell:
    """Return a rate over its counts and interval."""
    counts = words.share_of(share.k, share.n) if share.n else "no sample"
    return Cell(words.percent(share.rate), detail=f"{counts} {words.interval(bounds)}".strip())


def change_cell(comparison: Comparison) -> Cell:
    """Return the relative change over the difference of clean and contaminated rate."""
    detail = ""
    if comparison.difference is not None:
        bounds = words.points_interval(comparison.difference_interval)
        detail = f"{words.signed_points(comparison.difference)} pp {bounds}"
    return Cell(words.signed_percent(comparison.relative_change), detail=detail)


def verdict_cell(comparison: Comparison) -> Cell:
    """Return the verdict over the number of unknown samples, with its reasons on hovering."""
    text, tone, symbol = _VERDICTS[comparison.judgement.verdict]
    if comparison.too_small:
        text, tone, symbol = "Too few samples", "unknown", ""
    unknown = comparison.unknown.n
    return Cell(
        text,
        detail=f"{words.count(unknown, 'sample')} unknown" if unknown else "",
        tone=tone,
        symbol=symbol,
        hint="; ".join(comparison.judgement.sentences),
    )


def verdict_title(verdict: Verdict) -> str:
    """Return the verdict as a reader sees it."""
    return _VERDICTS[verdict][0]


def rank_cell(before: Rank | None, after: Rank | None) -> Cell:
    """Return the places before and after, over the places they could as well be."""
    if before is None or after is None:
        return Cell(words.DASH, tone="unknown")
    return Cell(
        f"{before.rank} → {after.rank}",
        detail=f"{_places(before)} → {_places(after)}",
        hint="95% intervals of the place before and after",
    )


def _places(rank: Rank) -> str:
    return f"[{rank.low}{words.DASH}{rank.high}]"
