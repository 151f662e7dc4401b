"""What every method says of every measured repository under every model."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.evaluation.discrimination import Discrimination, best_threshold
from engine.evaluation.membership.experiment import Asked, Scored
from engine.evaluation.membership.texts import Split
from engine.evaluation.membership.variants import Variant
from engine.statistics.repository_presence import ALPHA, P0, calibrate_p0, repository_test

STAGE_ONE = "Stage I"
_LEAST_P = 1e-300

Key = tuple[str, int, str]
"""Training, dose and method."""


@dataclass(frozen=True, slots=True)
class Case:
    """One repository under one model, as one method sees it.

    Attributes:
        seed: Seed and split of the model.
        repository: Canonical name.
        member: Whether the model was trained on it.
        score: Higher says member; comparable under one seed only.
        called: Whether the method calls it present.
        hits: Queries that hit; None for a baseline.
        queries: Queries asked; None for a baseline.
    """

    seed: int
    repository: str
    member: bool
    score: float
    called: bool
    hits: int | None = None
    queries: int | None = None


def cases(
    asked: Iterable[Asked],
    scored: Iterable[Scored],
    splits: Mapping[int, Split],
    temperature: float = 1.0,
    p0: float | None = None,
) -> dict[Key, list[Case]]:
    """Return the cases of each training, dose and method.

    Stage I calls a repository present at p <= 0.05. A baseline has no such level: for each model it is given
    the threshold that serves it best on the very repositories it is measured on, which is more than it could
    have.

    Args:
        asked: Every query put to every model.
        scored: Every baseline's score.
        splits: Who is what, by seed.
        temperature: Which of the temperatures to take.
        p0: Hit rate of unseen repositories; None calibrates it on each split's unseen ones.
    """
    kept = [row for row in asked if row.temperature == temperature]
    found: dict[Key, list[Case]] = defaultdict(list)
    for variant in Variant:
        name = STAGE_ONE if variant is Variant.FULL else f"{STAGE_ONE} {variant}"
        for (training, seed, dose), rows in _by_model(kept, variant).items():
            found[training, dose, name] += _tested(rows, splits[seed], variant, p0)
    by_model: dict[tuple[Key, int], list[Scored]] = defaultdict(list)
    for score in scored:
        by_model[(score.training, score.dose, score.method), score.seed].append(score)
    for (key, seed), scores in by_model.items():
        found[key] += _thresholded(scores, splits[seed])
    return dict(sorted(found.items()))


def _by_model(asked: Sequence[Asked], variant: Variant) -> dict[tuple[str, int, int], list[Asked]]:
    source = Variant.FULL if variant is Variant.NO_INDEPENDENCE else variant
    groups: dict[tuple[str, int, int], list[Asked]] = defaultdict(list)
    for row in asked:
        # What its prefix gives away is asked of no other variant.
        if row.variant == source.value and (row.entropy != 0 or variant is Variant.NO_INDEPENDENCE):
            groups[row.training, row.seed, row.dose].append(row)
    return groups


def _tested(rows: Sequence[Asked], split: Split, variant: Variant, p0: float | None) -> list[Case]:
    weight: Callable[[Asked], float] = _weight
    if variant is Variant.NO_INDEPENDENCE:
        weight = _weight_by_frequency
    rate = _rate(rows, split, p0)
    found = []
    for name in (*split.members, *split.others):
        own = [row for row in rows if row.repository == name]
        test = repository_test(
            [row.hit for row in own], [weight(row) for row in own], [row.group for row in own], rate
        )
        score = math.log10(1 / max(test.weighted_p_value, _LEAST_P))
        called = test.weighted_p_value <= ALPHA
        found.append(Case(split.seed, name, name in split.members, score, called, test.hits, test.queries))
    return found


def _rate(rows: Sequence[Asked], split: Split, p0: float | None) -> P0:
    if p0 is not None:
        return P0(p0)
    unseen = [row.hit for row in rows if row.repository in split.unseen]
    if not unseen:
        raise ValueError("no repository is left to calibrate P0 on")
    return calibrate_p0(sum(unseen), len(unseen))


def _thresholded(scores: Sequence[Scored], split: Split) -> list[Case]:
    own = [score for score in scores if score.repository in (*split.members, *split.others)]
    members = [score.repository in split.members for score in own]
    cut = _best(Discrimination.of([score.score for score in own], members))
    return [
        Case(split.seed, score.repository, member, score.score, score.score >= cut)
        for score, member in zip(own, members, strict=True)
    ]


def _best(found: Discrimination) -> float:
    """Return the best threshold of scores on any scale; infinite without cases of both kinds."""
    if not len(found.present) or not len(found.absent):
        return math.inf
    low, high = min(*found.present, *found.absent), max(*found.present, *found.absent)
    span = float(high - low) or 1.0
    best = best_threshold([Discrimination((found.present - low) / span, (found.absent - low) / span)])
    return math.inf if best is None else float(low) + best * span


def _weight(row: Asked) -> float:
    # Before the entropy pass every query counts as equally hard to guess, as in `weight_of`.
    return (1.0 if row.entropy < 0 else row.entropy) / max(1, row.frequency)


def _weight_by_frequency(row: Asked) -> float:
    return 1.0 / max(1, row.frequency)
