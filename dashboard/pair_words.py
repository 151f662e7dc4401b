"""What a comparison of submissions says, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard import words
from engine.statistics.effects.paired import Pair
from engine.statistics.proportions import Interval

SCOPES = {"all": "All samples", "clean": "Clean for both", "contaminated": "Contaminated for both"}
_WHERE = {
    "all": "all samples",
    "clean": "samples that are clean for both",
    "contaminated": "samples that are contaminated for both",
}


def verdict(pairs: Sequence[Pair], titles: Sequence[str], scope: str) -> str:
    """Return whether one submission is better than another on the samples of a scope."""
    if len(pairs) == 1:
        return _of_two(pairs[0], titles, scope)
    sure = [pair for pair in pairs if pair.beyond_chance]
    said = (
        f"Of {words.count(len(pairs), 'pair')} on {_WHERE[scope]}, **{len(sure)}** differ beyond chance "
        "after adjustment for looking at all of them"
    )
    if not sure:
        return f"{said}: no one of them can be called better there."
    better = [_better(pair, titles) for pair in sure]
    return f"{said}: {'; '.join(better)}."


def _better(pair: Pair, titles: Sequence[str]) -> str:
    first, second = (words.markdown(titles[place]) for place in (pair.first, pair.second))
    up = (pair.result.difference or 0) > 0
    return f"{first} above {second}" if up else f"{second} above {first}"


def _of_two(pair: Pair, titles: Sequence[str], scope: str) -> str:
    found = pair.result
    if found.difference is None or found.difference_interval is None:
        return f"There are no {_WHERE[scope]}: nothing can be said there."
    names = [f"**{words.markdown(titles[place])}**" for place in (pair.first, pair.second)]
    where, sure = f"On {found.n} {_WHERE[scope]}", words.p_value(found.p_value)
    if not found.difference:
        return f"{where}, {names[0]} and {names[1]} resolve equally many ({sure})."
    bounds = found.difference_interval
    if found.difference < 0:
        names.reverse()
        bounds = Interval(-bounds.high, -bounds.low)
    points = words.signed_points(abs(found.difference)).lstrip("+")
    what = "that is beyond chance" if pair.beyond_chance else "that could be chance"
    return (
        f"{where}, {names[0]} resolves **{points} points** more than {names[1]} "
        f"{words.points_interval(bounds)}: {what} ({sure})."
    )
