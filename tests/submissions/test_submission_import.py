"""Submissions become facts: what is known stays, what is missing is filled, what contradicts is said."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_benchmark import SAMPLES

from engine.benchmarks.catalogue import Benchmark, benchmark_rows, difficulty_rows
from engine.problems import BenchCheckerError, Loaded, Problem, Severity
from engine.store.changes import apply
from engine.store.facts import (
    arrow_schema,
    column_types,
    fact_path,
    read_arrow,
    read_facts,
    table,
    write_facts,
)
from engine.store.schema import OUTCOMES, statements
from engine.submissions.importing import benchmark_samples, plan_submissions
from engine.submissions.outcomes import Place, Report, settle
from engine.submissions.submission import Results, Submission

KEY = "20250101_agent_model"


def results(*resolved: str, **listed: list[str]) -> Results:
    return settle(Report({"resolved": resolved, **listed}), SAMPLES, Place("f", KEY))[0]


def found(**fields: Any) -> Submission:
    return Submission(KEY, **{"source": "here", **fields})


def run(data: Path, benchmark: Benchmark, *submissions: Submission, replace: bool = False) -> list[Problem]:
    changes, problems = plan_submissions(data, benchmark, Loaded(submissions), "file", replace=replace)
    apply(data, changes)
    return problems


def row(data: Path) -> dict[str, Any]:
    (only,) = read_facts(data, "submission")
    return only


def outcomes(data: Path) -> list[str]:
    by_sample = {row["sample"]: row["outcome"] for row in read_facts(data, "result")}
    return [by_sample[sample] for sample in SAMPLES]


def contents(data: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(data.iterdir()) if path.suffix != ".toml"}


FULL = found(
    title="Agent + Model",
    submitted_on=date(2025, 1, 2),
    open_weights=True,
    checked=False,
    reported_rate=0.25,
    model_tags=("model-1", "model-2"),
)


def test_a_new_submission(data: Path, benchmark_small: Benchmark):
    assert run(data, benchmark_small, replace(FULL, results=results("a__x-1"))) == []
    assert row(data) == {
        "benchmark": "small",
        "submission": KEY,
        "title": "Agent + Model",
        "framework": "Agent",
        "submitted_on": date(2025, 1, 2),
        "open_weights": True,
        "open_system": None,
        "checked": False,
        "reported_rate": 0.25,
        "reported_total": 4,
        "source": "here",
        "quality": None,
        "use_results": True,
    }
    assert outcomes(data) == ["resolved", "unresolved", "unresolved", "unresolved"]
    tags = [(row["tag"], row["model"], row["evidence"]) for row in read_facts(data, "submission_model")]
    assert tags == [("model-1", None, "tag"), ("model-2", None, "tag")]


def test_a_title_and_a_day_come_from_the_key_until_a_source_says_them(data: Path, benchmark_small: Benchmark):
    run(data, benchmark_small, found(results=results("a__x-1")))
    assert (row(data)["title"], row(data)["submitted_on"]) == ("agent + model", date(2025, 1, 1))
    assert run(data, benchmark_small, FULL) == []
    assert (row(data)["title"], row(data)["submitted_on"]) == ("Agent + Model", date(2025, 1, 2))


def test_importing_twice_changes_no_byte(data: Path, benchmark_small: Benchmark):
    submission = replace(FULL, results=results("a__x-1", "q__q-1", unresolved=["z__z-1"]), notes=("a note",))
    run(data, benchmark_small, submission)
    before = contents(data)
    changes, _ = plan_submissions(data, benchmark_small, Loaded((submission,)), "file")
    assert not any(changes)
    run(data, benchmark_small, submission)
    assert contents(data) == before


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_order_of_sources_does_not_matter(data: Path, benchmark_small: Benchmark, order: tuple[int, ...]):
    first = found(results=results("a__x-1"), source="matrix")
    parts = [FULL, found(patches={"a__x-1": True, "a__x-2": False}), found(open_system=True)]
    run(data, benchmark_small, first, *(parts[index] for index in order))
    assert outcomes(data) == ["resolved", "empty_patch", "not_submitted", "not_submitted"]
    assert (row(data)["title"], row(data)["open_system"], row(data)["source"]) == (
        "Agent + Model",
        True,
        "matrix",
    )


def test_what_is_known_stays_and_the_contradiction_is_said(data: Path, benchmark_small: Benchmark):
    run(data, benchmark_small, replace(FULL, results=results("a__x-1")))
    before = contents(data)
    other = replace(FULL, title="Renamed", checked=True, results=results("a__x-1", "a__x-2"))
    problems = run(data, benchmark_small, other)
    assert contents(data) == before
    assert [(problem.severity, problem.message) for problem in problems] == [
        (Severity.WARNING, "title is 'Agent + Model' here, the file says 'Renamed'; kept"),
        (Severity.WARNING, "checked is 'False' here, the file says 'True'; kept"),
        (Severity.ERROR, "has other outcomes here for 1 samples; kept"),
    ]
    assert run(data, benchmark_small, replace(other, reported_rate=0.5), replace=True) == []
    assert (row(data)["title"], row(data)["checked"]) == ("Renamed", True)
    assert outcomes(data)[:2] == ["resolved", "resolved"]


def test_a_resolved_tag_is_never_written_again(data: Path, benchmark_small: Benchmark):
    run(data, benchmark_small, replace(FULL, results=results("a__x-1")))
    rows = read_facts(data, "submission_model")
    rows[0] |= {"model": "some-model", "evidence": "by hand"}
    rows.append(
        {"benchmark": "small", "submission": KEY, "tag": "(title)", "model": "m", "evidence": "title"}
    )
    write_facts(data, "submission_model", rows)
    before = contents(data)
    run(data, benchmark_small, replace(FULL, model_tags=("model-2", "model-1", "model-3")), replace=True)
    after = read_facts(data, "submission_model")
    assert [row for row in after if row["tag"] != "model-3"] == sorted(rows, key=lambda row: row["tag"])
    assert len(after) == 4
    assert contents(data)["result.parquet"] == before["result.parquet"]


def test_a_rate_that_the_outcomes_do_not_give(data: Path, benchmark_small: Benchmark):
    run(data, benchmark_small, found(results=results("a__x-1")))
    run(data, benchmark_small, found(reported_rate=0.75))
    assert row(data)["use_results"] is False
    assert "its outcomes give 1 of 4 (25.0%) but the leaderboard says 75.0%" in row(data)["quality"]
    assert outcomes(data)[0] == "resolved"


def test_a_decision_by_hand_stays(data: Path, benchmark_small: Benchmark):
    run(data, benchmark_small, replace(FULL, results=results("a__x-1")))
    edited = row(data) | {"use_results": False, "quality": "withdrawn by its authors"}
    write_facts(data, "submission", [edited])
    run(data, benchmark_small, replace(FULL, results=results("a__x-1"), notes=("a note",)))
    assert row(data) == edited | {"quality": "withdrawn by its authors; a note"}


def test_a_framework_named_apart_from_the_title_stays(data: Path, benchmark_small: Benchmark):
    run(data, benchmark_small, found(framework="Engine-v2", results=results("a__x-1")))
    assert row(data)["framework"] == "Engine"
    run(data, benchmark_small, FULL)
    assert row(data)["framework"] == "Engine"


def test_a_rate_or_predictions_alone_are_not_listed(data: Path, benchmark_small: Benchmark):
    rate, predictions = found(reported_rate=0.5), found(patches={"a__x-1": True})
    for submission, what in ((rate, "a rate"), (predictions, "what was submitted")):
        (problem,) = run(data, benchmark_small, submission)
        assert problem.severity is Severity.WARNING
        assert problem.message.startswith(f"the file gives {what} but not what was resolved")
        assert read_facts(data, "submission") == []


def test_an_empty_patch_counts_as_unresolved_whatever_the_report_says(data: Path, benchmark_small: Benchmark):
    patches = {"a__x-1": False, "a__x-2": True, "a__x-3": True}
    problems = run(data, benchmark_small, found(results=results("a__x-1", "a__x-2"), patches=patches))
    assert outcomes(data) == ["empty_patch", "resolved", "unresolved", "not_submitted"]
    assert "with an empty patch: a__x-1" in problems[0].message
    assert row(data)["quality"] == "reported as resolved with an empty patch, counted as unresolved: 1"


def test_predictions_of_another_run_take_nothing_away(data: Path, benchmark_small: Benchmark):
    run(data, benchmark_small, found(results=results("a__x-1", "a__x-2")))
    (problem,) = run(data, benchmark_small, found(patches={"a__x-1": True}))
    assert "1 resolved samples have no prediction" in problem.message
    assert outcomes(data) == ["resolved", "resolved", "unresolved", "unresolved"]


def test_a_report_on_as_many_samples_as_another_benchmark_has(data: Path, benchmark_small: Benchmark):
    report = Report({"resolved": ["a__x-1"]}, total=3)
    wrong = found(results=settle(report, SAMPLES, Place("f", KEY))[0])
    (problem,) = run(data, benchmark_small, wrong)
    assert problem.severity is Severity.ERROR
    assert "--benchmark other" in problem.remedy
    assert read_facts(data, "submission") == []


def test_other_benchmarks_keep_their_rows(data: Path, benchmark_small: Benchmark):
    other = {"benchmark": "other", "submission": KEY, "title": "x", "source": "y", "use_results": True}
    tag = {"benchmark": "other", "submission": KEY, "tag": "t", "evidence": "tag"}
    outcome = {"benchmark": "other", "submission": KEY, "sample": "c__z-8", "outcome": "resolved"}
    write_facts(data, "submission", [other])
    write_facts(data, "submission_model", [tag])
    write_facts(data, "result", [outcome])
    run(data, benchmark_small, replace(FULL, results=results("a__x-1")))
    assert len(read_facts(data, "submission")) == 2
    assert len(read_facts(data, "submission_model")) == 3
    assert outcome in read_facts(data, "result")


@pytest.mark.parametrize("lost", ["submission_model", "result", "outside_result"])
def test_an_import_killed_between_two_files_is_completed_by_the_next(
    data: Path, benchmark_small: Benchmark, lost: str
):
    submission = replace(FULL, results=results("a__x-1", "q__q-1"))
    run(data, benchmark_small, submission)
    before = contents(data)
    for name in ("submission_model", "result", "outside_result"):
        # What comes after the kill was not written either.
        if name == lost or fact_path(data, lost).exists() is False:
            fact_path(data, name).unlink()
    assert run(data, benchmark_small, submission) == []
    assert contents(data) == before


def test_the_facts_satisfy_the_schema(data: Path, benchmark_small: Benchmark):
    run(
        data, benchmark_small, replace(FULL, results=results("a__x-1", "q__q-1", "=cmd|'x'!A1"), notes=("n",))
    )
    connection = duckdb.connect()
    for statement in statements():
        connection.execute(statement)
    own = {"benchmark": benchmark_rows(data), "difficulty": difficulty_rows(data)}
    for name in ("benchmark", "difficulty", "repository", "sample", "membership", "submission"):
        _insert(connection, data, name, own.get(name))
    for name in ("submission_model", "result", "outside_result"):
        _insert(connection, data, name, None)
    count = connection.execute("SELECT count(*) FROM result WHERE outcome = 'resolved'").fetchone()
    assert count == (1,)
    assert connection.execute("SELECT count(*) FROM outside_result").fetchone() == (2,)


def _insert(connection: duckdb.DuckDBPyConnection, data: Path, name: str, rows: list[dict[str, Any]] | None):
    import pyarrow as pa

    schema = arrow_schema(table(name))
    arrow = read_arrow(data, name) if rows is None else pa.Table.from_pylist(rows, schema=schema)
    connection.register("source", arrow)
    columns = ", ".join(column_types(table(name)))
    connection.execute(f"INSERT INTO {name} ({columns}) SELECT {columns} FROM source")
    connection.unregister("source")


def test_without_all_samples_nothing_is_imported(data: Path, benchmark_small: Benchmark):
    assert benchmark_samples(data, benchmark_small) == set(SAMPLES)
    rows = [row for row in read_facts(data, "membership") if row["sample"] != "a__x-2"]
    write_facts(data, "membership", rows)
    with pytest.raises(BenchCheckerError, match="has 4 samples, 3 are known"):
        benchmark_samples(data, benchmark_small)


parts = st.builds(
    Results,
    st.tuples(*[st.sampled_from(OUTCOMES)] * len(SAMPLES)).map(
        lambda drawn: dict(zip(SAMPLES, drawn, strict=True))
    ),
    st.sampled_from([(), ("q__q-1",)]),
    st.sampled_from([None, 4, 5]),
)
sources = st.builds(
    Submission,
    st.sampled_from([KEY, "20250102_b"]),
    st.sampled_from(["one", "two"]),
    title=st.sampled_from([None, "Agent + A", "Agent + B"]),
    checked=st.sampled_from([None, True, False]),
    reported_rate=st.sampled_from([None, 0.5, 0.25]),
    model_tags=st.sampled_from([(), ("m",), ("n", "m")]),
    results=st.none() | parts,
    patches=st.none() | st.dictionaries(st.sampled_from(SAMPLES), st.booleans()),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(st.lists(sources, max_size=5))
def test_any_sequence_leaves_whole_facts_and_the_last_import_repeats_without_change(
    data: Path, benchmark_small: Benchmark, sequence: list[Submission]
):
    for name in ("submission", "submission_model", "result", "outside_result"):
        write_facts(data, name, [])
    for submission in sequence:
        run(data, benchmark_small, submission)
    keys = {row["submission"] for row in read_facts(data, "submission")}
    assert keys == {submission.submission for submission in sequence if submission.results} & keys
    rows = read_facts(data, "result")
    assert {(row["submission"], row["sample"]) for row in rows} == set(itertools.product(keys, SAMPLES))
    before = contents(data)
    for submission in sequence[-1:]:
        run(data, benchmark_small, submission)
    assert contents(data) == before


def test_patches_of_a_contradicting_run_change_nothing(data: Path, benchmark_small: Benchmark):
    run(data, benchmark_small, found(results=results("a__x-1", "b__y-4")))
    before = contents(data)
    other = found(results=results("b__y-4", "q__q-1"), patches={"a__x-1": False})
    for _ in range(2):
        problems = run(data, benchmark_small, other)
        assert "has other outcomes here for 1 samples; kept" in [problem.message for problem in problems]
        assert contents(data) == before


def test_a_report_at_odds_with_its_own_patches_can_be_imported_twice(data: Path, benchmark_small: Benchmark):
    patches = {sample: sample != "a__x-1" for sample in SAMPLES}
    broken = found(results=results("a__x-1", "a__x-2"), patches=patches)
    first = run(data, benchmark_small, broken)
    before = contents(data)
    assert run(data, benchmark_small, broken) == first
    assert contents(data) == before
