"""What samples have in common that the best submissions all solve or all miss (Section 6.3 of the paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from engine.statistics.effects.panel import Panel
from engine.statistics.exact import benjamini_hochberg, fisher_p_values
from engine.statistics.proportions import CONFIDENCE, Proportion


class Pattern(StrEnum):
    """What all submissions looked at did with a sample whose fix they all had, or had not, seen."""

    SEEN_SOLVED = "seen and solved"
    SEEN_UNSOLVED = "seen and not solved"
    UNSEEN_SOLVED = "unseen and solved"
    UNSEEN_UNSOLVED = "unseen and not solved"


@dataclass(frozen=True, slots=True)
class FlagRate:
    """How often a flag is set among the samples of one pattern, against those of the other patterns.

    Attributes:
        inside: Samples of the pattern with the flag, of those where it is known.
        outside: The same for the other patterns.
        p_value: Fisher's exact test, two-sided; None when either side has no sample.
        q_value: The same after Benjamini-Hochberg over all flags and patterns.
    """

    inside: Proportion
    outside: Proportion
    p_value: float | None
    q_value: float | None

    @property
    def beyond_chance(self) -> bool:
        """Whether the two shares differ after adjustment."""
        return self.q_value is not None and self.q_value <= 1 - CONFIDENCE


def sample_patterns(panel: Panel) -> tuple[Pattern | None, ...]:
    """Return the pattern of each sample; None where submissions differ, or a label is unknown.

    Args:
        panel: The submissions looked at, such as the ten best of a view.
    """
    if not len(panel.resolved):
        return tuple(None for _ in range(panel.resolved.shape[1]))
    known = panel.known.all(axis=0)
    seen, unseen = panel.contaminated.all(axis=0) & known, ~panel.contaminated.any(axis=0) & known
    solved, unsolved = panel.resolved.all(axis=0), ~panel.resolved.any(axis=0)
    found: list[Pattern | None] = [None] * panel.resolved.shape[1]
    for pattern, chosen in (
        (Pattern.SEEN_SOLVED, seen & solved),
        (Pattern.SEEN_UNSOLVED, seen & unsolved),
        (Pattern.UNSEEN_SOLVED, unseen & solved),
        (Pattern.UNSEEN_UNSOLVED, unseen & unsolved),
    ):
        for index in np.flatnonzero(chosen):
            found[index] = pattern
    return tuple(found)


def flag_rates(
    patterns: Sequence[Pattern | None], flags: Mapping[str, Sequence[bool | None]]
) -> dict[str, dict[Pattern, FlagRate]]:
    """Compare how often each flag is set between patterns.

    Args:
        patterns: Pattern of each sample; samples with None take no part.
        flags: By name (such as `one file`, `traceback`), a value for each sample, None where it is not known.

    Returns:
        By flag and pattern.

    Raises:
        ValueError: If a flag does not name every sample.
    """
    counts: list[tuple[str, Pattern, Proportion, Proportion]] = []
    for name, values in flags.items():
        if len(values) != len(patterns):
            raise ValueError(f"{name} names {len(values)} samples, patterns {len(patterns)}")
        placed = [
            (pattern, bool(value))
            for pattern, value in zip(patterns, values, strict=True)
            if pattern is not None and value is not None
        ]
        for pattern in Pattern:
            inside = [value for other, value in placed if other is pattern]
            outside = [value for other, value in placed if other is not pattern]
            counts.append(
                (name, pattern, Proportion(sum(inside), len(inside)), Proportion(sum(outside), len(outside)))
            )
    p_values = fisher_p_values(
        [row[2].k for row in counts],
        [row[2].n for row in counts],
        [row[3].k for row in counts],
        [row[3].n for row in counts],
    )
    adjusted = benjamini_hochberg(p_values)
    result: dict[str, dict[Pattern, FlagRate]] = {name: {} for name in flags}
    for (name, pattern, first, second), p, q in zip(counts, p_values, adjusted, strict=True):
        defined = not np.isnan(p)
        result[name][pattern] = FlagRate(
            first, second, float(p) if defined else None, float(q) if defined else None
        )
    return result
