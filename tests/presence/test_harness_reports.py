"""What the benchmarks' harnesses leave behind, and what is said where they are missing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from engine.presence.verification import harness
from engine.presence.verification.harness import HarnessMissing, SwebenchRunner
from engine.presence.verification.junit import passed_tests
from engine.presence.verification.outcomes import State


@pytest.mark.parametrize(
    ("report", "text", "state"),
    [
        ({"patch_successfully_applied": True, "resolved": True}, "", State.PASSED),
        ({"patch_successfully_applied": True, "resolved": False}, "", State.FAILED),
        ({"patch_successfully_applied": False, "resolved": False}, "", State.NOT_RUN),
        (None, ">>>>> Patch Apply Failed:\nerror", State.DID_NOT_APPLY),
        (None, "no image", State.NOT_RUN),
        ("not an object", "", State.NOT_RUN),
    ],
)
def test_a_swebench_report(tmp_path: Path, report: object, text: str, state: State) -> None:
    if report is not None:
        (tmp_path / "report.json").write_text(json.dumps({"o__r-1": report}))
    (tmp_path / "run_instance.log").write_text(text)
    outcome = harness.read_swebench_report(tmp_path, "o__r-1", tmp_path / "harness.log")
    assert outcome.state is state
    assert outcome.log == tmp_path / "run_instance.log"


@pytest.mark.parametrize(
    ("report", "state"),
    [
        ('{"resolved_ids": ["Org/repo:pr-5"], "unresolved_ids": []}', State.PASSED),
        ('{"resolved_ids": [], "unresolved_ids": ["Org/repo:pr-5"]}', State.FAILED),
        ('{"resolved_ids": ["Org/repo:pr-50"], "error_ids": ["Org/repo:pr-5"]}', State.NOT_RUN),
        ("[]", State.NOT_RUN),
        ("{", State.NOT_RUN),
    ],
)
def test_a_multi_swe_bench_report(tmp_path: Path, report: str, state: State) -> None:
    file = tmp_path / "final_report.json"
    file.write_text(report)
    assert harness.read_multi_report(file, "org/repo:pr-5", tmp_path / "log").state is state


def test_a_missing_package_is_named_with_its_remedy() -> None:
    with pytest.raises(HarnessMissing, match="pip install swebench"):
        SwebenchRunner("data", 60)


def test_a_missing_docker_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HarnessMissing, match="no Docker daemon answers"):
        SwebenchRunner("data", 60, Path(sys.executable))


def test_passed_tests_are_read_from_junit_reports(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(
        """<?xml version="1.0"?><testsuites><testsuite>
        <testcase classname="a" name="good"/>
        <testcase classname="a" name="bad"><failure message="no"/></testcase>
        <testcase classname="a" name="broken"><error/></testcase>
        <testcase classname="a" name="left out"><skipped/></testcase>
        <testcase classname="a" name="twice"/>
        <testcase classname="a" name="twice"><error/></testcase>
        <testcase classname="a" name="loud"><system-out>text</system-out></testcase>
        </testsuite></testsuites>"""
    )
    assert passed_tests(report) == {"a::good", "a::loud"}


@pytest.mark.parametrize("text", ["", "<testsuite><testcase classname='a' name='b'/>", "no xml"])
def test_a_report_cut_off_has_no_passed_test(tmp_path: Path, text: str) -> None:
    report = tmp_path / "report.xml"
    assert passed_tests(report) == frozenset()
    report.write_text(text)
    assert passed_tests(report) == frozenset()
