"""Which statements about a ranking survive every way of making it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import kendalltau

from engine.statistics.arrays import Bools, Counts, Floats
from engine.statistics.ranking import ranks


@dataclass(frozen=True, slots=True)
class Scenario:
    """One way to make the ranking.

    Attributes:
        choices: What was chosen for each aspect, such as detector, threshold, cutoff basis and policy for
            several models.
        counts: Resolved and all clean samples, one element per submission, in the order of all scenarios.
    """

    choices: Mapping[str, str]
    counts: Counts


@dataclass(frozen=True, slots=True)
class Fragility:
    """What scenarios do to a ranking.

    Attributes:
        ranks: Shape (scenarios, submissions); NaN where a submission has no clean sample.
        best: Best rank of each submission over the scenarios; NaN if it never has one.
        worst: Worst rank.
        always_above: Whether the first submission has the higher rate in every scenario that rates both, of
            which there is at least one; shape (submissions, submissions).
        agreement: Kendall's tau-b of each scenario with the reference; NaN where it is undefined.
        surviving: Share of the pairs ordered by the reference that keep their order in every scenario (a tie
            does not keep it); None when it orders none.
        moved_by: For each aspect, by how many ranks a submission moves on average when that aspect alone
            changes, among those rated both times; None when no two scenarios differ in it alone.
    """

    ranks: Floats
    best: Floats
    worst: Floats
    always_above: Bools
    agreement: Floats
    surviving: float | None
    moved_by: Mapping[str, float | None]


def rank_fragility(scenarios: Sequence[Scenario], reference: int = 0) -> Fragility:
    """Rank submissions under every scenario and say what holds in all of them.

    Args:
        scenarios: At least one, all with the same submissions and the same aspects.
        reference: Index of the scenario that the others are compared with.

    Raises:
        ValueError: If there is no scenario, or they differ in submissions or aspects.
    """
    if not scenarios:
        raise ValueError("need at least one scenario")
    aspects = tuple(scenarios[0].choices)
    if any(set(scenario.choices) != set(aspects) for scenario in scenarios):
        raise ValueError("all scenarios must choose for the same aspects")
    if len({scenario.counts.k.shape for scenario in scenarios}) > 1:
        raise ValueError("all scenarios must hold the same submissions")
    rates = np.stack([scenario.counts.rate for scenario in scenarios])
    places = ranks(rates)
    above = _always_above(rates)
    in_reference = rates[reference][:, None] > rates[reference][None, :]
    ordered, kept = int(in_reference.sum()), int((in_reference & above).sum())
    return Fragility(
        ranks=places,
        best=np.fmin.reduce(places, axis=0),
        worst=np.fmax.reduce(places, axis=0),
        always_above=above,
        agreement=np.array([_tau(places[reference], other) for other in places]),
        surviving=kept / ordered if ordered else None,
        moved_by={aspect: _moved(scenarios, rates, aspect) for aspect in aspects},
    )


def _always_above(rates: Floats) -> Bools:
    size = rates.shape[1]
    together: Bools = np.zeros((size, size), dtype=np.bool_)
    contradicted: Bools = np.zeros((size, size), dtype=np.bool_)
    for row in rates:
        rated = ~np.isnan(row)
        together |= rated[:, None] & rated[None, :]
        # Comparisons with NaN are False, so a scenario that lacks either contradicts nothing.
        contradicted |= row[:, None] <= row[None, :]
    return together & ~contradicted


def _tau(first: Floats, second: Floats) -> float:
    rated = ~np.isnan(first) & ~np.isnan(second)
    return float(kendalltau(first[rated], second[rated]).statistic) if rated.sum() > 1 else float("nan")


def _moved(scenarios: Sequence[Scenario], rates: Floats, aspect: str) -> float | None:
    alike: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for position, scenario in enumerate(scenarios):
        others = tuple(sorted((name, value) for name, value in scenario.choices.items() if name != aspect))
        alike.setdefault(others, []).append(position)
    moves = []
    for group in alike.values():
        for i, j in combinations(group, 2):
            # Who is left out moves the places of all behind it, but not the order of those that remain.
            both = ~np.isnan(rates[i]) & ~np.isnan(rates[j])
            if scenarios[i].choices[aspect] != scenarios[j].choices[aspect] and both.any():
                moves.append(np.abs(ranks(rates[i][both]) - ranks(rates[j][both])))
    return float(np.mean(np.concatenate(moves))) if moves else None
