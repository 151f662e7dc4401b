"""Decides by tests what similarity leaves open, for one sample at one cutoff."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from engine.benchmarks.sample import Sample
from engine.patches.diff import PatchError, parse_diff
from engine.presence.detector import Detector
from engine.presence.single import Fix, find_fix, judge_at
from engine.presence.snapshot import Snapshot, SourceCache
from engine.presence.verdicts import Method, SampleVerdict
from engine.presence.verification.outcomes import State, TestOutcome, TestRunner
from engine.presence.verification.substitution import NoCounterpart, modified_diff

DIFF_NAME, RESULT_NAME = "modified.diff", "verification.json"


@dataclass(frozen=True, slots=True)
class Verification:
    """What similarity and tests say about a sample at a cutoff.

    Attributes:
        sample: Sample id.
        day: The cutoff.
        commit: The snapshot.
        verdict: What similarity says.
        threshold: Score from which similarity alone decides for presence.
        runner: Name of the test runner.
        tests: What the tests say.
    """

    sample: str
    day: date
    commit: str
    verdict: SampleVerdict
    threshold: float
    runner: str
    tests: TestOutcome

    @property
    def is_present(self) -> bool:
        """Whether the fix counts as present: similar enough, or equivalent by its tests."""
        return self.verdict.score >= self.threshold or self.tests.state is State.PASSED


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be verified, and how.

    Attributes:
        sample: The sample, with its patches.
        day: The cutoff.
        detector: Judges similarity; it serves this sample alone.
        threshold: Score from which similarity is conclusive.
        always: Whether to run the tests even then.
    """

    sample: Sample
    day: date
    detector: Detector
    threshold: float
    always: bool = False


def verify(question: Question, cache: SourceCache, runner: TestRunner, folder: Path) -> Verification:
    """Judge a sample by similarity, and by its tests where that is inconclusive.

    The modified diff, the logs and the result are kept in `folder`.

    Args:
        question: What is asked.
        cache: Parsed files of the sample's repository.
        runner: Runs the tests.
        folder: Made when it is not there; one for each sample and cutoff.

    Raises:
        BenchCheckerError: If the sample cannot be judged at that day at all.
    """
    fix = find_fix(question.sample, cache)
    commit, verdict = judge_at(fix, question.day, question.detector, cache)
    folder.mkdir(parents=True, exist_ok=True)
    if verdict.method is Method.NOT_LANDED:
        tests = TestOutcome(State.NOT_RUN, verdict.reason)
    elif verdict.score >= question.threshold and not question.always:
        tests = TestOutcome(State.NOT_RUN, "similarity is conclusive")
    else:
        tests = _run_tests(question.sample, fix, commit, cache, runner, folder)
    result = Verification(
        question.sample.sample, question.day, commit, verdict, question.threshold, runner.name, tests
    )
    _keep(result, folder)
    return result


def _run_tests(
    sample: Sample, fix: Fix, commit: str, cache: SourceCache, runner: TestRunner, folder: Path
) -> TestOutcome:
    position = cache.history.position_of(commit)
    assert position is not None
    assert sample.patch is not None
    assert sample.base_commit is not None
    base = sample.base_commit

    def read_base(path: str) -> bytes | None:
        blob = cache.history.commit_tree_blob(base, path)
        return None if blob is None else cache.history.read(blob)

    try:
        diff = modified_diff(
            parse_diff(sample.patch), fix.blocks, read_base, Snapshot(cache, position).source
        )
    except (NoCounterpart, PatchError) as error:
        return TestOutcome(State.DID_NOT_APPLY, str(error))
    (folder / DIFF_NAME).write_text(diff, encoding="utf-8", errors="surrogateescape")
    return runner.run(sample, diff, folder)


def _keep(result: Verification, folder: Path) -> None:
    """Write the result beside its logs, whole or not at all."""
    log = result.tests.log
    values = {
        "sample": result.sample,
        "cutoff": result.day.isoformat(),
        "commit": result.commit,
        "score": result.verdict.score,
        "threshold": result.threshold,
        "similarity": result.verdict.reason,
        "runner": result.runner,
        "state": result.tests.state.value,
        "reason": result.tests.reason,
        "log": None if log is None else log.name,
        "is_present": result.is_present,
    }
    partial = folder / f"{RESULT_NAME}.partial"
    partial.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
    partial.replace(folder / RESULT_NAME)
