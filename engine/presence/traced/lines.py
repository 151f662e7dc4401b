"""A fix line by line: what each line that it wrote has that its former self had not.

Counting the tokens of a whole function cannot see a fix whose words that function loses or gains in other
places. A line can be compared by itself, with the code nearest to it that the fix did not leave as it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Indel, LCSseq, Postfix, Prefix
from rapidfuzz.fuzz import partial_ratio
from rapidfuzz.process import extract, extractOne

from engine.patches.syntax import LogicalLine
from engine.patches.tokens import encode

SAME_LINE = 0.5
"""Similarity from which a line that the fix dropped is taken for the former self of one that it wrote."""
_NEAREST = 4
_FLOOR, _RANGE = 0.35, 0.4
"""Likeness at which the nearest line starts to count, and over which it comes to count fully."""
_NEIGHBOURS = 2
"""Words on both sides of a change that are looked at with it."""
_LOCAL_FLOOR = 0.6
"""Share of a change and its neighbours that must be there side by side for their line not to matter."""
_TELLING = 0.5
"""Weight of the heaviest word of a change from which it can be told without its line."""
_CONTEXT_REACH = 3
_CONTEXT_TOKENS = 4
_CONTEXT_SAME = 0.8


@dataclass(frozen=True, slots=True)
class Reading:
    """One line as it is compared.

    Attributes:
        code: Its words in their order, encoded.
        features: How often each word occurs; where marks matter, also each pair of neighbours.
    """

    code: str
    features: Counter[str]


@dataclass(frozen=True, slots=True)
class LineChange:
    """One line that a fix wrote.

    Attributes:
        line: The line.
        code: Its token sequence, encoded.
        former: What it replaces; nothing where it replaces none.
        former_code: The token sequence of that, encoded.
        plus: Features it has beyond that line's.
        window: What it has beyond that line in one piece, with its neighbours,
            encoded; empty where the words of that are everywhere.
        weight: What those weigh.
    """

    line: Reading
    code: str
    former: Counter[str]
    former_code: str
    plus: Counter[str]
    window: str
    weight: float


def changes_of(
    written: Sequence[tuple[str, Reading]],
    dropped: Sequence[tuple[str, Reading]],
    weights: Mapping[str, float],
) -> tuple[LineChange, ...]:
    """Return the written lines that have features beyond those of the lines they replace.

    Args:
        written: Lines that the fix wrote, as encoded tokens and as readings.
        dropped: Lines that it dropped, likewise.
        weights: Weight of each feature.
    """
    codes = [code for code, _ in dropped]
    changes = []
    for code, line in written:
        found = extractOne(code, codes, scorer=Indel.normalized_similarity, score_cutoff=SAME_LINE)
        former_code, former = dropped[found[2]] if found else ("", Reading("", Counter()))
        plus = line.features - former.features
        weight = sum(weights[key] * count for key, count in plus.items())
        if weight:
            is_telling = max(weights[key] for key in plus) >= _TELLING
            window = _window(line.code, former.code) if is_telling else ""
            changes.append(LineChange(line, code, former.features, former_code, plus, window, weight))
    return tuple(changes)


def weigh_lines(
    changes: Sequence[LineChange], lines: Sequence[Reading], weights: Mapping[str, float]
) -> float:
    """Return how much of what the written lines brought is in lines like them, 0 to 1.

    Args:
        changes: The written lines.
        lines: Code that the fix has not left as it was.
        weights: Weight of each feature of the changes.
    """
    total = sum(change.weight for change in changes)
    if not total or not lines:
        return 0.0
    codes = [line.code for line in lines]
    kept = 0.0
    for change in changes:
        best = 0.0
        near = extract(change.line.code, codes, scorer=Indel.normalized_similarity, limit=_NEAREST)
        for code, similarity, index in near:
            gained = lines[index].features - change.former
            share = sum(weights[key] * min(count, gained[key]) for key, count in change.plus.items())
            likeness = _likeness(change.line.code, code, similarity)
            if share * likeness < change.weight and change.window:
                likeness = max(likeness, _local(change.window, code))
            best = max(best, share * likeness)
        kept += best
    return kept / total


def reverted_share(changes: Sequence[LineChange], codes: Sequence[str]) -> float:
    """Return the share of the fix in lines that are, word by word, what they were before it."""
    total = sum(change.weight for change in changes)
    held = set(codes)
    back = [one.weight for one in changes if one.former_code in held and one.code not in held]
    return sum(back) / total if total else 0.0


def context_of(fixed: Sequence[LogicalLine], written: frozenset[str]) -> tuple[str, ...]:
    """Return the lines around those that a fix wrote, encoded; short ones, which are everywhere, left out."""
    codes = [encode(line.tokens) for line in fixed]
    places = [number for number, code in enumerate(codes) if code in written]
    near = {
        number + step
        for number in places
        for step in range(-_CONTEXT_REACH, _CONTEXT_REACH + 1)
        if 0 <= number + step < len(codes)
    }
    return tuple(
        codes[number]
        for number in sorted(near)
        if codes[number] not in written and len(codes[number]) >= _CONTEXT_TOKENS
    )


def context_share(context: Sequence[str], codes: Sequence[str]) -> float:
    """Return the share of the lines around a fix that are in some code, or nearly so; 0 without any."""
    if not context or not codes:
        return 0.0
    found = [
        extractOne(line, codes, scorer=Indel.normalized_similarity, score_cutoff=_CONTEXT_SAME) is not None
        for line in context
    ]
    return sum(found) / len(found)


def _likeness(line: str, other: str, similarity: float) -> float:
    """Return how far `other` can be taken for `line`, 0 to 1; one that grew is still that line."""
    held = LCSseq.similarity(line, other) / len(line) if line else 0.0
    return min(1.0, max(0.0, ((similarity + held) / 2 - _FLOOR) / _RANGE))


def _window(code: str, former: str) -> str:
    """Return what lies between the common beginning and the common end of two lines, with its neighbours."""
    if not former:
        return code
    start = int(Prefix.similarity(code, former))
    end = len(code) - int(Postfix.similarity(code[start:], former[start:]))
    return code[max(0, start - _NEIGHBOURS) : end + _NEIGHBOURS]


def _local(window: str, code: str) -> float:
    """Return how far a change with its neighbours is in a line in one piece, 0 to 1."""
    share = partial_ratio(window, code, score_cutoff=100 * _LOCAL_FLOOR) / 100
    return max(0.0, (share - _LOCAL_FLOOR) / (1 - _LOCAL_FLOOR))
