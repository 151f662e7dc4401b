"""The `paper` detector with one of its steps left out (Table 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from rapidfuzz.distance import Indel
from rapidfuzz.process import extractOne

from engine.patches.blocks import Block
from engine.patches.syntax import LogicalLine, Scope, SourceFile, parse_source
from engine.patches.tokens import encode
from engine.presence.detector import Detector
from engine.presence.paper import PaperDetector
from engine.presence.similarity import LexicalSimilarity
from engine.presence.snapshot import Snapshot
from engine.presence.verdicts import BlockVerdict, Method


class ExactSimilarity:
    """One for a line with the same tokens, zero for any other."""

    name = "exact"

    def best(self, lines: Sequence[LogicalLine], scopes: Sequence[Scope]) -> tuple[float, ...]:
        """See `LineSimilarity.best`."""
        known = {code for scope in scopes for code in scope.codes}
        return tuple(float(encode(line.tokens) in known) for line in lines)


class WithoutLocalisation(PaperDetector):
    """Looks for every line anywhere in the file that the patch names."""

    def __init__(self) -> None:
        super().__init__(LexicalSimilarity())
        self._anywhere = LexicalSimilarity()

    def judge(self, block: Block, snapshot: Snapshot, previous: BlockVerdict | None) -> BlockVerdict:
        """See `Detector.judge`."""
        source = snapshot.source(block.path)
        lines = [line for line in block.added if not line.is_import]
        if source is None or not lines:
            return super().judge(block, snapshot, previous)
        return _verdict(block, self._anywhere.best(lines, source.scopes))


class WithoutPreprocessing(PaperDetector):
    """Compares the physical lines that the patch wrote in a function, comments and layout included.

    The patch's own lines are those of the fixed function that the base commit's file does not have.
    """

    def __init__(self) -> None:
        super().__init__(LexicalSimilarity())

    def judge(self, block: Block, snapshot: Snapshot, previous: BlockVerdict | None) -> BlockVerdict:
        """See `Detector.judge`."""
        source = snapshot.source(block.path)
        lines = _written_lines(block, snapshot)
        if source is None or not lines:
            return super().judge(block, snapshot, previous)
        scopes = source.scopes_by_name.get(block.scope, ()) or source.scopes[:1]
        candidates = list(dict.fromkeys(line for scope in scopes for line in _physical_lines(source, scope)))
        return _verdict(block, tuple(_nearest(line, candidates) for line in lines))


def _written_lines(block: Block, snapshot: Snapshot) -> list[str]:
    fixed = parse_source(block.fixed_text, block.path)
    if fixed is None or block.is_deletion:
        return []
    base = None
    if block.base_commit is not None and block.base_path is not None:
        base = snapshot.source_in(block.base_commit, block.base_path)
    had = Counter(_text_lines(base) if base is not None else ())
    rows = {row for line in block.added for row in range(line.start, line.end + 1)}
    if block.kind == "function":
        for scope in fixed.scopes_by_name.get(block.scope, ()):
            rows |= set(range(scope.start, scope.end + 1))
    text = _text_lines(fixed)
    return [text[row - 1] for row in sorted(rows) if text[row - 1].strip() and text[row - 1] not in had]


def _physical_lines(source: SourceFile, scope: Scope) -> list[str]:
    return [line for line in _text_lines(source)[scope.start - 1 : scope.end] if line.strip()]


def _text_lines(source: SourceFile) -> list[str]:
    return source.text.decode("utf-8", "replace").split("\n")


def _nearest(line: str, candidates: Sequence[str]) -> float:
    found = extractOne(line, candidates, scorer=Indel.normalized_similarity)
    return float(found[1]) if found else 0.0


def _verdict(block: Block, scores: tuple[float, ...]) -> BlockVerdict:
    score = min(scores)
    method = Method.VERBATIM if score == 1.0 else Method.SIMILAR
    return BlockVerdict(score, method, block.path, None, None, scores, (block.path,))


FULL = "paper"
ABLATED: Mapping[str, Callable[[], Detector]] = {
    "paper, no preprocessing": WithoutPreprocessing,
    "paper, no localisation": WithoutLocalisation,
    "paper, exact match": lambda: PaperDetector(ExactSimilarity()),
}
"""How to make each ablated detector; a fresh one serves each patch."""

TABLE5: Mapping[str, str | None] = {
    "BenchChecker": None,
    "BenchChecker w/o Patch Preprocessing": "paper, no preprocessing",
    "BenchChecker w/o Patch Localization": "paper, no localisation",
    "BenchChecker w/o Similarity Matching": "paper, exact match",
    "BenchChecker w/o Testing Verification": FULL,
}
"""Our detector for each variant of Table 5. The whole method needs the samples' tests: we have no figure."""
