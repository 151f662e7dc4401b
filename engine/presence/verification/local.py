"""Runs a sample's tests on this machine, in a sandbox, and compares with its own buggy and fixed code."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from engine.benchmarks.sample import Sample
from engine.patches.blocks import is_test_path
from engine.patches.diff import PatchError, parse_diff
from engine.patches.syntax import language_of
from engine.presence.verification.junit import passed_tests
from engine.presence.verification.outcomes import State, TestOutcome
from engine.presence.verification.sandbox import REPORT, Job, Limits, places_of, run_sandboxed
from engine.presence.verification.worktree import DiffDoesNotApply, apply_diff, write_tree
from engine.problems import BenchCheckerError

DEFAULT_COMMAND = "{python} -m pytest -q -p no:cacheprovider --junitxml={report} {tests}"
_NAMED = 3
"""How many tests a reason names."""


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """How the tests of a repository are run here.

    Attributes:
        python: Interpreter of an environment with the repository's dependencies.
        command: Command line; `{python}`, `{report}` (JUnit XML to be written) and `{tests}` (the test files
            of the test patch, one argument each) are filled in. No shell reads it.
        prepare: Command line to be run before, such as a build; empty for none.
        variables: Further environment variables.
        readable: Places beside the system's and the interpreter's that the commands may read.
        limits: What the commands of one run may use.
    """

    python: Path
    command: str = DEFAULT_COMMAND
    prepare: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    readable: tuple[Path, ...] = ()
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class _Run:
    """The tests that passed in one variant of the code, and why the run was stopped, if it was."""

    passed: frozenset[str]
    stopped: str | None
    log: Path


class LocalRunner:
    """Runs the buggy, the fixed and the modified code, and compares which tests pass.

    The tests that count are those that the gold patch passes; among them must be one that fails without it,
    or the outcome would say nothing. The modified code passes when it passes all of them.

    Args:
        find_repository: Returns the git directory of a repository, None where there is none.
        settings: How the tests are run.
    """

    name = "local"

    def __init__(self, find_repository: Callable[[str], Path | None], settings: LocalSettings) -> None:
        self._find_repository = find_repository
        self._settings = settings

    def run(self, sample: Sample, diff: str, folder: Path) -> TestOutcome:
        """See `TestRunner.run`."""
        repository = self._find_repository(sample.repository)
        if repository is None or sample.base_commit is None:
            return TestOutcome(State.NOT_RUN, "no repository or no base commit is at hand")
        tests = _test_files(sample.test_patch or "")
        if not tests:
            return TestOutcome(State.NOT_RUN, "the sample's test patch names no test file")
        with tempfile.TemporaryDirectory(prefix="verify-") as scratch:
            work = _Work(repository, sample, tests, self._settings, Path(scratch), folder)
            return _compare(work, diff)


class _Work:
    """Everything that the three runs of one sample share."""

    def __init__(
        self,
        repository: Path,
        sample: Sample,
        tests: tuple[str, ...],
        settings: LocalSettings,
        scratch: Path,
        folder: Path,
    ) -> None:
        self.sample = sample
        self._repository = repository
        self._tests = tests
        self._settings = settings
        self._scratch = scratch
        self._folder = folder

    def run(self, variant: str, diff: str) -> _Run:
        """Write the base commit, apply a diff and the test patch, and run the tests.

        Raises:
            DiffDoesNotApply: If one of the two does not apply.
        """
        assert self.sample.base_commit is not None
        scratch = self._scratch / variant
        tree, report = scratch / "tree", scratch / "report.xml"
        write_tree(self._repository, self.sample.base_commit, tree)
        apply_diff(tree, diff)
        apply_diff(tree, self.sample.test_patch or "")
        log = self._folder / f"{variant}.log"
        log.unlink(missing_ok=True)
        job = Job(
            [self._filled(line) for line in (self._settings.prepare, self._settings.command) if line],
            tree,
            (*places_of(self._settings.python), *self._settings.readable),
            self._variables(),
        )
        ended = run_sandboxed(job, log, report, self._settings.limits)
        return _Run(passed_tests(report), ended.stopped, log)

    def _filled(self, template: str) -> list[str]:
        command: list[str] = []
        try:
            words = shlex.split(template)
        except ValueError as error:
            message = f"{template!r} is no command line: {error} (correct --command or --prepare)"
            raise BenchCheckerError(message) from error
        for word in words:
            if word == "{tests}":
                command += self._tests
            else:
                filled = word.replace("{python}", str(self._settings.python))
                command.append(filled.replace("{report}", REPORT))
        return command

    def _variables(self) -> dict[str, str]:
        return {
            "PATH": f"{self._settings.python.parent}:/usr/local/bin:/usr/bin:/bin",
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            **self._settings.variables,
        }


def _compare(work: _Work, diff: str) -> TestOutcome:
    try:
        fixed = work.run("fixed", work.sample.patch or "")
        buggy = work.run("buggy", "")
    except DiffDoesNotApply as error:
        return TestOutcome(State.NOT_RUN, f"the sample's own patches do not apply: {error}")
    telling = fixed.passed - buggy.passed
    if not telling:
        reason = f"the gold patch passes {len(fixed.passed)} tests here, none of which fails without it"
        if fixed.stopped is not None:
            reason = f"the tests of the gold patch were stopped: {fixed.stopped}"
        return TestOutcome(State.NOT_RUN, reason, fixed.log)
    try:
        modified = work.run("modified", diff)
    except DiffDoesNotApply as error:
        return TestOutcome(State.DID_NOT_APPLY, str(error))
    counts = f"{len(telling)} of {len(fixed.passed)} tests fail without a fix"
    missing = sorted(fixed.passed - modified.passed)
    if not missing:
        return TestOutcome(State.PASSED, f"all tests pass; {counts}", modified.log)
    if modified.stopped is not None:
        return TestOutcome(State.FAILED, f"the tests were stopped: {modified.stopped}", modified.log)
    named = ", ".join(missing[:_NAMED]) + (" …" if len(missing) > _NAMED else "")
    reason = f"{len(missing)} of {len(fixed.passed)} tests fail: {named}; {counts}"
    return TestOutcome(State.FAILED, reason, modified.log)


def _test_files(test_patch: str) -> tuple[str, ...]:
    """Return the test files that a patch writes, in its order."""
    try:
        files = parse_diff(test_patch).files
    except PatchError:
        return ()
    paths = [file.new_path for file in files if file.new_path is not None]
    return tuple(
        path
        for path in paths
        if language_of(path) is not None and is_test_path(path) and PurePosixPath(path).name != "conftest.py"
    )


def read_variables(items: list[str]) -> dict[str, str]:
    """Read environment variables written as `NAME=VALUE`.

    Raises:
        BenchCheckerError: If one has another form.
    """
    variables = {}
    for item in items:
        name, separator, value = item.partition("=")
        if not separator or not name:
            raise BenchCheckerError(f"{item!r} is not of the form NAME=VALUE")
        variables[name] = value
    return variables
