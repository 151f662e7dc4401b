"""One sample at one cutoff."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from engine.benchmarks.sample import Sample
from engine.history.repository import RepositoryHistory
from engine.patches.blocks import Block
from engine.presence.detector import Detector
from engine.presence.landing import Landing, find_landing
from engine.presence.lifecycle import next_visible
from engine.presence.snapshot import Snapshot, SourceCache
from engine.presence.verdicts import BlockVerdict, Method, SampleVerdict, combine
from engine.presence.workers import sample_blocks


@dataclass(frozen=True, slots=True)
class Fix:
    """A sample's fix: what its presence rests on, and since when it can be there.

    Attributes:
        blocks: All blocks of the gold patch.
        landing: Where it landed.
    """

    blocks: tuple[Block, ...]
    landing: Landing


def find_fix(sample: Sample, cache: SourceCache) -> Fix:
    """Return the blocks of a sample and where they landed.

    Raises:
        PatchError: If there is no usable patch or base commit.
        LandingUnknown: If the repository does not hold the base commit or ends before the fix.
        HistoryError: If the repository lacks files of the base commit.
    """
    blocks = sample_blocks(sample, cache.history)
    assert sample.base_commit is not None
    landing = find_landing(blocks, sample.base_commit, sample.created_at, sample.landed_commit, cache)
    return Fix(blocks, landing)


def judge_at(fix: Fix, day: date, detector: Detector, cache: SourceCache) -> tuple[str, SampleVerdict]:
    """Judge a fix in the snapshot of one day, as the lifecycle that leads there would.

    Args:
        fix: The fix.
        day: The cutoff.
        detector: Serves this fix alone.
        cache: Parsed files of the repository.

    Returns:
        The commit that was the snapshot, and the verdict.

    Raises:
        DayOutsideHistory: If the day has no known snapshot.
    """
    commit = cache.history.chain.snapshot_at(day)
    if commit.position < fix.landing.position:
        reason = f"the fix landed on {fix.landing.landed_at:%Y-%m-%d}"
        return commit.sha, SampleVerdict(0.0, Method.NOT_LANDED, reason, ())
    blocks = detector.select(fix.blocks)
    verdicts = [walk(block, fix.landing.position, commit.position, detector, cache) for block in blocks]
    return commit.sha, combine(verdicts, [block.scope for block in blocks])


def walk(block: Block, start: int, stop: int, detector: Detector, cache: SourceCache) -> BlockVerdict:
    """Judge a block at position `stop`, and where its verdict can have changed before if that matters."""
    alone = detector.judge_alone(block, Snapshot(cache, stop))
    if alone is not None:
        return alone
    history: RepositoryHistory = cache.history
    verdict: BlockVerdict | None = None
    position: int | None = start
    while position is not None and position <= stop:
        verdict = detector.judge(block, Snapshot(cache, position), verdict)
        position = next_visible(history, verdict.watched, position)
    assert verdict is not None
    return verdict
