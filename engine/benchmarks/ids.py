"""One canonical id for every spelling of a sample's id.

SWE-bench writes `owner__name-N`, Multi-SWE-bench also `owner/name:pr-N`, with or without the owner's
capitals. GitHub does not tell repositories apart by case, so the canonical id is `owner__name-N` in lower
case; it is the spelling of both benchmarks' own data sets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# ASCII only: a look-alike letter must not make a second sample. An owner's name holds no underscore, so the
# first `__` ends it; the repository's name may hold both `_` and `-`.
_OWNER = r"(?P<owner>[A-Za-z0-9](?:[A-Za-z0-9-]{0,98}[A-Za-z0-9])?)"
_NAME = r"(?P<name>[A-Za-z0-9._-]{1,100})"
_NUMBER = r"(?P<number>[0-9]{1,9})"
_SPELLINGS = (
    re.compile(rf"{_OWNER}__{_NAME}-{_NUMBER}", re.ASCII),
    re.compile(rf"{_OWNER}(?:/|__){_NAME}:pr-{_NUMBER}", re.ASCII | re.IGNORECASE),
    re.compile(rf"{_OWNER}/{_NAME}(?:-|#){_NUMBER}", re.ASCII),
)


@dataclass(frozen=True, slots=True)
class SampleId:
    """A sample's id, taken apart.

    Attributes:
        owner: Owner of the repository, lower case.
        name: Name of the repository, lower case.
        number: Number of the pull request.
    """

    owner: str
    name: str
    number: int

    @property
    def canonical(self) -> str:
        """`owner__name-N`."""
        return f"{self.owner}__{self.name}-{self.number}"

    @property
    def repository(self) -> str:
        """`owner/name`."""
        return f"{self.owner}/{self.name}"


def parse_sample_id(text: str) -> SampleId | None:
    """Return the parts of `text` in any known spelling, or None if it is not a sample's id."""
    for spelling in _SPELLINGS:
        match = spelling.fullmatch(text.strip())
        if match is None:
            continue
        owner, name, number = match["owner"].lower(), match["name"].lower(), int(match["number"])
        if name in {".", ".."} or number == 0:
            return None
        return SampleId(owner, name, number)
    return None
