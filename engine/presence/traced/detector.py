"""The `traced` detector.

It asks whether the fix is still there, wherever the code went and whatever it was turned into: at its place,
then in the helpers that the place calls, then elsewhere in the file, then in other files of the snapshot that
hold the fix's rarest words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from engine.patches.blocks import Block
from engine.patches.syntax import LogicalLine, Scope, SourceFile
from engine.patches.tokens import encode
from engine.presence.snapshot import Snapshot
from engine.presence.traced.evidence import Evidence, region_of, weigh, weigh_order, weigh_taking
from engine.presence.traced.fix import Fix, fix_of
from engine.presence.traced.regions import Place, find_place, helpers, moved_files, moved_scope, other_files
from engine.presence.verdicts import BlockVerdict, Method

NEARLY_ALL = 0.9
"""Evidence from which nothing else need be looked at."""
FOUND = 0.8
"""Evidence from which other files need not be looked at."""
IN_HELPERS, IN_FILE, ELSEWHERE = 0.97, 0.95, 0.9
"""Factors on evidence found away from the place: the further away, the likelier it has another reason."""
LOOSE_LINES = 0.05
"""How much more of a small fix than of its lines may be found away from its place."""
LARGE_FIX = 20.0
"""Weight of brought words that can hardly meet by chance."""
STRAY_LOSS = 0.35
"""What a finding away from the place loses when all lines around the fix are still at the place."""
NOTABLE_LOSS = 0.1
"""How far a score must fall for the whole snapshot to be searched again."""
MIN_PART, MAX_PARTS = 0.15, 4
"""Least evidence in a function for it to hold a part of a fix, and how many such are taken together."""
HALF = 0.5
KEPT_AFTER_LOSS = 0.85
"""Presence of a fix that only took code away, when its function is gone with it."""
DECISIVE = 2.5
"""A block with this reciprocal share of the fix decides alone; smaller ones count in proportion."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Evidence and where it is.

    Attributes:
        score: Evidence, less what its distance from the place costs.
        evidence: What was found there.
        path: The file.
        scope: The function or class, None when nothing was found.
    """

    score: float
    evidence: Evidence
    path: str
    scope: Scope | None


class TracedDetector:
    """Presence of a fix by the tokens that distinguish it. An instance serves one patch."""

    key = "traced"
    version = 3

    def __init__(self) -> None:
        self._fixes: dict[int, Fix] = {}
        self._shares: dict[int, float] = {}
        self._siblings: dict[tuple[str, str], Block] = {}
        self._buggy_blobs: dict[int, str | None] = {}
        self._memo: dict[tuple[int, str, str, bytes], Evidence] = {}

    def select(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        """Return the blocks that do anything; those that only import are left out if there are others."""
        self._fixes = {block.index: fix_of(block) for block in blocks}
        self._siblings = {(block.path, block.scope): block for block in blocks}
        chosen = tuple(block for block in blocks if self._fixes[block.index].size > 0) or tuple(blocks)
        total = sum(self._fixes[block.index].size for block in chosen)
        self._shares = {
            block.index: min(1.0, DECISIVE * self._fixes[block.index].size / total) if total else 1.0
            for block in chosen
        }
        return chosen

    def judge(self, block: Block, snapshot: Snapshot, previous: BlockVerdict | None) -> BlockVerdict:
        """See `Detector.judge`."""
        fix, place, found = self._near(block, snapshot)
        if isinstance(found, BlockVerdict):
            return found
        if found.score < FOUND:
            found = self._far(found, block, fix, place, snapshot, previous)
        return self._verdict(block, place, found, _method(fix, place, found))

    def judge_alone(self, block: Block, snapshot: Snapshot) -> BlockVerdict | None:
        """See `Detector.judge_alone`: where the fix was before does not matter if it is near its place."""
        fix, place, found = self._near(block, snapshot)
        if isinstance(found, BlockVerdict):
            return found
        return (
            self._verdict(block, place, found, _method(fix, place, found)) if found.score >= FOUND else None
        )

    def _near(self, block: Block, snapshot: Snapshot) -> tuple[Fix, Place, BlockVerdict | Finding]:
        """Return the verdict where the place decides, else what is found in its file."""
        fix = self._fixes[block.index]
        place = find_place(block, snapshot)
        known = self._unchanged_file(block, place, snapshot) or _known_code(block, place)
        if known is not None:
            return fix, place, self._verdict(block, place, *known)
        if fix.only_orders or fix.only_takes:
            return fix, place, self._judge_place(block, fix, place)
        return fix, place, self._in_file(block, fix, place, snapshot)

    def _unchanged_file(
        self, block: Block, place: Place, snapshot: Snapshot
    ) -> tuple[Finding, Method] | None:
        """Return that the fix is absent where its whole file is, byte for byte, as it was before the fix.

        Code that a fix moves about is in that file already: parts of the fix would be found in it.
        """
        if block.base_commit is None or block.base_path is None:
            return None
        if block.index not in self._buggy_blobs:
            blob = snapshot.history.commit_tree_blob(block.base_commit, block.base_path)
            self._buggy_blobs[block.index] = blob
        blob = self._buggy_blobs[block.index]
        if blob is None or snapshot.blob(place.path) != blob:
            return None
        scope = place.scopes[0] if place.scopes else None
        scores = (0.0,) * len(block.written or block.added)
        return Finding(0.0, Evidence(0.0, scores), place.path, scope), Method.REVERTED

    def _judge_place(self, block: Block, fix: Fix, place: Place) -> BlockVerdict:
        """Judge a fix that only moves or takes code: nowhere but at its place can that be seen."""
        nothing = Evidence(0.0, ())
        if not place.scopes:
            score = KEPT_AFTER_LOSS if fix.only_takes else HALF
            method = Method.SCOPE_GONE if place.source else Method.FILE_GONE
            return self._verdict(block, place, Finding(score, nothing, place.path, None), method)
        if fix.only_takes:
            score = weigh_taking(fix, place.scopes)
            kept = Method.DELETION if block.is_deletion else Method.REFACTORED
        else:
            now = _shape([line for scope in place.scopes for line in scope.lines])
            score = weigh_order(now, _shape(block.fixed), _shape(block.buggy))
            kept = Method.REFACTORED
        finding = Finding(score, nothing, place.path, place.scopes[0])
        return self._verdict(block, place, finding, kept if score >= HALF else Method.REVERTED)

    def _in_file(self, block: Block, fix: Fix, place: Place, snapshot: Snapshot) -> Finding:
        """Look for the fix in its file, nearest places first, until enough of it is found."""
        best = Finding(0.0, Evidence(0.0, (0.0,) * len(fix.lines)), place.path, None)
        if place.scopes:
            evidence = self._weigh_place(block, fix, place)
            best = Finding(evidence.score, evidence, place.path, place.scopes[0])
            near = helpers(place) if best.score < NEARLY_ALL else []
            if near:
                others = [(scope, self._before(block, place.path, scope, snapshot)) for scope in near]
                evidence = weigh(fix, region_of(fix, place.scopes, others))
                best = _better(
                    best, Finding(IN_HELPERS * evidence.score, evidence, place.path, place.scopes[0])
                )
        if place.source is not None and best.score < NEARLY_ALL:
            found = list(self._findings(block, fix, place.path, place.source, snapshot, place.scopes))
            here = best.evidence.context if place.scopes else 0.0
            best = _better(best, *_farther(fix, found, IN_FILE, here))
            if best.score < FOUND and here < HALF:
                best = _better(best, *self._split(block, fix, place, found, snapshot))
        return best

    def _far(
        self,
        best: Finding,
        block: Block,
        fix: Fix,
        place: Place,
        snapshot: Snapshot,
        previous: BlockVerdict | None,
    ) -> Finding:
        """Look for the fix in other files, until enough of it is found."""
        here = best.evidence.context if place.scopes else 0.0
        if previous is not None and previous.path != place.path:
            # It was found elsewhere before: that file is watched, and looked at first.
            best = _better(best, *self._moved(block, fix, [previous.path], snapshot))
            best = _better(best, *self._elsewhere(block, fix, [previous.path], snapshot, here))
        if best.score < FOUND and (previous is None or previous.score > best.score + NOTABLE_LOSS):
            files = moved_files(block, fix.context_words, snapshot, place.path)
            best = _better(best, *self._moved(block, fix, files, snapshot))
            if best.score < FOUND:
                suffix = PurePosixPath(block.path).suffix
                words = fix.context_words if not fix.rare_words and here < HALF else fix.rare_words
                holding = other_files(suffix, words, snapshot, place.path)
                best = _better(best, *self._elsewhere(block, fix, holding, snapshot, here))
        return best

    def _split(
        self, block: Block, fix: Fix, place: Place, found: Sequence[Finding], snapshot: Snapshot
    ) -> Iterable[Finding]:
        """Yield what the functions that hold parts of a fix hold together."""
        parts = sorted((one for one in found if one.score >= MIN_PART), key=_score, reverse=True)[:MAX_PARTS]
        scopes = [part.scope for part in parts if part.scope is not None]
        if len(scopes) > 1:
            others = [(scope, self._before(block, place.path, scope, snapshot)) for scope in scopes]
            evidence = weigh(fix, region_of(fix, place.scopes, others))
            yield Finding(ELSEWHERE * evidence.score, evidence, place.path, scopes[0])

    def _moved(self, block: Block, fix: Fix, paths: Iterable[str], snapshot: Snapshot) -> Iterable[Finding]:
        for path in paths:
            scope = moved_scope(block, path, snapshot)
            if scope is not None:
                evidence = weigh(fix, region_of(fix, [scope], ()))
                yield Finding(IN_HELPERS * evidence.score, evidence, path, scope)

    def _elsewhere(
        self, block: Block, fix: Fix, paths: Iterable[str], snapshot: Snapshot, here: float
    ) -> Iterable[Finding]:
        for path in paths:
            source = snapshot.source(path)
            if source is not None:
                found = self._findings(block, fix, path, source, snapshot, ())
                yield from _farther(fix, found, ELSEWHERE, here)

    def _findings(
        self,
        block: Block,
        fix: Fix,
        path: str,
        source: SourceFile,
        snapshot: Snapshot,
        without: Sequence[Scope],
    ) -> Iterable[Finding]:
        """Yield the evidence in each function and class of a file that has any."""
        for scope in source.scopes:
            text = scope.source if scope.kind != "module" else b""
            if scope in without or not any(word in text for word in fix.telling_words):
                continue
            key = (block.index, path, scope.name, text)
            if key not in self._memo:
                before = self._before(block, path, scope, snapshot)
                self._memo[key] = weigh(fix, region_of(fix, (), [(scope, before)]))
            yield Finding(self._memo[key].score, self._memo[key], path, scope)

    def _weigh_place(self, block: Block, fix: Fix, place: Place) -> Evidence:
        key = (block.index, place.path, "", b"\0".join(scope.source for scope in place.scopes))
        if key not in self._memo:
            self._memo[key] = weigh(fix, region_of(fix, place.scopes, ()))
        return self._memo[key]

    def _before(self, block: Block, path: str, scope: Scope, snapshot: Snapshot) -> Sequence[LogicalLine]:
        """Return the lines of a scope before the fix; after it, where the patch changed that scope too."""
        sibling = self._siblings.get((path, scope.name))
        if sibling is not None:
            return sibling.fixed
        if block.base_commit is None:
            return ()
        own = snapshot.path_of(block.base_path or block.path, block.base_commit)
        origin = block.base_path if path == own and block.base_path else path
        source = snapshot.source_in(block.base_commit, origin)
        known = source.scopes_by_name.get(scope.name, ()) if source is not None else ()
        return [line for one in known for line in one.lines]

    def _verdict(self, block: Block, place: Place, finding: Finding, method: Method) -> BlockVerdict:
        scope = finding.scope
        moved = method is Method.MOVED and scope is not None
        return BlockVerdict(
            score=finding.score,
            method=method,
            path=finding.path,
            start=scope.start if scope else None,
            end=scope.end if scope else None,
            line_scores=finding.evidence.lines,
            watched=tuple(dict.fromkeys((place.path, finding.path))),
            note=f"from {block.scope or block.path} to {scope.name} in {finding.path}"
            if moved and scope
            else "",
            share=self._shares[block.index],
        )


def _known_code(block: Block, place: Place) -> tuple[Finding, Method] | None:
    """Return the verdict where the place holds exactly the fixed or exactly the buggy code."""
    if not place.scopes:
        return None
    now = _shape([line for scope in place.scopes for line in scope.lines])
    fixed, buggy = _shape(block.fixed), _shape(block.buggy)
    if fixed == buggy or now not in (fixed, buggy):
        return None
    score = 1.0 if now == fixed else 0.0
    scores = (score,) * len(block.written or block.added)
    finding = Finding(score, Evidence(score, scores, score), place.path, place.scopes[0])
    method = Method.RENAMED if place.renamed else Method.VERBATIM
    return finding, method if score else Method.REVERTED


def _shape(lines: Sequence[LogicalLine]) -> list[tuple[int, str]]:
    """Return lines with their nesting, which can be all that a fix changes."""
    return [(line.depth, encode(line.tokens)) for line in lines]


def _score(finding: Finding) -> float:
    return finding.score


def _better(best: Finding, *others: Finding) -> Finding:
    return max((best, *others), key=lambda finding: finding.score)


def _farther(fix: Fix, findings: Iterable[Finding], factor: float, here: float) -> list[Finding]:
    """Return findings away from the place: there, the smaller the fix, the more its lines must look alike.

    Args:
        fix: The fix.
        findings: What was found.
        factor: What the distance costs.
        here: Share of the lines around the fix that are still at the place. Where they stayed and what was
            found is not among them, it is likely to have another reason.
    """
    allowance = LOOSE_LINES + HALF * min(1.0, fix.brought / LARGE_FIX)
    return [
        Finding(
            factor
            * (1 - STRAY_LOSS * max(0.0, here - finding.evidence.context))
            * min(finding.score, max(finding.evidence.line_score, finding.evidence.context) + allowance),
            finding.evidence,
            finding.path,
            finding.scope,
        )
        for finding in findings
    ]


def _method(fix: Fix, place: Place, finding: Finding) -> Method:
    """Return how the fix is there, or how it went."""
    if finding.score < HALF:
        if place.source is None:
            return Method.FILE_GONE
        if not place.scopes:
            return Method.SCOPE_GONE
        if weigh_taking(fix, place.scopes) < HALF and fix.minus.words:
            return Method.REVERTED
        return Method.REMOVED if finding.score < HALF / 2 else Method.REPLACED
    if finding.scope not in place.scopes:
        return Method.MOVED
    if all(score == 1.0 for score in finding.evidence.lines):
        return Method.RENAMED if place.renamed else Method.VERBATIM
    return Method.REFACTORED
