"""One verdict spelled out, so that a reader can check it by eye."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from rapidfuzz.distance import Indel
from rapidfuzz.process import extractOne

from engine.benchmarks.sample import Sample
from engine.patches.blocks import Block
from engine.patches.syntax import LogicalLine
from engine.patches.tokens import encode
from engine.presence.detector import Detector
from engine.presence.single import find_fix, judge_at
from engine.presence.snapshot import Snapshot, SourceCache
from engine.presence.verdicts import BlockVerdict

_SHOWN = 160
"""Characters of a line that are shown."""


def explain(
    sample: Sample, day: date, detector: Detector, threshold: float, cache: SourceCache
) -> Iterator[str]:
    """Yield the lines of an explanation, judged anew.

    Args:
        sample: The sample, with its patch.
        day: The cutoff.
        detector: Serves this sample alone.
        threshold: Score from which the fix counts as present.
        cache: Parsed files of the sample's repository.

    Raises:
        PatchError, LandingUnknown, HistoryError: If the sample cannot be judged at that day.
    """
    fix = find_fix(sample, cache)
    commit, verdict = judge_at(fix, day, detector, cache)
    position = cache.history.position_of(commit)
    assert position is not None
    snapshot = Snapshot(cache, position)
    when = cache.history.chain[position].committed_at
    yield f"sample    {sample.sample} in {sample.repository}"
    yield f"snapshot  {commit} of {when:%Y-%m-%d %H:%M} UTC, the last at the end of {day}"
    landing = fix.landing
    yield f"landed    {landing.commit} on {landing.landed_at:%Y-%m-%d} ({landing.state}: {landing.evidence})"
    for block, found in zip(detector.select(fix.blocks), verdict.blocks, strict=False):
        yield ""
        yield from _block(block, found, snapshot)
    yield ""
    yield from _conclusion(verdict.score, threshold, verdict.reason)


def explain_stored(
    presence: Mapping[str, Any], blocks: Sequence[Mapping[str, Any]], threshold: float
) -> Iterator[str]:
    """Yield the lines of an explanation from stored facts.

    Args:
        presence: Row of table `presence` that covers the cutoff.
        blocks: Rows of table `block_presence` of the same span of days.
        threshold: Score from which the fix counts as present.
    """
    span = f"{presence['valid_from']} to {presence['valid_to']}"
    yield f"sample    {presence['sample']}"
    yield f"evidence  the same from {span}, read on {presence['commit'] or 'no commit'}"
    for row in blocks:
        place = _place(row["path"], row["line_start"], row["line_end"])
        scores = ", ".join(f"{score:.2f}" for score in row["line_scores"] or ())
        scope, method = row["scope"] or "module", row["method"]
        yield f"block {row['block']}   {scope}: {method}, score {row['score']:.2f}, at {place}"
        if scores:
            yield f"          its lines: {scores}"
    yield ""
    if presence["score"] is None:
        yield f"verdict   unknown: {presence['reason']}"
    else:
        yield from _conclusion(presence["score"], threshold, presence["reason"])


def printable(line: str) -> str:
    """Return a line with what a terminal would act on replaced."""
    return "".join(mark if mark.isprintable() else "\N{REPLACEMENT CHARACTER}" for mark in line)


def _block(block: Block, found: BlockVerdict, snapshot: Snapshot) -> Iterator[str]:
    place = _place(found.path, found.start, found.end)
    note = f", {found.note}" if found.note else ""
    yield f"block {block.index}   {block.scope or 'module'} of {block.path}, line {block.start} after the fix"
    yield f"          {found.method.value}, score {found.score:.2f}, at {place}{note}"
    near = _lines_at(found, snapshot)
    codes = [encode(line.tokens) for line in near]
    for line in block.added:
        best = extractOne(encode(line.tokens), codes, scorer=Indel.normalized_similarity) if codes else None
        yield f"      +   {line.text[:_SHOWN]}"
        if best is not None:
            match = near[best[2]]
            yield f"   {best[1]:.2f}   {match.text[:_SHOWN]}   (line {match.start})"


def _lines_at(found: BlockVerdict, snapshot: Snapshot) -> list[LogicalLine]:
    """Return the logical lines of the place of a verdict, or of its whole file where it has none."""
    source = snapshot.source(found.path)
    if source is None:
        return []
    scopes = [scope for scope in source.scopes if found.start in (None, scope.start)]
    return [line for scope in scopes for line in scope.lines]


def _place(path: str | None, start: int | None, end: int | None) -> str:
    if path is None:
        return "no place"
    return path if start is None else f"{path}:{start}-{end}"


def _conclusion(score: float, threshold: float, reason: str) -> Iterator[str]:
    label = "present" if score >= threshold and score > 0 else "absent"
    yield f"verdict   {label}: score {score:.2f}, threshold {threshold:.2f}"
    yield f"reason    {reason}"
