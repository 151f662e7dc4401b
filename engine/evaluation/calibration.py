"""Thresholds chosen on one part of the samples, and whether scores mean what they say on the rest."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.evaluation.discrimination import Discrimination, best_threshold
from engine.evaluation.judgement import Judgement
from engine.statistics.proportions import Proportion

_PARTS = 5
"""One sample in five validates, four test: the paper's ratio of 1:4 (Section 5.5)."""
_BINS = 10


def is_validation(sample: str) -> bool:
    """Whether a sample belongs to the validation split; the same on every machine and for every detector."""
    return int.from_bytes(hashlib.sha256(sample.encode("utf-8")).digest()[:8]) % _PARTS == 0


def split(judgements: Sequence[Judgement]) -> tuple[list[Judgement], list[Judgement]]:
    """Return the judgements of the validation and of the test samples."""
    validation = [judgement for judgement in judgements if is_validation(judgement.case.sample)]
    test = [judgement for judgement in judgements if not is_validation(judgement.case.sample)]
    return validation, test


def scored(judgements: Sequence[Judgement]) -> Discrimination:
    """Return the scores of the cases that count and were judged."""
    usable = [(j.score, j.case.present) for j in judgements if j.case.counted and j.score is not None]
    return Discrimination.of([score for score, _ in usable], [present for _, present in usable])


def chosen_threshold(judgements: Sequence[Judgement]) -> float | None:
    """Return the threshold that tells one detector's cases apart best, each part counting the same.

    Certain pairs are many and alike; counted one by one they would decide alone.
    """
    parts = sorted({judgement.case.part for judgement in judgements})
    return best_threshold([scored([j for j in judgements if j.case.part == part]) for part in parts])


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The cases whose scores round to the same tenth.

    Attributes:
        near: That tenth.
        mean: Mean score, NaN without cases.
        present: How many of the cases are present.
    """

    near: float
    mean: float
    present: Proportion


def reliability(scores: Discrimination) -> tuple[ReliabilityBin, ...]:
    """Return, for scores near 0, 0.1, …, 1, how many of the fixes are there."""
    values = np.concatenate([scores.present, scores.absent])
    truth = np.arange(len(values)) < len(scores.present)
    bins = np.floor(values * _BINS + 0.5).astype(int)
    found = []
    for number in range(_BINS + 1):
        inside = bins == number
        mean = float(values[inside].mean()) if inside.any() else float("nan")
        count = Proportion(int(truth[inside].sum()), int(inside.sum()))
        found.append(ReliabilityBin(number / _BINS, mean, count))
    return tuple(found)


def calibration_error(bins: Sequence[ReliabilityBin]) -> float | None:
    """Return the expected calibration error: the mean gap between score and share present, by cases."""
    filled = [(entry, entry.present.rate) for entry in bins]
    total = sum(entry.present.n for entry, _ in filled)
    gaps = [entry.present.n * abs(entry.mean - rate) for entry, rate in filled if rate is not None]
    return sum(gaps) / total if total else None
