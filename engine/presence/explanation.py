"""One verdict spelled out, so that a reader can check it by eye."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from rapidfuzz.distance import Indel
from rapidfuzz.process import extractOne

from engine.benchmarks.sample import Sample
from engine.patches.blocks import Block
from engine.patches.syntax import LogicalLine
from engine.patches.tokens import encode
from engine.presence.detector import Detector
from engine.presence.landing import Landing
from engine.presence.single import find_fix, judge_at
from engine.presence.snapshot import Snapshot, SourceCache
from engine.presence.verdicts import BlockVerdict, SampleVerdict

_SHOWN = 160
"""Characters of a line that a terminal shows."""

Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class ExplainedLine:
    """One logical line that the fix adds, beside the nearest one of the snapshot.

    Attributes:
        text: Its normal form.
        start: 1-based first line in the fixed file.
        likeness: Similarity of its tokens to the nearest line's, 0 to 1; None where there is no other line.
        near: Normal form of the nearest line, empty where there is none.
        near_start: 1-based line of the nearest line in the snapshot.
        differing: Character ranges of `text` that the nearest line does not have, token by token.
        near_differing: The same for `near`.
    """

    text: str
    start: int
    likeness: float | None
    near: str
    near_start: int | None
    differing: Ranges
    near_differing: Ranges


@dataclass(frozen=True, slots=True)
class ExplainedBlock:
    """A block, the verdict on it, and its lines beside those of the place that the verdict names."""

    block: Block
    verdict: BlockVerdict
    lines: tuple[ExplainedLine, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """One verdict, judged anew from patch and history.

    Attributes:
        sample: The sample.
        commit: The commit that was the snapshot.
        committed_at: Its day and time, UTC.
        landing: Where the fix landed.
        verdict: The verdict on the sample.
        blocks: Every block that was judged; empty where the fix had not landed.
    """

    sample: Sample
    commit: str
    committed_at: datetime
    landing: Landing
    verdict: SampleVerdict
    blocks: tuple[ExplainedBlock, ...]


def explain(sample: Sample, day: date, detector: Detector, cache: SourceCache) -> Explanation:
    """Judge a sample anew at one day and put its lines beside the snapshot's.

    Args:
        sample: The sample, with its patch.
        day: The cutoff.
        detector: Serves this sample alone.
        cache: Parsed files of the sample's repository.

    Raises:
        PatchError, LandingUnknown, HistoryError: If the sample cannot be judged at that day.
    """
    fix = find_fix(sample, cache)
    commit, verdict = judge_at(fix, day, detector, cache)
    position = cache.history.position_of(commit)
    assert position is not None
    snapshot = Snapshot(cache, position)
    return Explanation(
        sample,
        commit,
        cache.history.chain[position].committed_at,
        fix.landing,
        verdict,
        tuple(
            ExplainedBlock(block, found, tuple(_beside(block, _lines_at(found, snapshot))))
            for block, found in zip(detector.select(fix.blocks), verdict.blocks, strict=False)
        ),
    )


def in_words(explanation: Explanation, day: date, threshold: float) -> Iterator[str]:
    """Yield the lines of an explanation for a terminal.

    Args:
        explanation: What was found.
        day: The cutoff.
        threshold: Score from which the fix counts as present.
    """
    sample, landing, verdict = explanation.sample, explanation.landing, explanation.verdict
    when = f"{explanation.committed_at:%Y-%m-%d %H:%M} UTC"
    yield f"sample    {sample.sample} in {sample.repository}"
    yield f"snapshot  {explanation.commit} of {when}, the last at the end of {day}"
    yield f"landed    {landing.commit} on {landing.landed_at:%Y-%m-%d} ({landing.state}: {landing.evidence})"
    for explained in explanation.blocks:
        yield ""
        yield from _block(explained)
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
            yield f"          similarity of each added line: {scores}"
    yield ""
    if presence["score"] is None:
        yield f"verdict   unknown: {presence['reason']}"
    else:
        yield from _conclusion(presence["score"], threshold, presence["reason"])


def _block(explained: ExplainedBlock) -> Iterator[str]:
    block, found = explained.block, explained.verdict
    place = _place(found.path, found.start, found.end)
    note = f", {found.note}" if found.note else ""
    yield f"block {block.index}   {block.scope or 'module'} of {block.path}, line {block.start} after the fix"
    yield f"          {found.method.value}, score {found.score:.2f}, at {place}{note}"
    for line in explained.lines:
        yield f"      +   {line.text[:_SHOWN]}"
        if line.likeness is not None:
            yield f"   {line.likeness:.2f}   {line.near[:_SHOWN]}   (line {line.near_start})"


def _beside(block: Block, near: Sequence[LogicalLine]) -> Iterator[ExplainedLine]:
    codes = [encode(line.tokens) for line in near]
    for line in block.added:
        best = extractOne(encode(line.tokens), codes, scorer=Indel.normalized_similarity) if codes else None
        if best is None:
            yield ExplainedLine(line.text, line.start, None, "", None, (), ())
            continue
        match = near[best[2]]
        differing, near_differing = _differing(line, match)
        yield ExplainedLine(
            line.text, line.start, best[1], match.text, match.start, differing, near_differing
        )


def _differing(line: LogicalLine, other: LogicalLine) -> tuple[Ranges, Ranges]:
    texts, others = ([token.text for token in side.tokens] for side in (line, other))
    steps = Indel.opcodes(texts, others)
    return (
        tuple(_characters(texts, step.src_start, step.src_end) for step in steps if step.tag == "delete"),
        tuple(_characters(others, step.dest_start, step.dest_end) for step in steps if step.tag == "insert"),
    )


def _characters(tokens: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """Return the characters of tokens `first` to `last` in the text that joins all by blanks."""
    start = sum(len(token) + 1 for token in tokens[:first])
    return start, start + len(" ".join(tokens[first:last]))


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
