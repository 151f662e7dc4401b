"""How much of a fix a piece of a snapshot holds.

A region is the code that is looked at: the place of the fix, and other functions that may have taken it over.
Code counts as evidence only beyond what was there anyway: at the place, beyond what the rest of the scope
needs; elsewhere, beyond what that function already had when the fix landed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rapidfuzz.distance import Indel
from rapidfuzz.process import extractOne

from engine.patches.syntax import LogicalLine, Scope
from engine.patches.tokens import encode
from engine.presence.traced.fix import Bag, Fix, Pair, bag_of, merged, reading_of
from engine.presence.traced.lines import context_share, reverted_share, weigh_lines

Key = TypeVar("Key", str, Pair)

SMALL_FIX = 6.0
"""Weight of brought tokens below which their mere occurrence says little."""
_LINE_FLOOR, _LINE_RANGE = 0.3, 0.5
"""Line similarity at which a small fix starts to count, and over which it comes to count fully."""
_BAG_SHARE = 0.7
"""Share of the tokens in the evidence; the rest is that of the lines."""
_WORD_SHARE = 0.55
"""Share of single tokens in that of the tokens; the rest is that of the pairs."""

_REVERTED_LOSS = 0.5
"""How much is lost when all lines of a fix are again what they were before it."""


@dataclass(frozen=True, slots=True)
class Region:
    """Code in which a fix is looked for.

    Attributes:
        place: Bag of the scopes at the place of the fix, None when looking elsewhere only.
        others: Bags of other scopes, less what these held when the fix landed.
        codes: Encoded logical lines of all of it, less what other scopes held when the fix landed.
        changed: Those that may be the fix's: at the place, less what the fix left as it was.
        changed_codes: The same, encoded.
    """

    place: Bag | None
    others: tuple[Bag, ...]
    codes: tuple[str, ...]
    changed: tuple[LogicalLine, ...]
    changed_codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a region says about a fix.

    Attributes:
        score: How much of the fix is there, 0 to 1.
        lines: Similarity of each of the fix's lines to the nearest line of the region.
        line_score: How far the fix is there line by line: their mean, or what they brought.
        context: Share of the lines around the fix that are there too.
    """

    score: float
    lines: tuple[float, ...]
    line_score: float = 0.0
    context: float = 0.0


def region_of(
    fix: Fix, place: Sequence[Scope], others: Sequence[tuple[Scope, Sequence[LogicalLine]]]
) -> Region:
    """Return a region.

    Args:
        fix: The fix to be looked for in it.
        place: Scopes at the place of the fix.
        others: Further scopes, each with the lines it had when the fix landed.
    """
    changed = _changed([line for scope in place for line in scope.lines], fix.unchanged)
    codes = [code for scope in place for code in scope.codes]
    bags = []
    for scope, before in others:
        known = Counter(encode(line.tokens) for line in before)
        fresh = _changed(scope.lines, known)
        changed += fresh
        codes += [code for _, code in fresh]
        now, then = (bag_of(lines, fine=fix.fine) for lines in (scope.lines, before))
        bags.append(Bag(now.words - then.words, now.pairs - then.pairs))
    own = _bag(fix, place) if place else None
    return Region(
        place=own,
        others=tuple(bags),
        codes=tuple(dict.fromkeys(codes)),
        changed=tuple(line for line, _ in changed),
        changed_codes=tuple(code for _, code in changed),
    )


def _changed(lines: Sequence[LogicalLine], known: Counter[str]) -> list[tuple[LogicalLine, str]]:
    """Return lines with their codes, less those that are known, one for one."""
    spare = known.copy()
    changed = []
    for line in lines:
        code = encode(line.tokens)
        if spare[code] > 0:
            spare[code] -= 1
        else:
            changed.append((line, code))
    return changed


def weigh(fix: Fix, region: Region) -> Evidence:
    """Return how much of a fix that brought code is in a region."""
    lines = tuple(_nearest(line, region.codes) for line in fix.lines)
    weights = [len(line) ** 0.5 for line in fix.lines]
    line_score = _mean(lines, weights)
    words = _kept(
        fix.plus.words,
        _available(fix.plus.words, fix.fixed.words, region, "words"),
        {word: fix.weights[word] for word in fix.plus.words},
    )
    pairs = _kept(
        fix.plus.pairs,
        _available(fix.plus.pairs, fix.fixed.pairs, region, "pairs"),
        {pair: max(fix.weights[pair[0]], fix.weights[pair[1]]) for pair in fix.plus.pairs},
    )
    bag = (
        pairs
        if words is None
        else words
        if pairs is None
        else _WORD_SHARE * words + (1 - _WORD_SHARE) * pairs
    )
    bag = line_score if bag is None else bag
    whole = _BAG_SHARE * bag + (1 - _BAG_SHARE) * line_score
    readings = [reading_of(line, fine=fix.fine) for line in region.changed]
    by_line = weigh_lines(fix.changes, readings, fix.weights)
    by_words = _sized(fix, region, whole, bag, line_score)
    # Marks in strings are everywhere: they say something only in their line.
    score = by_line if fix.fine and fix.changes else max(by_line, by_words)
    back = reverted_share(fix.changes, region.changed_codes) if region.place is not None else 0.0
    score *= 1 - _REVERTED_LOSS * back
    return Evidence(score, lines, max(line_score, by_line), context_share(fix.context, region.codes))


def _sized(fix: Fix, region: Region, whole: float, bag: float, line_score: float) -> float:
    """Return the evidence of words and lines together, by the size of the fix."""
    size = fix.brought
    if size >= SMALL_FIX:
        return whole
    # A few common tokens are everywhere: they count in a line like the fix's, rare words count by themselves.
    anchor = min(1.0, max(0.0, (line_score - _LINE_FLOOR) / _LINE_RANGE))
    if _holds_rare_word(fix, region):
        anchor = 1.0
    share = size / SMALL_FIX
    return share * whole + (1 - share) * min(whole, bag * anchor)


def weigh_taking(fix: Fix, place: Sequence[Scope]) -> float:
    """Return how surely the tokens that a fix took away are still gone from its place."""
    bag = _bag(fix, place)
    back = [
        _kept(fix.minus.words, bag.words - fix.fixed.words, fix.weights),
        _kept(fix.minus.pairs, bag.pairs - fix.fixed.pairs, dict.fromkeys(fix.minus.pairs, 1.0)),
    ]
    returned = [share for share in back if share is not None]
    return 1.0 - min(returned, default=0.0)


def weigh_order(now: Sequence[Hashable], fixed: Sequence[Hashable], buggy: Sequence[Hashable]) -> float:
    """Return whether the order of lines is nearer to the fixed code (1) or to the buggy code (0)."""
    nearer = Indel.normalized_similarity(now, fixed) - Indel.normalized_similarity(now, buggy)
    if nearer == 0:
        return 0.75
    return min(1.0, max(0.0, 0.5 + 10 * nearer))


def _bag(fix: Fix, scopes: Sequence[Scope]) -> Bag:
    return merged([bag_of(scope.lines, fine=fix.fine) for scope in scopes])


def _available(plus: Counter[Key], fixed: Counter[Key], region: Region, kind: str) -> Counter[Key]:
    """Return how often each brought key is in the region beyond what is no evidence."""
    found: Counter[Key] = Counter()
    for key, count in plus.items():
        if region.place is not None:
            found[key] += max(0, getattr(region.place, kind)[key] - (fixed[key] - count))
        found[key] += sum(getattr(bag, kind)[key] for bag in region.others)
    return found


def _kept(plus: Counter[Key], available: Counter[Key], weights: dict[Key, float]) -> float | None:
    total = sum(weights[key] * count for key, count in plus.items())
    kept = sum(weights[key] * min(count, available[key]) for key, count in plus.items())
    return kept / total if total else None


def _holds_rare_word(fix: Fix, region: Region) -> bool:
    return any(
        (region.place is not None and region.place.words[word] > 0)
        or any(bag.words[word] for bag in region.others)
        for word in fix.rare_words
    )


def _nearest(line: str, codes: Sequence[str]) -> float:
    found = extractOne(line, codes, scorer=Indel.normalized_similarity) if codes else None
    return float(found[1]) if found else 0.0


def _mean(values: Sequence[float], weights: Sequence[float]) -> float:
    total = sum(weights)
    return (
        sum(value * weight for value, weight in zip(values, weights, strict=True)) / total if total else 0.0
    )
