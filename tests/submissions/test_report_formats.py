"""Reports, matrices and predictions in every format people have."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_benchmark import SAMPLES

from engine.problems import InvalidInputError, Loaded
from engine.submissions.submission import Submission

Reader = Callable[..., Loaded[Submission]]


def dump(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def only(loaded: Loaded[Submission]) -> Submission:
    (submission,) = loaded.rows
    return submission


def outcomes(loaded: Loaded[Submission]) -> list[str]:
    """The outcomes in the order of SAMPLES."""
    results = only(loaded).results
    assert results is not None
    return [results.outcomes[sample] for sample in SAMPLES]


def test_results_json_of_the_experiments(tmp_path: Path, read: Reader):
    value = {"resolved": ["a__x-1"], "no_generation": ["a__x-2"], "no_logs": ["a__x-3", "a__x-2"]}
    loaded = read(dump(tmp_path / "20250101_agent_model" / "results" / "results.json", value))
    assert only(loaded).submission == "20250101_agent_model"
    assert outcomes(loaded) == ["resolved", "no_generation", "no_logs", "unresolved"]
    assert loaded.problems == ()


def test_an_older_results_json(tmp_path: Path, read: Reader):
    value = {"resolved": [], "no_apply": ["a__x-1"], "test_errored": ["a__x-2"], "applied": ["a__x-3"]}
    assert outcomes(read(dump(tmp_path / "x.json", value))) == ["error", "error", "unresolved", "unresolved"]


def test_harness_report_with_schema_version_2(tmp_path: Path, read: Reader):
    value = {
        "total_instances": 4,
        "submitted_instances": 3,
        "completed_instances": 2,
        "resolved_instances": 1,
        "unresolved_instances": 1,
        "empty_patch_instances": 1,
        "error_instances": 0,
        "completed_ids": ["a__x-1", "a__x-2"],
        "incomplete_ids": ["b__y-4"],
        "empty_patch_ids": ["a__x-3"],
        "submitted_ids": ["a__x-1", "a__x-2", "a__x-3"],
        "resolved_ids": ["a__x-1"],
        "unresolved_ids": ["a__x-2"],
        "error_ids": [],
        "schema_version": 2,
    }
    loaded = read(dump(tmp_path / "agent.run-1.json", value))
    assert only(loaded).submission == "agent.run-1"
    assert outcomes(loaded) == ["resolved", "unresolved", "empty_patch", "not_submitted"]
    assert loaded.problems == ()


def test_final_report_of_multi_swe_bench(tmp_path: Path, read: Reader):
    value = {
        "total_instances": 3,
        "submitted_instances": 3,
        "resolved_instances": 1,
        "submitted_ids": ["A/x:pr-1", "A/x:pr-2", "A/x:pr-3"],
        "incomplete_ids": ["A/x:pr-3"],
        "resolved_ids": ["A/x:pr-1"],
        "unresolved_ids": ["A/x:pr-2"],
        "empty_patch_ids": [],
        "error_ids": [],
    }
    loaded = read(dump(tmp_path / "20250101_agent_model" / "final_report.json", value))
    # Submitted but incomplete: it gave no report.
    assert outcomes(loaded) == ["resolved", "unresolved", "error", "not_submitted"]
    assert [problem.message for problem in loaded.problems] == ["counts 3 samples, the benchmark has 4"]


def test_another_schema_version_is_said(tmp_path: Path, read: Reader):
    loaded = read(dump(tmp_path / "x.json", {"resolved_ids": [], "submitted_ids": [], "schema_version": 3}))
    assert "schema_version 3" in loaded.problems[0].message


def test_a_report_that_names_its_source(tmp_path: Path, read: Reader):
    value = {"resolved": [], "source": "owner/experiments@abc:path/results.json (transcribed)"}
    assert only(read(dump(tmp_path / "x.json", value))).source == "owner/experiments@abc:path/results.json"
    assert only(read(dump(tmp_path / "x.json", value), source="mine")).source == "mine"


def test_per_instance_details(tmp_path: Path, read: Reader):
    value = {
        "a__x-1": {"resolved": True, "cost": 1.5},
        "a__x-2": {"resolved": False},
        "a__x-3": {"resolved": None},
    }
    loaded = read(dump(tmp_path / "20250101_mini" / "per_instance_details.json", value))
    assert only(loaded).submission == "20250101_mini"
    assert outcomes(loaded) == ["resolved", "unresolved", "not_submitted", "not_submitted"]


def test_response_matrix(tmp_path: Path, read: Reader):
    path = tmp_path / "responses.jsonl"
    rows = [
        {"subject_id": "20250101_one", "responses": dict.fromkeys(SAMPLES, 1)},
        {"subject_id": "20250102_two", "responses": {"a__x-1": 0, "a__x-2": 1, "a__x-3": 0}},
    ]
    path.write_text("".join(json.dumps(row) + "\r\n" for row in rows), encoding="utf-8-sig")
    loaded = read(path)
    assert [submission.submission for submission in loaded.rows] == ["20250101_one", "20250102_two"]
    second = loaded.rows[1].results
    assert second is not None
    assert second.outcomes["b__y-4"] == "not_submitted"
    assert second.total == 3
    assert second.notes == ("counts 3 samples, the benchmark has 4",)
    assert loaded.errors == ()


def test_a_value_that_is_neither_0_nor_1(tmp_path: Path, read: Reader):
    value = {"subject_id": "x", "responses": {"a__x-1": 2, "a__x-2": "1", "a__x-3": 1.0, "b__y-4": True}}
    loaded = read(dump(tmp_path / "m.jsonl", value))
    assert outcomes(loaded) == ["not_submitted", "not_submitted", "resolved", "resolved"]
    assert [problem.message for problem in loaded.errors] == [
        "a__x-1: '2' is neither 0 nor 1",
        "a__x-2: '1' is neither 0 nor 1",
    ]
    assert {problem.line for problem in loaded.errors} == {1}


@pytest.mark.parametrize(
    "value",
    [
        {"a__x-1": {"resolved": "yes"}, "a__x-2": {"resolved": "no"}},
        {"subject_id": "agent", "responses": {"a__x-1": "yes", "a__x-2": "no"}},
    ],
)
def test_values_of_which_none_can_be_read_are_no_report_of_nothing_resolved(
    tmp_path: Path, read: Reader, value: Any
):
    loaded = read(dump(tmp_path / "agent.json", value))
    assert loaded.rows == ()
    assert ["neither 0 nor 1" in problem.message for problem in loaded.errors] == [True, True]


@pytest.mark.parametrize("value", [{"resolved_ids": None}, {"submitted_ids": ["a__x-1"]}])
def test_a_report_without_a_list_of_resolved_samples_is_none(tmp_path: Path, read: Reader, value: Any):
    loaded = read(dump(tmp_path / "agent.json", value))
    assert loaded.rows == ()
    assert ["neither `resolved` nor `resolved_ids`" in error.message for error in loaded.errors] == [True]
    assert outcomes(read(dump(tmp_path / "none.json", {"resolved_ids": []}))) == ["unresolved"] * 4


def test_the_same_sample_in_two_spellings_and_with_two_values(tmp_path: Path, read: Reader):
    value = {"subject_id": "x", "responses": {"a__x-1": 1, "A/x:pr-1": 0}}
    loaded = read(dump(tmp_path / "m.jsonl", value))
    assert outcomes(loaded)[0] == "error"
    assert "reported both resolved and unresolved" in loaded.errors[0].message


def test_the_same_submission_twice_in_a_matrix(tmp_path: Path, read: Reader):
    path = tmp_path / "m.jsonl"
    row = {"subject_id": "x", "responses": dict.fromkeys(SAMPLES, 1)}
    path.write_text(json.dumps(row) + "\n" + json.dumps(row) + "\n", encoding="utf-8")
    assert read(path).errors == ()
    other = {"subject_id": "x", "responses": dict.fromkeys(SAMPLES, 0)}
    path.write_text(json.dumps(row) + "\n" + json.dumps(other) + "\n", encoding="utf-8")
    loaded = read(path)
    assert outcomes(loaded) == ["resolved"] * 4
    assert "other outcomes for 4 samples" in loaded.errors[0].message


@pytest.mark.parametrize("name", ["../../etc", "a/b", "", ".git", "..", 7, None])
def test_a_key_that_leads_elsewhere_is_refused(tmp_path: Path, read: Reader, name: Any):
    loaded = read(dump(tmp_path / "m.jsonl", {"subject_id": name, "responses": {"a__x-1": 1}}))
    assert loaded.rows == ()
    assert len(loaded.errors) == 1


@pytest.mark.parametrize(
    "value",
    [
        [{"instance_id": "a__x-1", "model_patch": "diff"}, {"instance_id": "a__x-2", "model_patch": " \n"}],
        {"a__x-1": {"instance_id": "a__x-1", "model_patch": "diff"}, "a__x-2": {"model_patch": None}},
        {"a__x-1": "diff", "a__x-2": None},
        [
            {"org": "A", "repo": "x", "number": 1, "fix_patch": "diff"},
            {"org": "A", "repo": "x", "number": 2, "fix_patch": ""},
        ],
    ],
)
def test_predictions_say_what_was_submitted(tmp_path: Path, read: Reader, value: Any):
    for path in (dump(tmp_path / "run.json", value), tmp_path / "run.jsonl"):
        if path.suffix == ".jsonl":
            items = value if isinstance(value, list) else [value]
            path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
        submission = only(read(path))
        assert submission.submission == "run"
        assert submission.patches == {"a__x-1": True, "a__x-2": False}
        assert submission.results is None


def test_broken_predictions_are_named(tmp_path: Path, read: Reader):
    value = [
        {"instance_id": "a__x-1", "model_patch": "diff"},
        {"instance_id": "a__x-1", "model_patch": ""},
        {"instance_id": "a__x-2"},
        {"instance_id": "a__x-3", "model_patch": ["diff"]},
        {"instance_id": "../../x", "model_patch": "diff"},
    ]
    loaded = read(dump(tmp_path / "run.json", value), name="mine")
    assert only(loaded).submission == "mine"
    assert only(loaded).patches == {"a__x-1": False}
    assert [problem.message for problem in loaded.problems] == [
        "a__x-1 has a second prediction, which counts",
        "not a prediction: no id, or no patch",
        "a__x-3: the patch is not text",
        "predictions outside the benchmark, not counted: 1",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"resolved": 3}', "resolved: Input should be a valid list"),
        ('{"resolved": ["a__x-1", 5]}', "resolved.1: Input should be a valid string"),
        ('{"resolved": [], "total_instances": -1}', "total_instances: "),
        ('{"resolved": [], "total_instances": 1e99}', "total_instances: "),
        ('{"hello": "world"}', "unknown format"),
        ("[1, 2]", "unknown format"),
        ("[]", "holds nothing"),
        ('"text"', "unknown format"),
        ('{"resolved": ["a__x-1"', "ends in the middle"),
    ],
)
def test_other_contents_are_problems(tmp_path: Path, read: Reader, content: str, message: str):
    path = tmp_path / "x.json"
    path.write_text(content, encoding="utf-8")
    loaded = read(path)
    assert loaded.rows == ()
    assert message in loaded.errors[0].message
    with pytest.raises(InvalidInputError):
        read(path, strict=True)


KEYS = (
    *("resolved", "resolved_ids", "submitted_ids", "subject_id", "responses", "leaderboards", "results"),
    *("instance_id", "name", "folder", "model_patch", "per_instance_details", "tags", "a__x-1"),
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from([*SAMPLES, "..", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(json_values)
def test_no_json_escapes_as_an_exception(tmp_path: Path, read: Reader, value: Any):
    loaded = read(dump(tmp_path / "x.json", value))
    for submission in loaded.rows:
        assert submission.results is None or set(submission.results.outcomes) == set(SAMPLES)
    if not loaded.rows:
        assert loaded.problems
