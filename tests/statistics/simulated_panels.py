"""Submissions and samples with a known effect of contamination, and with or without a reason to be misled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from engine.statistics.effects.panel import Panel


@dataclass(frozen=True)
class World:
    """A simulated benchmark: a panel and the days behind its labels."""

    panel: Panel
    cutoffs: np.ndarray  # days, one a submission
    landed: np.ndarray  # day of the fix, one a sample
    rewritten: np.ndarray  # day the fix went away, one a sample
    difficulty: np.ndarray  # logits, one a sample


def contaminated_at(cutoffs, landed, rewritten):
    return (landed[None, :] <= cutoffs[:, None]) & (cutoffs[:, None] < rewritten[None, :])


def simulate(
    seed, submissions=60, samples=200, *, effect=0.0, confounding=0.0, drift=0.0, unknown=0.0
) -> World:
    """Simulate outcomes.

    Args:
        seed: Of the generator.
        submissions: Their cutoffs spread over four years; later ones are better.
        samples: Their fixes land in these years and are rewritten up to four years later.
        effect: Logits by which contamination raises the odds.
        confounding: Logits a year by which fixes that live longer are easier.
        drift: Logits a year by which a sample becomes easier after its landing, contaminated or not.
        unknown: Share of cells without a label.
    """
    generator = np.random.default_rng(seed)
    cutoffs = np.sort(generator.uniform(0, 4, submissions)) * 365
    landed = generator.uniform(-1, 4, samples) * 365
    life = generator.uniform(0.2, 4, samples)
    rewritten = landed + life * 365
    contaminated = contaminated_at(cutoffs, landed, rewritten)
    difficulty = generator.normal(0, 1, samples) - confounding * (life - 2)
    ability = generator.normal(0, 0.7, submissions) + cutoffs / 365 * 0.3 - 0.5
    age = (cutoffs[:, None] - landed[None, :]) / 365
    logits = ability[:, None] - difficulty[None, :] + effect * contaminated + drift * age
    resolved = generator.random(logits.shape) < expit(logits)
    known = generator.random(logits.shape) >= unknown
    return World(Panel(resolved, contaminated, known), cutoffs, landed, rewritten, difficulty)
