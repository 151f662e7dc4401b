"""What the experiment shows: AUC, TPR and FPR of Stage I and of the baselines, by training and dose."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.evaluation.discrimination import Discrimination, best_threshold
from engine.evaluation.membership.experiment import Asked, Scored
from engine.evaluation.membership.texts import Split
from engine.evaluation.membership.variants import Variant
from engine.statistics.proportions import Interval, Proportion
from engine.statistics.repository_presence import ALPHA, P0, calibrate_p0, repository_test

STAGE_ONE = "Stage I"


@dataclass(frozen=True, slots=True)
class Row:
    """One method on the models of one training and dose, all seeds together.

    Attributes:
        training: Kind of training.
        dose: Epochs.
        method: Stage I, less a criterion or not, or a baseline.
        auc: Chance that a member scores above another repository.
        auc_interval: Its 95% interval.
        members: Members called present, of all (TPR).
        others: Others called present, of all (FPR).
    """

    training: str
    dose: int
    method: str
    auc: float | None
    auc_interval: Interval | None
    members: Proportion
    others: Proportion


def tables(
    asked: Iterable[Asked],
    scored: Iterable[Scored],
    splits: Mapping[int, Split],
    temperature: float = 1.0,
    p0: float | None = None,
) -> list[Row]:
    """Return a row for each training, dose and method.

    Stage I calls a repository present at p < 0.05. A baseline has no such level: it is given the threshold
    that serves it best on the very repositories it is measured on, which is more than it could have.

    Args:
        asked: Every query put to every model.
        scored: Every baseline's score.
        splits: Who is what, by seed.
        temperature: Which of the temperatures to take.
        p0: Hit rate of unseen repositories; None calibrates it on each split's unseen ones.
    """
    kept = [row for row in asked if row.temperature == temperature]
    cases: dict[tuple[str, int, str], list[tuple[bool, float]]] = defaultdict(list)
    for variant in Variant:
        for (training, seed, dose), rows in _by_model(kept, variant).items():
            found = _p_values(rows, splits[seed], variant, p0)
            name = STAGE_ONE if variant is Variant.FULL else f"{STAGE_ONE} {variant}"
            members = set(splits[seed].members)
            cases[training, dose, name] += [(repo in members, score) for repo, score in found.items()]
    for score in scored:
        split = splits[score.seed]
        if score.repository in (*split.members, *split.others):
            case = (score.repository in split.members, score.score)
            cases[score.training, score.dose, score.method].append(case)
    return [_row(*key, found) for key, found in sorted(cases.items())]


def _by_model(asked: Sequence[Asked], variant: Variant) -> dict[tuple[str, int, int], list[Asked]]:
    source = Variant.FULL if variant is Variant.NO_INDEPENDENCE else variant
    groups: dict[tuple[str, int, int], list[Asked]] = defaultdict(list)
    for row in asked:
        if row.variant == source.value:
            groups[row.training, row.seed, row.dose].append(row)
    return groups


def _p_values(rows: Sequence[Asked], split: Split, variant: Variant, p0: float | None) -> dict[str, float]:
    """Return the negative decimal logarithm of each measured repository's p-value."""
    weight: Callable[[Asked], float] = _weight
    if variant is Variant.NO_INDEPENDENCE:
        weight = _weight_by_frequency
    unseen = [row.hit for row in rows if row.repository in split.unseen]
    if p0 is not None:
        rate = P0(p0)
    elif unseen:
        rate = calibrate_p0(sum(unseen), len(unseen))
    else:
        raise ValueError("no repository is left to calibrate P0 on")
    found = {}
    for name in (*split.members, *split.others):
        own = [row for row in rows if row.repository == name]
        test = repository_test(
            [row.hit for row in own], [weight(row) for row in own], [row.group for row in own], rate
        )
        found[name] = -math.log10(max(test.weighted_p_value, 1e-300))
    return found


def _weight(row: Asked) -> float:
    return max(0.0, row.entropy) / max(1, row.frequency)


def _weight_by_frequency(row: Asked) -> float:
    return 1.0 / max(1, row.frequency)


def _row(training: str, dose: int, method: str, cases: Sequence[tuple[bool, float]]) -> Row:
    found = Discrimination.of([score for _, score in cases], [member for member, _ in cases])
    if method.startswith(STAGE_ONE):
        threshold: float | None = -math.log10(ALPHA)
    else:
        threshold = _best(found)
    chosen = math.inf if threshold is None else threshold
    return Row(
        training,
        dose,
        method,
        found.auc,
        found.auc_interval(),
        found.true_positives(chosen),
        found.false_positives(chosen),
    )


def _best(found: Discrimination) -> float | None:
    """Return the best threshold of scores on any scale."""
    low = min(*found.present, *found.absent) if len(found.present) and len(found.absent) else 0.0
    high = max(*found.present, *found.absent) if len(found.present) and len(found.absent) else 1.0
    span = (high - low) or 1.0
    scaled = Discrimination((found.present - low) / span, (found.absent - low) / span)
    best = best_threshold([scaled])
    return None if best is None else low + best * span
