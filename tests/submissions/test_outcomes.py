"""From listed ids to one outcome for every sample of the benchmark."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.problems import Severity
from engine.store.schema import OUTCOMES
from engine.submissions.outcomes import UNRESOLVED_OUTCOMES, Place, Report, settle

SAMPLES = ("a__x-1", "a__x-2", "a__x-3", "b__y-4")
PLACE = Place("report.json", "20250101_agent")


def test_every_outcome_of_the_schema_can_be_reported():
    assert {*UNRESOLVED_OUTCOMES, "resolved"} == set(OUTCOMES)


def test_samples_that_appear_nowhere_are_unresolved():
    results, problems = settle(Report({"resolved": ["a__x-1"]}), SAMPLES, PLACE)
    assert results.outcomes == {
        "a__x-1": "resolved",
        "a__x-2": "unresolved",
        "a__x-3": "unresolved",
        "b__y-4": "unresolved",
    }
    assert problems == []
    assert results.notes == ()


def test_spellings_and_repeats_count_once():
    results, problems = settle(Report({"resolved": ["A/X:pr-1", "a__x-1", "A__x-1"]}), SAMPLES, PLACE)
    assert results.resolved == {"a__x-1"}
    assert problems == []


def test_resolved_outside_the_benchmark_is_listed_and_not_counted():
    report = Report({"resolved": ["a__x-1", "q__q-9", "nonsense\x00"], "unresolved": ["r__r-1"]})
    results, problems = settle(report, SAMPLES, PLACE)
    assert results.resolved == {"a__x-1"}
    assert results.outside == ("nonsense\ufffd", "q__q-9")
    assert set(results.outcomes) == set(SAMPLES)
    assert [problem.severity for problem in problems] == [Severity.WARNING, Severity.WARNING]
    assert results.notes == (
        "reported as resolved outside the benchmark, not counted: 2",
        "other ids outside the benchmark, not counted: 1",
    )


@pytest.mark.parametrize("outcome", UNRESOLVED_OUTCOMES)
def test_resolved_and_unresolved_at_once_is_an_error_and_does_not_count(outcome: str):
    report = Report({"resolved": ["a__x-1", "a__x-2"], outcome: ["a__x-2", "A/x:pr-2"]})
    results, problems = settle(report, SAMPLES, PLACE)
    assert results.resolved == {"a__x-1"}
    assert results.outcomes["a__x-2"] == "error"
    (problem,) = problems
    assert problem.severity is Severity.ERROR
    assert problem.message == "a__x-2 is reported both resolved and unresolved"
    assert results.notes == ("reported both resolved and unresolved, counted as unresolved: 1",)


def test_the_most_telling_reason_is_kept():
    report = Report({"unresolved": ["a__x-1"], "empty_patch": ["a__x-1"], "error": ["a__x-1"]})
    assert settle(report, SAMPLES, PLACE)[0].outcomes["a__x-1"] == "empty_patch"


def test_samples_missing_from_the_submitted_ids_were_not_submitted():
    report = Report({"resolved": ["a__x-1"]}, submitted=["a__x-1", "a__x-2", "a__x-3"], total=3)
    results, problems = settle(report, SAMPLES, PLACE)
    assert results.outcomes["b__y-4"] == "not_submitted"
    assert results.outcomes["a__x-2"] == "unresolved"
    assert [problem.message for problem in problems] == ["counts 3 samples, the benchmark has 4"]
    assert results.total == 3


@pytest.mark.parametrize(
    ("submitted", "listed", "rest", "notes"),
    [
        # All that were submitted are named, so the others were not.
        (1, {"resolved": ["a__x-1"]}, "not_submitted", 0),
        # Those that were not are named, so the others were.
        (3, {"resolved": ["a__x-1"], "not_submitted": ["b__y-4"]}, "unresolved", 0),
        # Two of the three unnamed ones were not submitted; which is not said.
        (2, {"resolved": ["a__x-1"]}, "unresolved", 1),
        (4, {"resolved": ["a__x-1"]}, "unresolved", 0),
    ],
)
def test_a_count_of_submitted_samples(submitted: int, listed: dict[str, list[str]], rest: str, notes: int):
    results, _ = settle(Report(listed, submitted_count=submitted), SAMPLES, PLACE)
    assert results.outcomes["a__x-2"] == rest
    assert len(results.notes) == notes


def test_more_submitted_than_there_are():
    results, problems = settle(Report({}, total=4, submitted_count=6), SAMPLES, PLACE)
    assert results.notes == ("says 6 submitted of 4",)
    assert problems[0].severity is Severity.WARNING


def test_a_count_that_is_not_the_length_of_its_list():
    results, _ = settle(Report({"resolved": ["a__x-1"]}, resolved_count=2), SAMPLES, PLACE)
    assert results.notes == ("says 2 resolved but lists 1",)


@pytest.mark.parametrize("count", [510, 2294])
def test_a_submission_with_ids_of_a_larger_benchmark(count: int):
    benchmark = [f"a__x-{number}" for number in range(1, 501)]
    listed = {
        "resolved": [f"a__x-{number}" for number in range(1, count + 1, 2)],
        "unresolved": [f"a__x-{number}" for number in range(2, count + 1, 2)],
    }
    every = listed["resolved"] + listed["unresolved"]
    results, problems = settle(Report(listed, submitted=every, total=count), benchmark, PLACE)
    assert len(results.outcomes) == 500
    assert len(results.resolved) == 250
    assert len(results.outside) == count // 2 - 250
    assert f"counts {count} samples, the benchmark has 500" in results.notes
    assert all(problem.severity is Severity.WARNING for problem in problems)


ids = st.lists(st.sampled_from([*SAMPLES, "A/X:PR-1", "q__q-1", "junk"]), max_size=6)


@given(
    st.dictionaries(st.sampled_from(OUTCOMES), ids),
    st.none() | ids,
    st.none() | st.integers(0, 8),
    st.none() | st.integers(0, 8),
)
def test_whatever_is_listed_every_sample_has_one_outcome(
    listed: dict[str, list[str]], submitted: list[str] | None, total: int | None, count: int | None
):
    results, problems = settle(Report(listed, submitted, total, count), SAMPLES, PLACE)
    assert set(results.outcomes) == set(SAMPLES)
    assert set(results.outcomes.values()) <= set(OUTCOMES)
    named = {"a__x-1" if text == "A/X:PR-1" else text for text in listed.get("resolved", ())}
    unresolved = {
        "a__x-1" if text == "A/X:PR-1" else text
        for outcome, texts in listed.items()
        if outcome != "resolved"
        for text in texts
    }
    assert results.resolved == (named & set(SAMPLES)) - unresolved
    assert set(results.outside) == named - set(SAMPLES)
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    assert len(errors) == len(named & unresolved & set(SAMPLES))
