"""Test verification end to end, on a repository made here, its tests run in the sandbox."""

from __future__ import annotations

import json
import sys
import textwrap
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from scratch_repository import Scratch, new_scratch

from engine.benchmarks.sample import Sample
from engine.history.repository import RepositoryHistory
from engine.presence.paper import PaperDetector
from engine.presence.similarity import LexicalSimilarity
from engine.presence.snapshot import SourceCache
from engine.presence.verification.diffs import file_diff
from engine.presence.verification.local import DEFAULT_COMMAND, LocalRunner, LocalSettings, read_variables
from engine.presence.verification.outcomes import NoRunner, State
from engine.presence.verification.sandbox import Limits, can_isolate
from engine.presence.verification.verify import Question, Verification, verify
from engine.problems import BenchCheckerError

pytestmark = pytest.mark.skipif(not can_isolate(), reason="this machine cannot isolate a command: no bwrap")

BUGGY = textwrap.dedent(
    """
    def area(width, height):
        return width * height

    def name():
        return "shape"
    """
)
FIXED = BUGGY.replace(
    "    return width",
    '    if width < 0 or height < 0:\n        raise ValueError("negative")\n    return width',
)
REFACTORED = BUGGY.replace(
    "    return width",
    "    for side in (width, height):\n        if side < 0:\n            raise ValueError\n    return width",
)
WRONG = BUGGY.replace("    return width", "    for side in (width,):\n        pass\n    return width")
GONE = 'def name():\n    return "shape"\n'
HANGING = BUGGY.replace("    return width", "    while height < 0:\n        pass\n    return width")
OLD_TESTS = "from shape import area, name\n\ndef test_name():\n    assert name() == 'shape'\n"
TESTS = OLD_TESTS + textwrap.dedent(
    """
    def test_area():
        try:
            area(2, -1)
        except ValueError:
            pass
        else:
            raise AssertionError("nothing was raised")
        assert area(2, 3) == 6

    def test_always_fails():
        assert False
    """
)
RUNNER = textwrap.dedent(
    """
    import importlib, sys, traceback

    report, *files = sys.argv[1:]
    cases = []
    for file in files:
        module = importlib.import_module(file[:-3].replace("/", "."))
        for name in [name for name in vars(module) if name.startswith("test_")]:
            try:
                getattr(module, name)()
                cases.append(f'<testcase classname="{module.__name__}" name="{name}"/>')
            except Exception:
                traceback.print_exc()
                cases.append(f'<testcase classname="{module.__name__}" name="{name}"><failure/></testcase>')
    open(report, "w").write("<testsuite>" + "".join(cases) + "</testsuite>")
    """
)
"""A test tool that starts faster than pytest."""
COMMAND = "{python} run_tests.py {report} {tests}"
QUICKLY = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
STATES = {1: FIXED, 2: REFACTORED, 3: WRONG, 4: GONE, 5: HANGING}


@dataclass
class World:
    """A repository whose fix is refactored, lost, taken out and replaced, one state a month."""

    scratch: Scratch
    sample: Sample
    folder: Path

    def ask(
        self,
        month: int,
        sample: Sample | None = None,
        *,
        command: str = COMMAND,
        always: bool = False,
        seconds: float = 60,
    ) -> Verification:
        question = Question(
            sample or self.sample,
            date(2024, month, 15),
            PaperDetector(LexicalSimilarity()),
            threshold=0.7,
            always=always,
        )
        settings = LocalSettings(
            Path(sys.executable), command, variables=QUICKLY, limits=Limits(seconds=seconds)
        )
        runner = LocalRunner(lambda _: self.scratch.path, settings)
        cache = SourceCache(RepositoryHistory.open(self.scratch.path))
        return verify(question, cache, runner, self.folder)


@pytest.fixture
def world(tmp_path: Path) -> World:
    scratch = new_scratch(tmp_path / "shapes.git")
    states = [(f"2024-{month:02}-01", {"shape.py": text.encode()}) for month, text in STATES.items()]
    base = {
        "shape.py": BUGGY.encode(),
        "tests/test_shape.py": OLD_TESTS.encode(),
        "run_tests.py": RUNNER.encode(),
        # pytest then imports the module beside it, as in projects that are not installed.
        "conftest.py": b"",
    }
    scratch.chain(("2023-12-01", base), *states, ("2024-06-01", {"other.py": b""}))
    sample = Sample(
        sample="o__shapes-1",
        repository="o/shapes",
        number=1,
        base_commit=scratch.names["c0"],
        created_at=datetime(2023, 12, 20, tzinfo=UTC),
        patch=file_diff("shape.py", BUGGY, "shape.py", FIXED),
        test_patch=file_diff("tests/test_shape.py", OLD_TESTS, "tests/test_shape.py", TESTS),
    )
    return World(scratch, sample, tmp_path / "kept")


def test_similarity_decides_alone_where_it_can(world: World) -> None:
    result = world.ask(1)
    assert result.is_present
    assert (result.tests.state, result.tests.reason) == (State.NOT_RUN, "similarity is conclusive")


def test_an_equivalent_fix_passes_where_similarity_is_inconclusive(world: World) -> None:
    result = world.ask(2)
    assert result.verdict.score < 0.7
    assert result.tests.state is State.PASSED, result.tests.reason
    assert result.is_present
    assert result.tests.log is not None
    assert "in test_always_fails" in result.tests.log.read_text()
    assert "for side in (width, height):" in (world.folder / "modified.diff").read_text()
    kept = json.loads((world.folder / "verification.json").read_text())
    assert (kept["state"], kept["is_present"], kept["log"]) == ("passed", True, "modified.log")
    assert kept["commit"] == world.scratch.names["c2"]


def test_code_without_the_fix_fails_and_the_test_is_named(world: World) -> None:
    result = world.ask(3)
    assert result.tests.state is State.FAILED
    assert not result.is_present
    assert "1 of 2 tests fail: tests.test_shape::test_area" in result.tests.reason


def test_a_function_that_is_gone_gives_no_diff(world: World) -> None:
    result = world.ask(4)
    assert result.tests.state is State.DID_NOT_APPLY
    assert "no aligned code" in result.tests.reason
    assert not (world.folder / "modified.diff").exists()


def test_tests_that_hang_are_ended_and_count_as_failed(world: World) -> None:
    result = world.ask(5, seconds=5)
    assert result.tests.state is State.FAILED
    assert result.tests.reason == "the tests were stopped: not at an end after 5 s"


def test_the_reason_says_that_the_gold_patchs_own_tests_were_stopped(world: World) -> None:
    sample = replace(world.sample, patch=file_diff("shape.py", BUGGY, "shape.py", HANGING))
    result = world.ask(5, sample, always=True, seconds=3)
    assert result.tests.state is State.NOT_RUN
    assert result.tests.reason == "the tests of the gold patch were stopped: not at an end after 3 s"


def test_a_command_that_is_none_is_said_and_not_run(world: World) -> None:
    with pytest.raises(BenchCheckerError, match="No closing quotation"):
        world.ask(1, always=True, command='{python} -c "')


def test_the_gold_patch_itself_passes_under_pytest(world: World) -> None:
    result = world.ask(1, command=DEFAULT_COMMAND, always=True, seconds=300)
    assert result.tests.state is State.PASSED, result.tests.reason
    assert "1 of 2 tests fail without a fix" in result.tests.reason


def test_a_gold_patch_that_changes_no_test_says_nothing(world: World) -> None:
    sample = replace(
        world.sample,
        test_patch=file_diff("tests/test_shape.py", OLD_TESTS, "tests/test_shape.py", OLD_TESTS + "\n"),
    )
    result = world.ask(2, sample)
    assert result.tests.state is State.NOT_RUN
    assert "none of which fails without it" in result.tests.reason


def test_own_patches_that_do_not_apply_are_not_the_snapshots_fault(world: World) -> None:
    broken = file_diff("tests/test_shape.py", "other\n", "tests/test_shape.py", "another\n")
    result = world.ask(2, replace(world.sample, test_patch=broken))
    assert result.tests.state is State.NOT_RUN
    assert "own patches do not apply" in result.tests.reason


def test_a_sample_without_tests_is_not_run(world: World) -> None:
    assert world.ask(2, replace(world.sample, test_patch=None)).tests.state is State.NOT_RUN


def test_before_the_landing_nothing_is_run(world: World) -> None:
    question = Question(world.sample, date(2023, 12, 31), PaperDetector(LexicalSimilarity()), 0.7)
    cache = SourceCache(RepositoryHistory.open(world.scratch.path))
    result = verify(question, cache, NoRunner(), world.folder)
    assert result.tests.state is State.NOT_RUN
    assert not result.is_present


def test_variables_are_names_and_values() -> None:
    assert read_variables(["A=1", "B=x=y", "C="]) == {"A": "1", "B": "x=y", "C": ""}
    with pytest.raises(BenchCheckerError, match="NAME=VALUE"):
        read_variables(["A"])
