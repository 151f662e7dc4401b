"""Which candidates become queries: rare targets, one query a target, no near-duplicates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from rapidfuzz import fuzz, process

from engine.probing.mining.candidates import Candidate

PER_GROUP = 3
"""Queries of one group are correlated: more of them would count one memory several times."""
NEAR_DUPLICATE = 85.0
"""Similarity of two prefixes, in percent, from which the later one is dropped."""
_COMPARED_TAIL = 240


def select(candidates: Iterable[Candidate], frequencies: Mapping[str, int]) -> list[Candidate]:
    """Return the candidates to ask, those whose rare targets repeat most first.

    Args:
        candidates: All that the patterns gave.
        frequencies: Number of reference repositories that hold each target.
    """
    ranked = sorted(
        candidates,
        key=lambda entry: (
            -entry.repeats / frequencies[entry.target],
            -entry.occurrences,
            entry.prefix,
            entry.kind,
        ),
    )
    chosen: list[Candidate] = []
    tails: list[str] = []
    targets: set[str] = set()
    groups: Counter[str] = Counter()
    for candidate in ranked:
        if candidate.target in targets or groups[candidate.group] >= PER_GROUP:
            continue
        tail = candidate.prefix[-_COMPARED_TAIL:]
        if process.extractOne(tail, tails, scorer=fuzz.ratio, score_cutoff=NEAR_DUPLICATE) is not None:
            continue
        chosen.append(candidate)
        tails.append(tail)
        targets.add(candidate.target)
        groups[candidate.group] += 1
    return chosen
