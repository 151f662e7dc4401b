"""Which framework stands behind a submission, so that its versions and models group together.

The rule: what stands before ` + ` in the title, without remarks in brackets, versions and dates. Titles that
the rule reads wrongly have a line in `data/framework.csv`; an empty framework there means that the title
names only a model. After a change there, import the submissions again with `--replace`.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

from engine.problems import BenchCheckerError

OVERRIDES_NAME = "framework.csv"
_COLUMNS = ["title_prefix", "framework"]

_REMARK = re.compile(r"\s*\([^()]*\)")
_MODEL = re.compile(r"\s+(?:\+|x)\s+.*")
_VERSION = re.compile(r"(?:[-_ ]v\d+(?:\.\d+)*|[-_ ]\d+(?:\.\d+)+|[-_ ]\d{8})$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Frameworks:
    """The rule with its exceptions.

    Attributes:
        overrides: Pairs of title prefix in lower case and framework, longest prefix first.
    """

    overrides: tuple[tuple[str, str | None], ...] = ()

    def of(self, title: str) -> str | None:
        """Return the framework in a title, or None if the title names none."""
        folded = title.casefold()
        for prefix, framework in self.overrides:
            if folded.startswith(prefix):
                return framework
        name = _MODEL.sub("", _REMARK.sub("", title)).strip()
        while (shorter := _VERSION.sub("", name).strip()) != name:
            name = shorter
        return name or None


def read_frameworks(data: Path) -> Frameworks:
    """Read the exceptions of `data`; without the file there are none.

    Raises:
        BenchCheckerError: If the file has other columns or a line without a prefix.
    """
    path = data / OVERRIDES_NAME
    if not path.exists():
        return Frameworks()
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream))
    if not rows or rows[0] != _COLUMNS:
        raise BenchCheckerError(f"{path.name}:1: columns must be {','.join(_COLUMNS)}")
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(_COLUMNS) or not row[0]:
            raise BenchCheckerError(f"{path.name}:{line}: expected a title prefix and a framework")
    pairs = [(prefix.casefold(), framework or None) for prefix, framework in rows[1:]]
    return Frameworks(tuple(sorted(pairs, key=lambda pair: (-len(pair[0]), pair[0]))))
