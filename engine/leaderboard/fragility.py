"""How much of a ranking on clean samples stands: against other samples, and against other ways to make it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.leaderboard.matrix import Matrix
from engine.leaderboard.scenarios import ASPECTS
from engine.statistics.arrays import Bools, Counts, Floats, number
from engine.statistics.effects.fragility import Fragility, Scenario, rank_fragility
from engine.statistics.pair_order import order_shares
from engine.statistics.proportions import CONFIDENCE
from engine.statistics.ranking import RankColumns, bootstrap_ranks


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """A ranking and what it survives. Arrays follow the submissions of `matrix`, best clean rate first.

    Attributes:
        matrix: Submissions that have a rate on clean samples.
        left_out: How many were asked for and have none.
        scenarios: Every way to make the ranking, the one shown first.
        ranks: Ranks with intervals over samples drawn anew, singly and by repository, whichever is wider: few
            repositories by themselves would promise too much.
        shares: In what share of these draws each is above each other, whichever is lower.
        fragility: What the scenarios do to the ranking.
    """

    matrix: Matrix
    left_out: int
    scenarios: tuple[Scenario, ...]
    ranks: RankColumns
    shares: Floats
    fragility: Fragility

    @property
    def sure(self) -> Bools:
        """Which pairs are above beyond doubt: in every scenario, and in nearly all draws of samples."""
        return np.asarray(self.fragility.always_above & (self.shares >= (1 + CONFIDENCE) / 2))

    @property
    def ordered(self) -> Bools:
        """Which pairs the ranking shown orders, first above second."""
        rates = self.scenarios[0].counts.rate
        return np.asarray(rates[:, None] > rates[None, :])

    def single_changes(self) -> tuple[SingleChange, ...]:
        """Return what each choice does by itself, in the order of the aspects."""
        shown, ordered = self.scenarios[0], self.ordered
        found = []
        for place, way in enumerate(self.scenarios):
            changed = [aspect for aspect in ASPECTS if way.choices[aspect] != shown.choices[aspect]]
            if len(changed) != 1:
                continue
            rates = way.counts.rate
            rated = ~np.isnan(rates)
            stays = ordered & (rates[:, None] > rates[None, :])
            found.append(
                SingleChange(
                    aspect=changed[0],
                    choice=way.choices[changed[0]],
                    rated=int(rated.sum()),
                    agreement=number(self.fragility.agreement[place]),
                    kept=int(stays.sum()),
                    ordered=int((ordered & rated[:, None] & rated[None, :]).sum()),
                )
            )
        return tuple(sorted(found, key=lambda change: ASPECTS.index(change.aspect)))

    def pair(self, first: int, second: int) -> PairSurvival:
        """Return how the order of two submissions fares."""
        return pair_survival(self.scenarios, first, second)


@dataclass(frozen=True, slots=True)
class SingleChange:
    """The ranking when one choice alone is made another way.

    Attributes:
        aspect: What is chosen.
        choice: The other choice.
        rated: Submissions that it rates.
        agreement: Kendall's tau-b with the ranking shown, None where it is undefined.
        kept: Orders of two submissions that stay; a tie does not.
        ordered: Orders that the ranking shown makes among those rated both times.
    """

    aspect: str
    choice: str
    rated: int
    agreement: float | None
    kept: int
    ordered: int


@dataclass(frozen=True, slots=True)
class Tally:
    """Scenarios that rate both of two submissions, by what they say."""

    above: int
    tied: int
    below: int

    @property
    def rated(self) -> int:
        """All of them."""
        return self.above + self.tied + self.below


@dataclass(frozen=True, slots=True)
class PairSurvival:
    """Whether one submission is above another, over all scenarios.

    Attributes:
        whole: Over all of them.
        parts: For each aspect and choice, over the scenarios with that choice.
    """

    whole: Tally
    parts: Mapping[tuple[str, str], Tally]


def standing(matrix: Matrix, scenarios: Sequence[Scenario], rows: Sequence[int]) -> Standing:
    """Rank some submissions on their clean samples, in the first scenario and in all others.

    Args:
        matrix: All submissions, in the order of the scenarios.
        scenarios: From `scenarios.scenarios` of the same matrix.
        rows: The submissions to rank, by their place in the matrix.
    """
    rates = scenarios[0].counts.rate
    rated = [row for row in rows if not np.isnan(rates[row])]
    rated.sort(key=lambda row: (-rates[row], matrix.submissions[row].submission))
    taken = matrix.take(rated)
    cut = tuple(Scenario(way.choices, Counts(way.counts.k[rated], way.counts.n[rated])) for way in scenarios)
    return Standing(
        matrix=taken,
        left_out=len(rows) - len(rated),
        scenarios=cut,
        ranks=_drawn_ranks(taken),
        shares=np.minimum(*(_shares(taken, clusters) for clusters in (None, taken.samples.repository))),
        fragility=rank_fragility(cut),
    )


def _drawn_ranks(matrix: Matrix) -> RankColumns:
    singly, together = (
        bootstrap_ranks(matrix.resolved, matrix.clean, clusters=clusters)
        for clusters in (None, matrix.samples.repository)
    )
    return RankColumns(singly.rank, np.fmin(singly.low, together.low), np.fmax(singly.high, together.high))


def _shares(matrix: Matrix, clusters: Sequence[str] | None) -> Floats:
    return order_shares(matrix.resolved, matrix.clean, clusters=clusters)


def pair_survival(scenarios: Sequence[Scenario], first: int, second: int) -> PairSurvival:
    """Count the scenarios in which the first of two submissions is above, level with or below the second."""
    gaps = np.array([way.counts.rate[first] - way.counts.rate[second] for way in scenarios])
    parts: dict[tuple[str, str], Bools] = {}
    for aspect in ASPECTS:
        for choice in dict.fromkeys(way.choices[aspect] for way in scenarios):
            parts[aspect, choice] = np.array([way.choices[aspect] == choice for way in scenarios])
    return PairSurvival(_tally(gaps), {key: _tally(gaps[inside]) for key, inside in parts.items()})


def _tally(gaps: Floats) -> Tally:
    return Tally(int(np.sum(gaps > 0)), int(np.sum(gaps == 0)), int(np.sum(gaps < 0)))
