"""Rewrites: the fixed code rewritten with its meaning kept, and later code with the fix taken back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from engine.evaluation.judgement import Case, Judgement, judged
from engine.evaluation.reverting import essential_hunk, revert_exactly
from engine.evaluation.rewrites.catalogue import REWRITES, Rewrite
from engine.evaluation.rewrites.edits import Files, Span
from engine.evaluation.rewrites.python_code import PythonCode
from engine.evaluation.subject import Subject
from engine.evaluation.synthetic import synthetic_history
from engine.history.errors import DayOutsideHistory
from engine.patches.blocks import Block, is_test_path
from engine.patches.diff import FilePatch, parse_diff
from engine.patches.encoding import as_utf8
from engine.patches.syntax import Language, language_of, parse_source
from engine.presence.single import walk
from engine.presence.snapshot import SourceCache
from engine.presence.verdicts import combine

PART = "rewrites"
LATER = (182, 547, 1095)
"""Days after the landing at which the fix is taken back."""


@dataclass(frozen=True, slots=True)
class State:
    """A state of the code that follows on the fixed one.

    Attributes:
        case: What is known of it.
        files: The files in which it differs from the fixed code.
    """

    case: Case
    files: Files


def judge_rewrites(subject: Subject) -> list[Judgement]:
    """Judge the fixed code, its rewrites, and what is left of it when the patch is taken back.

    Raises:
        PatchError, HistoryError: If the fixed code cannot be made.
    """
    fixed = _fixed_files(subject)
    unchanged = State(unchanged_case(subject.benchmark, subject.sample.sample), {})
    threads = [[unchanged], *([state] for state in _rewritten(subject, fixed))]
    threads += [*([state] for state in _taken_back(subject, fixed)), *_later(subject, fixed)]
    return _judge(subject, fixed, threads)


def unchanged_case(benchmark: str, sample: str) -> Case:
    """Return the case of the fixed code as it is."""
    return Case(PART, benchmark, sample, "unchanged", True, "the base commit with the patch applied")


def _fixed_files(subject: Subject) -> dict[str, bytes | None]:
    """Return the files that the gold patch changes, as it leaves them."""
    history, base = subject.cache.history, subject.sample.base_commit
    assert base is not None
    files: dict[str, bytes | None] = {}
    for patch in _file_patches(subject):
        blob = history.commit_tree_blob(base, patch.old_path) if patch.old_path else None
        old = b"" if blob is None else history.read(blob)
        if patch.old_path is not None and patch.old_path != patch.path:
            files[patch.old_path] = None
        text = patch.apply(as_utf8(old).decode("utf-8")).text
        files[patch.path] = None if patch.new_path is None else text.encode("utf-8", "replace")
    return files


def _file_patches(subject: Subject) -> list[FilePatch]:
    """Return the parts of the gold patch that change code."""
    return [
        file
        for file in parse_diff(subject.sample.patch or "").files
        if file.hunks and language_of(file.path) is not None and not is_test_path(file.path)
    ]


def _rewritten(subject: Subject, fixed: Files) -> Iterator[State]:
    """Yield the fixed code after each rewrite that finds something to change in the functions of the fix."""
    spans = _spans(subject.blocks)
    for rewrite in REWRITES:
        files: dict[str, bytes | None] = {}
        for path, rows in spans.items():
            source = fixed.get(path)
            if source is not None and language_of(path) is rewrite.language:
                files |= rewrite.apply(path, source, rows) or {}
        if files:
            case = subject.case(PART, rewrite.name, True, "the fixed code, rewritten with its meaning kept")
            yield State(case, _checked(rewrite, files))


def _checked(rewrite: Rewrite, files: Files) -> Files:
    """Return the files of a rewrite, all of which must parse.

    Raises:
        AssertionError: If one does not: the rewrite is at fault.
    """
    for path, content in files.items():
        if content is not None and rewrite.language is Language.PYTHON and PythonCode.parse(content) is None:
            raise AssertionError(f"{rewrite.name}: the new {path} does not parse")
    return files


def _spans(blocks: Sequence[Block]) -> dict[str, list[Span]]:
    """Return the lines to be rewritten by path: whole functions, and changed lines outside of them."""
    spans: dict[str, list[Span]] = defaultdict(list)
    for block in blocks:
        source = parse_source(block.fixed_text, block.path)
        scopes = source.scopes_by_name.get(block.scope, ()) if source is not None else ()
        if block.kind == "function":
            holding = [scope for scope in scopes if scope.start <= block.start <= scope.end]
            spans[block.path] += [Span(scope.start, scope.end) for scope in holding]
        else:
            spans[block.path] += [Span(line.start, line.end) for line in block.added]
    return {path: sorted(set(rows)) for path, rows in spans.items() if rows}


def _taken_back(subject: Subject, fixed: Files) -> Iterator[State]:
    """Yield the fixed code with one hunk taken back that is at least half of the fix, but not all of it."""
    hunk = essential_hunk(_file_patches(subject), subject.blocks)
    content = fixed.get(hunk.path) if hunk is not None else None
    if hunk is None or content is None:
        return
    text = revert_exactly(hunk, content.decode("utf-8"))
    if text is not None:
        place = f"the hunk at line {hunk.hunks[0].old_start} of {hunk.path}"
        why = f"{place} taken back, which has half of the fix or more"
        case = subject.case(PART, "essential hunk reverted", False, why)
        yield State(case, {hunk.path: text.encode("utf-8", "replace")})


def _later(subject: Subject, fixed: Files) -> Iterator[list[State]]:
    """Yield, for several days after the landing, the later files with the fix and then without it.

    Only days on which the patch can be taken back line for line count: there it is certainly present before
    and absent after.
    """
    landing, history = subject.landing, subject.cache.history
    if isinstance(landing, str):
        return
    for days in LATER:
        try:
            commit = history.chain.snapshot_at(landing.landed_at.date() + timedelta(days=days))
        except DayOutsideHistory:
            return
        kept: dict[str, bytes | None] = {}
        without: dict[str, bytes | None] = {}
        for file in _file_patches(subject):
            blob = history.blob_at(commit.position, file.path)
            if blob is None or file.old_path != file.new_path:
                break
            kept[file.path] = history.read(blob)
            text = revert_exactly(file, as_utf8(history.read(blob)).decode("utf-8"))
            if text is None:
                break
            without[file.path] = text.encode("utf-8", "replace")
        else:
            place = f"in the files of {commit.sha[:10]}"
            yield [
                State(subject.case(PART, f"kept after {days} days", True, f"line for line {place}"), kept),
                State(
                    subject.case(PART, f"reverted after {days} days", False, f"taken back {place}"), without
                ),
            ]


def _judge(subject: Subject, fixed: Files, threads: Sequence[Sequence[State]]) -> list[Judgement]:
    base = subject.sample.base_commit
    assert base is not None
    # The first state is the base commit's: renames are followed from there.
    states: list[Files] = [{}]
    starts: list[int] = []
    for thread in threads:
        starts.append(len(states))
        states += [fixed, *({**fixed, **state.files} for state in thread)]
    judgements: list[Judgement] = []
    with synthetic_history(subject.cache.history, base, states) as history:
        cache = SourceCache(history)
        for start, thread in zip(starts, threads, strict=True):
            for step, state in enumerate(thread, start=1):
                judgements.append(_judge_state(subject, state.case, cache, start, start + step))
    return judgements


def _judge_state(subject: Subject, case: Case, cache: SourceCache, start: int, stop: int) -> Judgement:
    detector = subject.new_detector()
    blocks = detector.select(subject.blocks)
    verdicts = [walk(block, start, stop, detector, cache) for block in blocks]
    return judged(case, subject.detector_key, combine(verdicts, [block.scope for block in blocks]))
