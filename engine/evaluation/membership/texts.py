"""An equal share of source text of every repository, members and others alike."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.evaluation.membership.plan import Plan
from engine.probing.mining.candidates import is_target
from engine.probing.words import words

_SHORTEST, _LONGEST = 400, 8_000
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


def share_of(
    texts: Mapping[str, str], characters: int, is_distinctive: Callable[[str], bool]
) -> dict[str, str]:
    """Return whole Python files of one repository, up to a number of characters.

    Files that share distinctive words stay together: a small share drawn by chance would hold one copy of
    most passages, and Stage I asks for what repeats. The first file is the one that shares most with all
    others; each next one shares most with those chosen, by its length. Who will be a member plays no part.

    Args:
        texts: Source text by path.
        characters: Most characters of the share.
        is_distinctive: Whether few repositories hold a word.
    """
    eligible = {
        path: {word for word in words(text) if is_target(word) and is_distinctive(word)}
        for path, text in sorted(texts.items())
        if path.endswith(".py") and _SHORTEST <= len(text) <= min(_LONGEST, characters)
    }
    holders = Counter(word for found in eligible.values() for word in found)
    repeated = {word for word, count in holders.items() if count > 1}
    chosen: dict[str, str] = {}
    known, left = repeated, characters
    while fitting := [path for path in eligible if path not in chosen and len(texts[path]) <= left]:
        best = max(fitting, key=lambda path: (len(eligible[path] & known) / len(texts[path]), path))
        known = eligible[best] | known if chosen else eligible[best]
        chosen[best] = texts[best]
        left -= len(texts[best])
    return chosen


def split(repositories: Sequence[str], plan: Plan, seed: int) -> Split:
    """Deal repositories to members, others and unseen ones, by a seed."""
    dealt = sorted(repositories)
    random.Random(seed).shuffle(dealt)
    members = tuple(sorted(dealt[: plan.members]))
    others = tuple(sorted(dealt[plan.members : 2 * plan.members]))
    return Split(seed, members, others, tuple(sorted(dealt[2 * plan.members :])))
