"""From outcomes to the test of a repository, and to P0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.probing.asking import Outcome
from engine.probing.queries import Query
from engine.statistics.repository_presence import P0, RepositoryTest, calibrate_p0, repository_test


@dataclass(frozen=True, slots=True)
class Probed:
    """A repository with every outcome and its test.

    Attributes:
        repository: Canonical name.
        outcomes: Every query asked, those without an answer included.
        test: The test over the answered ones that are evidence.
    """

    repository: str
    outcomes: tuple[Outcome, ...]
    test: RepositoryTest

    @property
    def given_away(self) -> int:
        """Answered queries whose prefix gives the target away: evidence of nothing, and not tested."""
        return sum(outcome.hit is not None and not _tells(outcome) for outcome in self.outcomes)

    @property
    def unanswered(self) -> int:
        """Queries that count neither way."""
        return sum(outcome.hit is None for outcome in self.outcomes)


def weight_of(query: Query) -> float:
    """Return the weight of a hit: entropy over the number of repositories that hold the target (Section 3.3).

    Without an entropy pass every query counts as equally hard to guess.
    """
    entropy = 1.0 if query.entropy is None else query.entropy
    return entropy / max(1, query.reference_frequency)


def probed(repository: str, outcomes: Sequence[Outcome], p0: P0) -> Probed:
    """Test a repository on the answered queries whose prefix does not give the target away."""
    counted = [outcome for outcome in outcomes if outcome.hit is not None and _tells(outcome)]
    test = repository_test(
        [bool(outcome.hit) for outcome in counted],
        [weight_of(outcome.query) for outcome in counted],
        [f"{outcome.query.kind}/{outcome.query.group}" for outcome in counted],
        p0,
    )
    return Probed(repository, tuple(outcomes), test)


def p0_from(outcomes: Iterable[Outcome]) -> P0:
    """Return P0 from outcomes on repositories that the model cannot have seen.

    Raises:
        ValueError: If no query that tells anything was answered.
    """
    counted = [outcome.hit for outcome in outcomes if outcome.hit is not None and _tells(outcome)]
    return calibrate_p0(sum(counted), len(counted))


def _tells(outcome: Outcome) -> bool:
    return outcome.query.entropy != 0
