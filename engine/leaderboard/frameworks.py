"""One model under several frameworks: is the drop the model's or the framework's (Finding 3)?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.leaderboard.board import LeaderboardRow


@dataclass(frozen=True, slots=True)
class ModelAcrossFrameworks:
    """The best submission of each framework that runs one set of models.

    Attributes:
        models: Titles of the models.
        rows: Best rate before first; at least two.
        least_drop: Largest relative change (nearest to none, or a rise).
        greatest_drop: Smallest relative change.
    """

    models: tuple[str, ...]
    rows: tuple[LeaderboardRow, ...]
    least_drop: float
    greatest_drop: float

    @property
    def spread(self) -> float:
        """Difference between the two, as a fraction of the rate before."""
        return self.least_drop - self.greatest_drop


def across_frameworks(rows: Sequence[LeaderboardRow]) -> tuple[ModelAcrossFrameworks, ...]:
    """Group rows with adjusted figures by their models, where two or more frameworks ran them.

    Args:
        rows: Best rate before first, as in a leaderboard.

    Returns:
        Most frameworks first.
    """
    found: dict[tuple[str, ...], dict[str, LeaderboardRow]] = {}
    for row in rows:
        entry, comparison = row.submission, row.overall
        if row.reason is not None or entry.framework is None or not entry.models:
            continue
        if comparison is not None and comparison.relative_change is not None:
            found.setdefault(entry.models, {}).setdefault(entry.framework, row)
    groups = [_group(tuple(best.values())) for best in found.values() if len(best) > 1]
    return tuple(sorted(groups, key=lambda group: (-len(group.rows), group.models)))


def _group(rows: tuple[LeaderboardRow, ...]) -> ModelAcrossFrameworks:
    changes = [
        comparison.relative_change
        for row in rows
        if (comparison := row.overall) is not None and comparison.relative_change is not None
    ]
    return ModelAcrossFrameworks(rows[0].submission.model_titles, rows, max(changes), min(changes))
