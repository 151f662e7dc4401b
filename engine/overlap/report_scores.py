"""The part of a report that turns a leak into numbers."""

from __future__ import annotations

from collections.abc import Mapping

from engine.overlap.page import Section, Table
from engine.overlap.scores import Leak, SubsetScores, expected_inflation, join_results, subset_scores
from engine.problems import BenchCheckerError
from engine.statistics.proportions import Proportion
from engine.statistics.subsets import CLEAN_BELOW, DIRTY_FROM

_DASH = "–"


def scores_section(results: Mapping[str, bool], leaks: Mapping[str, tuple[Leak, float]]) -> Section:
    """Build the section of scores: three rates, two conditions, and what a leak of another size would do.

    Args:
        results: Whether the model answered each record of the evaluation set correctly.
        leaks: What is known of each record.

    Raises:
        BenchCheckerError: If none of the results belongs to the evaluation set.
    """
    known, foreign = join_results(results, leaks)
    if not known:
        raise BenchCheckerError(f"none of the {len(results)} results is of an item of the evaluation set")
    scores = subset_scores(known)
    table = Table(
        "Score of the model, with 95% Wilson intervals",
        ("items", "correct", "of", "rate", "interval"),
        tuple(
            (name, str(group.k), str(group.n), rate_text(group.rate), interval_text(group))
            for name, group in (
                ("reported: all", scores.reported),
                ("clean only", scores.clean),
                ("leaked only", scores.leaked),
                ("could not be judged", scores.unknown),
            )
        ),
    )
    notes = [
        f"{len(leaks) - len(known)} items of the set have no result."
        if len(known) < len(leaks)
        else "Every item of the set has a result.",
        f"{len(foreign)} results are of items outside the set and not counted: {', '.join(foreign[:10])}."
        if foreign
        else "",
        _summary(scores),
    ]
    return Section(
        "Scores",
        (table, *(note for note in notes if note), *_two_conditions(scores), *_inflation(scores)),
    )


def _summary(scores: SubsetScores) -> str:
    parts = [f"Leaked share q = {rate_text(scores.leaked_share)}."]
    if scores.inflation is not None:
        parts.append(f"Inflation q × (leaked − clean) = {scores.inflation:+.3f}.")
    if scores.difference is not None:
        parts.append(
            f"Clean minus leaked: 95% interval {scores.difference.low:+.3f} to {scores.difference.high:+.3f}."
        )
    if scores.resolvable is not None:
        parts.append(
            f"With {scores.clean.n} clean items, two models must differ by at least "
            f"{scores.resolvable:.3f} to be told apart (95% confidence, 80% power, compared by their rates)."
        )
    return " ".join(parts)


def _two_conditions(scores: SubsetScores) -> tuple[str | Table, ...]:
    both = scores.both_conditions
    if both is None:
        return ("The two-condition test needs clean and leaked items: not run.",)
    subsets = scores.subsets
    rows = (
        ("clean", f"below {CLEAN_BELOW:.0%}", subsets.clean),
        ("not clean", f"from {CLEAN_BELOW:.0%}", subsets.not_clean),
        ("not dirty", f"below {DIRTY_FROM:.0%}", subsets.not_dirty),
        ("dirty", f"from {DIRTY_FROM:.0%}", subsets.dirty),
    )
    table = Table(
        "Llama 2's four subsets, by contaminated tokens; Z is the distance from random subsets of that size",
        ("subset", "tokens", "correct", "of", "rate", "Z"),
        tuple(
            (
                name,
                share,
                str(subset.outcome.k),
                str(subset.outcome.n),
                rate_text(subset.outcome.rate),
                _DASH if subset.z is None else f"{subset.z:+.2f}",
            )
            for name, share, subset in rows
        ),
    )
    verdict = (
        f"Both conditions (clean below the reported rate, leaked above): {'yes' if both else 'no'}. "
        f"All four subsets beyond |Z| > 2 in the expected direction: {'yes' if subsets.affected else 'no'}."
    )
    return (table, verdict)


def _inflation(scores: SubsetScores) -> tuple[Table, ...]:
    if scores.clean.rate is None or scores.leaked.rate is None:
        return ()
    rows = expected_inflation(scores.clean.rate, scores.leaked.rate, scores.reported.n)
    table = Table(
        "Expected inflation for other leaks, at these two rates",
        ("leaked share q", "reported", "clean only", "inflation", "clean items"),
        tuple(
            (
                f"{row.share:.0%}",
                f"{row.reported:.3f}",
                f"{row.clean:.3f}",
                f"{row.inflation:+.3f}",
                str(row.clean_items),
            )
            for row in rows
        ),
    )
    return (table,)


def rate_text(rate: float | None) -> str:
    """Return a rate to three places, a dash for None."""
    return _DASH if rate is None else f"{rate:.3f}"


def interval_text(group: Proportion) -> str:
    """Return the 95% Wilson interval of a group, a dash for an empty one."""
    interval = group.wilson()
    return _DASH if interval is None else f"[{interval.low:.3f}, {interval.high:.3f}]"
