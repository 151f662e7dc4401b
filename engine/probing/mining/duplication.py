"""Text duplication: licences, comments, docstrings and imports that recur (paper, Algorithm 1)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from engine.probing.mining.passages import Group, Passage
from engine.probing.mining.simhash import cluster, fingerprints
from engine.probing.queries import PatternKind
from engine.probing.words import words

DISTANCE = 6
"""Largest Hamming distance in bits between a text and the founder of its cluster."""
LEAST_WORDS = 5

_PYTHON_IMPORT = r"(?:from[ \t]+[\w.]+[ \t]+import[ \t]+(?:\([^)]*\)|[^\n(]*)|import[ \t]+[^\n]*)"
_PYTHON = re.compile(
    r"(?P<comment>(?:^[ \t]*#[^\n]*\n)+)"
    rf"|(?P<imports>(?:^{_PYTHON_IMPORT}\n)+)"
    r"|(?P<docstring>^[ \t]*[rRuU]?(?:\"\"\"(?s:.*?)\"\"\"|'''(?s:.*?)''')[ \t]*$)",
    re.MULTILINE,
)
_JAVA = re.compile(
    r"(?P<block>/\*(?s:.*?)\*/)"
    r"|(?P<comment>(?:^[ \t]*//[^\n]*\n)+)"
    r"|(?P<imports>(?:^(?:import|package)[ \t][^\n]*\n)+)",
    re.MULTILINE,
)


def duplication_groups(texts: Mapping[str, str]) -> list[Group]:
    """Return clusters of alike comments, docstrings and imports in different files or in one."""
    passages = [passage for path, text in texts.items() for passage in auxiliary_texts(path, text)]
    codes = fingerprints([passage.text for passage in passages])
    groups = []
    for members in cluster(codes, DISTANCE):
        group = tuple(passages[index] for index in members)
        if len(group) > 1:
            groups.append(Group(PatternKind.TEXT, group))
    return groups


def auxiliary_texts(path: str, text: str) -> Iterator[Passage]:
    """Yield the comments, docstrings and runs of imports of a file that have at least `LEAST_WORDS` words."""
    pattern = _JAVA if path.endswith(".java") else _PYTHON
    for match in pattern.finditer(text):
        if len(words(match.group())) >= LEAST_WORDS:
            yield Passage(path, match.start(), match.group())
