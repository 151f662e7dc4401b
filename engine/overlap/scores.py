"""Turns a leak into numbers: scores with and without the leaked items, and what the leak is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import sqrt

from engine.statistics.intervals import critical_value
from engine.statistics.proportions import CONFIDENCE, Interval, Proportion, newcombe_difference
from engine.statistics.subsets import FourSubsets, four_subsets

POWER = 0.8
EXPECTED_SHARES = (0.02, 0.05, 0.15, 0.30)


class Leak(StrEnum):
    """What the gate, or a reviewer, says of an item."""

    LEAKED = "leaked"
    CLEAN = "clean"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ItemScore:
    """One item as a model answered it.

    Attributes:
        correct: Whether the answer counts as right.
        leak: What is known of the item; unknown is never counted as clean.
        token_share: Share of the item's tokens that are contaminated.
    """

    correct: bool
    leak: Leak
    token_share: float


@dataclass(frozen=True, slots=True)
class SubsetScores:
    """The scores that belong in a results table.

    Attributes:
        reported: All items that have a result.
        clean: Items without a leak.
        leaked: Items with one.
        unknown: Items that could not be judged.
        subsets: Llama 2's four subsets with their distance from random ones.
        difference: Interval of the clean rate minus the leaked rate; None if a group is empty.
        resolvable: Smallest difference of two models that the clean items resolve; None without a clean rate
            strictly between 0 and 1.
    """

    reported: Proportion
    clean: Proportion
    leaked: Proportion
    unknown: Proportion
    subsets: FourSubsets
    difference: Interval | None
    resolvable: float | None

    @property
    def leaked_share(self) -> float | None:
        """Share q of the items that leaked."""
        return self.leaked.n / self.reported.n if self.reported.n else None

    @property
    def inflation(self) -> float | None:
        """What the leak adds to the reported score: q x (leaked rate - clean rate).

        None where a rate is missing. With no unknown items it is the reported minus the clean rate.
        """
        share = self.leaked_share
        if share is None or self.clean.rate is None or self.leaked.rate is None:
            return None
        return share * (self.leaked.rate - self.clean.rate)

    @property
    def both_conditions(self) -> bool | None:
        """Whether clean items score below the reported rate and leaked ones above; None without either.

        Where every item is one or the other this only says that the leaked rate is the higher one: read it
        with `difference` and `subsets`.
        """
        reported, clean, leaked = self.reported.rate, self.clean.rate, self.leaked.rate
        if reported is None or clean is None or leaked is None:
            return None
        return clean < reported < leaked


def subset_scores(items: Sequence[ItemScore], confidence: float = CONFIDENCE) -> SubsetScores:
    """Score all items, the clean, the leaked and the unknown ones."""
    groups = {
        leak: Proportion(
            sum(item.correct for item in items if item.leak is leak), sum(item.leak is leak for item in items)
        )
        for leak in Leak
    }
    clean, leaked = groups[Leak.CLEAN], groups[Leak.LEAKED]
    return SubsetScores(
        reported=Proportion(sum(item.correct for item in items), len(items)),
        clean=clean,
        leaked=leaked,
        unknown=groups[Leak.UNKNOWN],
        subsets=four_subsets([item.correct for item in items], [item.token_share for item in items]),
        difference=newcombe_difference(clean, leaked, confidence),
        resolvable=None if clean.rate is None else resolvable_difference(clean.rate, clean.n, confidence),
    )


def resolvable_difference(
    rate: float, items: int, confidence: float = CONFIDENCE, power: float = POWER
) -> float | None:
    """Return the smallest difference of two models' rates that `items` items resolve.

    Two independent models near `rate`, a two-sided test at `confidence` and the given power:
    (z + z_power) * sqrt(2 p (1 - p) / n). Models compared item by item on the same set can resolve less.

    Returns:
        A difference of rates; None where the rate is 0 or 1 or there is no item.
    """
    if not items or not 0 < rate < 1:
        return None
    # The one-sided quantile of the power is the two-sided one of 2 power - 1.
    quantiles = critical_value(confidence) + critical_value(2 * power - 1)
    return quantiles * sqrt(2 * rate * (1 - rate) / items)


@dataclass(frozen=True, slots=True)
class ExpectedInflation:
    """What a leak of a given size does to a score.

    Attributes:
        share: Leaked share q.
        reported: (1 - q) x clean + q x leaked.
        clean: Rate of the clean items.
        inflation: q x (leaked - clean).
        clean_items: Items left when the leaked ones are dropped.
    """

    share: float
    reported: float
    clean: float
    inflation: float
    clean_items: int


def expected_inflation(
    clean: float, leaked: float, items: int, shares: Sequence[float] = EXPECTED_SHARES
) -> list[ExpectedInflation]:
    """Return the table of expected inflation for leaks of several sizes."""
    return [
        ExpectedInflation(
            share=share,
            reported=(1 - share) * clean + share * leaked,
            clean=clean,
            inflation=share * (leaked - clean),
            clean_items=round(items * (1 - share)),
        )
        for share in shares
    ]


def join_results(
    results: Mapping[str, bool], leaks: Mapping[str, tuple[Leak, float]]
) -> tuple[list[ItemScore], list[str]]:
    """Join a model's answers with what is known of the items.

    Args:
        results: Whether each item was answered correctly.
        leaks: Leak and share of contaminated tokens of each item.

    Returns:
        The items that are in both, and the ids of those answered that are not in the evaluation set.
    """
    known = [ItemScore(correct, *leaks[item]) for item, correct in results.items() if item in leaks]
    return known, sorted(results.keys() - leaks.keys())
