"""The life of a fix: how present it is on every day from its landing to the end of the history.

Presence can only change at a first-parent commit that touches a file the verdict rests on. A lifecycle judges
each block once per such commit that is ever a day's snapshot, and keeps the spans of days over which the
evidence stays the same. Every cutoff, past or future, is then a look-up.

The fixes of one repository advance together, in the order of commits, so that a version of a file is parsed
once for all fixes that rest on it.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from engine.history.repository import RepositoryHistory
from engine.patches.blocks import Block
from engine.presence.detector import Detector
from engine.presence.landing import Landing
from engine.presence.snapshot import Snapshot, SourceCache
from engine.presence.verdicts import BlockVerdict, Method, SampleVerdict, combine


@dataclass(frozen=True, slots=True)
class Interval:
    """A span of days with the same evidence.

    Attributes:
        first_day: First day, UTC.
        last_day: Last day, inclusive.
        commit: The snapshot at `first_day`, on which the evidence was read.
        verdict: That evidence.
    """

    first_day: date
    last_day: date
    commit: str
    verdict: SampleVerdict


@dataclass(frozen=True, slots=True)
class Subject:
    """A fix whose life is to be told.

    Attributes:
        blocks: The blocks its presence rests on, at least one.
        landing: Where it landed; before that it is absent, whatever the code looks like.
        detector: Who judges; it serves this fix alone.
    """

    blocks: Sequence[Block]
    landing: Landing
    detector: Detector


@dataclass(slots=True)
class _Timeline:
    """The positions at which one block was judged, with the verdicts."""

    block: Block
    detector: Detector
    entries: list[tuple[int, BlockVerdict]] = field(default_factory=list)

    def judge(self, cache: SourceCache, position: int) -> int | None:
        """Judge the block at `position`; return the next position to judge it at, None if there is none."""
        previous = self.entries[-1][1] if self.entries else None
        verdict = self.detector.judge(self.block, Snapshot(cache, position), previous)
        self.entries.append((position, verdict))
        return next_visible(cache.history, verdict.watched, position)


def lifecycles(subjects: Sequence[Subject], cache: SourceCache) -> list[tuple[Interval, ...]]:
    """Return the intervals of each fix, from the first day of the history to the head's.

    Args:
        subjects: Fixes of one repository.
        cache: Parsed files of that repository.

    Returns:
        For each subject, intervals without gap or overlap, oldest first.
    """
    timelines = [[_Timeline(block, subject.detector) for block in subject.blocks] for subject in subjects]
    queue = [
        (subject.landing.position, timeline.block.path, number, index)
        for number, (subject, group) in enumerate(zip(subjects, timelines, strict=True))
        for index, timeline in enumerate(group)
    ]
    heapq.heapify(queue)
    while queue:
        position, path, number, index = queue[0]
        following = timelines[number][index].judge(cache, position)
        if following is None:
            heapq.heappop(queue)
        else:
            heapq.heapreplace(queue, (following, path, number, index))
    return [
        _intervals(subject, group, cache.history) for subject, group in zip(subjects, timelines, strict=True)
    ]


def _intervals(
    subject: Subject, timelines: Sequence[_Timeline], history: RepositoryHistory
) -> tuple[Interval, ...]:
    starts = sorted({position for timeline in timelines for position, _ in timeline.entries})
    changes = [dict(timeline.entries) for timeline in timelines]
    current = [timeline.entries[0][1] for timeline in timelines]
    intervals = list(_before(history, subject.landing))
    scopes = [block.scope for block in subject.blocks]
    for start, stop in zip(starts, [*starts[1:], len(history.chain)], strict=True):
        current = [change.get(start, verdict) for change, verdict in zip(changes, current, strict=True)]
        days = history.chain.days(start, stop)
        if days is not None:
            commit = history.chain.snapshot_at(days[0]).sha
            _extend(intervals, Interval(*days, commit, combine(current, scopes)))
    return tuple(intervals)


def next_visible(history: RepositoryHistory, paths: Sequence[str], after: int) -> int | None:
    """Return the next position after `after` that changes any of `paths` and is a day's snapshot.

    Of several changes before the next snapshot the last one stands for all.
    """
    position = history.index.next_change(paths, after)
    while position is not None:
        following = history.index.next_change(paths, position)
        if history.chain.days(position, len(history.chain) if following is None else following) is not None:
            return position
        position = following
    return None


def _before(history: RepositoryHistory, landing: Landing) -> Sequence[Interval]:
    """Return the interval before the landing, if it has a day."""
    days = history.chain.days(0, landing.position) if landing.position > 0 else None
    if days is None:
        return ()
    reason = f"the fix landed on {landing.landed_at:%Y-%m-%d} ({landing.state}: {landing.evidence})"
    verdict = SampleVerdict(0.0, Method.NOT_LANDED, reason, ())
    return (Interval(*days, history.chain.snapshot_at(days[0]).sha, verdict),)


def _extend(intervals: list[Interval], new: Interval) -> None:
    """Append an interval, or lengthen the last one when the evidence is the same."""
    last = intervals[-1] if intervals else None
    if last is not None and last.last_day + timedelta(days=1) != new.first_day:
        raise AssertionError(f"a gap between {last.last_day} and {new.first_day}")
    if last is not None and last.verdict.evidence == new.verdict.evidence:
        intervals[-1] = Interval(last.first_day, new.last_day, last.commit, last.verdict)
    else:
        intervals.append(new)
