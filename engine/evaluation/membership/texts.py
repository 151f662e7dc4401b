"""An equal share of source text of every repository, members and others alike."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.evaluation.membership.plan import Plan

_SHORTEST, _LONGEST = 400, 12_000
"""Characters of a file that is taken: shorter ones are stubs, a longer one would fill a share alone."""


@dataclass(frozen=True, slots=True)
class Split:
    """Who is what under one seed.

    Attributes:
        seed: The seed.
        members: Repositories that the models are trained on.
        others: Repositories that no model saw, measured beside the members.
        unseen: Further ones that no model saw, for P0 and nothing else.
    """

    seed: int
    members: tuple[str, ...]
    others: tuple[str, ...]
    unseen: tuple[str, ...]


def share_of(texts: Mapping[str, str], characters: int) -> dict[str, str]:
    """Return whole Python files of one repository, up to a number of characters.

    Files come in the order of a hash of their path, which has nothing to do with what they hold, so that
    repeated passages stay as frequent as they are.
    """
    order = sorted(texts, key=lambda path: hashlib.sha256(path.encode()).hexdigest())
    chosen: dict[str, str] = {}
    left = characters
    for path in order:
        length = len(texts[path])
        if path.endswith(".py") and _SHORTEST <= length <= min(_LONGEST, left):
            chosen[path] = texts[path]
            left -= length
    return chosen


def split(repositories: Sequence[str], plan: Plan, seed: int) -> Split:
    """Deal repositories to members, others and unseen ones, by a seed."""
    dealt = sorted(repositories)
    random.Random(seed).shuffle(dealt)
    members = tuple(sorted(dealt[: plan.members]))
    others = tuple(sorted(dealt[plan.members : 2 * plan.members]))
    return Split(seed, members, others, tuple(sorted(dealt[2 * plan.members :])))
