"""What labelling found out about one sample, and how that becomes facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from engine.presence.landing import Landing
from engine.presence.lifecycle import Interval
from engine.presence.verdicts import BlockVerdict, Method, SampleVerdict
from engine.reading import spelled
from engine.store.facts import Fact

FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(9999, 12, 31)
_SCORE_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Outcome:
    """The life of one fix as one detector sees it, or why it could not be told.

    Attributes:
        sample: Sample id.
        scopes: Name of the function or class of each block that was judged.
        landing: Where the fix landed, None when unknown.
        intervals: Evidence by spans of days; empty when unknown.
        problem: Why the life could not be told; empty when it was.
        can_change: Whether the problem lies with the local repository, so that it can be gone in the next run
            though sample and head are the same.
    """

    sample: str
    scopes: tuple[str, ...] = ()
    landing: Landing | None = None
    intervals: tuple[Interval, ...] = ()
    problem: str = ""
    can_change: bool = False


def landing_fact(outcome: Outcome) -> Fact | None:
    """Return the row of table `landing`, None when the landing is unknown."""
    landing = outcome.landing
    if landing is None:
        return None
    return {
        "sample": outcome.sample,
        "landed_commit": landing.commit,
        "landed_at": landing.landed_at,
        "state": landing.state,
        "evidence": landing.evidence,
    }


def presence_facts(detector: str, outcome: Outcome) -> Iterator[Fact]:
    """Yield the rows of table `presence`: one a span of days, or one unknown for all days."""
    if outcome.problem:
        yield {
            "detector": detector,
            "sample": outcome.sample,
            "valid_from": FIRST_DAY,
            "valid_to": LAST_DAY,
            "state": "unknown",
            "score": None,
            "method": Method.UNKNOWN.value,
            "reason": spelled(outcome.problem),
        }
    for interval in outcome.intervals:
        verdict, block = interval.verdict, interval.verdict.weakest
        yield {
            "detector": detector,
            "sample": outcome.sample,
            "valid_from": interval.first_day,
            "valid_to": interval.last_day,
            "state": "judged",
            "score": round(verdict.score, _SCORE_DIGITS),
            "method": verdict.method.value,
            "reason": spelled(verdict.reason),
            "commit": interval.commit,
            "path": spelled(block.path) if block else None,
            "line": block.start if block else None,
        }


def block_facts(detector: str, outcome: Outcome) -> Iterator[Fact]:
    """Yield the rows of table `block_presence`."""
    for interval in outcome.intervals:
        for index, (scope, block) in enumerate(zip(outcome.scopes, interval.verdict.blocks, strict=False)):
            yield {
                "detector": detector,
                "sample": outcome.sample,
                "valid_from": interval.first_day,
                "block": index,
                "scope": spelled(scope),
                "score": round(block.score, _SCORE_DIGITS),
                "method": block.method.value,
                "path": spelled(block.path),
                "line_start": block.start,
                "line_end": block.end,
                "line_scores": [round(score, _SCORE_DIGITS) for score in block.line_scores],
            }


def to_json(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as JSON values, for the journal."""
    landing = outcome.landing
    return {
        "sample": outcome.sample,
        "scopes": outcome.scopes,
        "problem": outcome.problem,
        "landing": landing and landing_to_json(landing),
        "intervals": [
            {
                "days": [interval.first_day.isoformat(), interval.last_day.isoformat()],
                "commit": interval.commit,
                "verdict": [
                    interval.verdict.score,
                    interval.verdict.method.value,
                    interval.verdict.reason,
                    [
                        [
                            b.score,
                            b.method.value,
                            b.path,
                            b.start,
                            b.end,
                            b.line_scores,
                            b.watched,
                            b.note,
                            b.share,
                        ]
                        for b in interval.verdict.blocks
                    ],
                ],
            }
            for interval in outcome.intervals
        ],
    }


def from_json(values: dict[str, Any]) -> Outcome:
    """Return the outcome that `to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError: If the values are not those of an outcome.
    """
    return Outcome(
        sample=values["sample"],
        scopes=tuple(values["scopes"]),
        problem=values["problem"],
        landing=values["landing"] and landing_from_json(values["landing"]),
        intervals=tuple(_interval(entry) for entry in values["intervals"]),
    )


def landing_to_json(landing: Landing) -> list[Any]:
    """Return a landing as JSON values."""
    seconds = int(landing.landed_at.timestamp())
    return [landing.state, landing.position, landing.commit, seconds, landing.evidence]


def landing_from_json(values: list[Any]) -> Landing:
    """Return the landing that `landing_to_json` wrote."""
    state, position, commit, seconds, evidence = values
    return Landing(state, position, commit, datetime.fromtimestamp(seconds, UTC), evidence)


def _interval(entry: dict[str, Any]) -> Interval:
    first, last = (date.fromisoformat(day) for day in entry["days"])
    score, method, reason, blocks = entry["verdict"]
    verdict = SampleVerdict(score, Method(method), reason, tuple(_block(values) for values in blocks))
    return Interval(first, last, entry["commit"], verdict)


def _block(values: list[Any]) -> BlockVerdict:
    score, method, path, start, end, line_scores, watched, note, share = values
    return BlockVerdict(
        score, Method(method), path, start, end, tuple(line_scores), tuple(watched), note, share
    )
