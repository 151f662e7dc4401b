from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tiny_facts import HEAD, row
from typer.testing import CliRunner

from engine.cli.app import build_app
from engine.problems import Problem
from engine.store.build import build_database
from engine.store.checks import CHECKS
from engine.store.doctor import examine
from engine.store.facts import read_facts, table, write_facts
from engine.store.provenance import record_run


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "b.duckdb"


def findings(data: Path, database: Path) -> list[Problem]:
    """Findings after the change was recorded and built, so that only broken rules are left."""
    changed = [path for path in data.iterdir() if path.suffix in (".csv", ".parquet")]
    record_run(data, "changed in a test", {}, {}, changed)
    build_database(data, database)
    return list(examine(data, database))


def change(data: Path, name: str, where: Callable[[dict[str, Any]], bool], **values: Any) -> None:
    """Overwrite columns of the rows of a fact file that meet a condition."""
    rows = read_facts(data, name)
    assert any(where(entry) for entry in rows)
    write_facts(data, name, [entry | values if where(entry) else entry for entry in rows])


def remove(data: Path, name: str, where: Callable[[dict[str, Any]], bool]) -> None:
    rows = read_facts(data, name)
    assert any(where(entry) for entry in rows)
    write_facts(data, name, [entry for entry in rows if not where(entry)])


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_nothing_is_found_where_all_is_well(tiny_data: Path, database: Path) -> None:
    assert findings(tiny_data, database) == []


def is_sample(sample: str) -> Callable[[dict[str, Any]], bool]:
    return lambda entry: entry["sample"] == sample


def is_submission(submission: str) -> Callable[[dict[str, Any]], bool]:
    return lambda entry: entry["submission"] == submission


def add_blocks(data: Path) -> None:
    block = row(
        "block_presence",
        detector="paper",
        sample="a__one-1",
        valid_from=date(2020, 5, 1),
        block=0,
        scope="f",
        score=0.4,
        method="lines",
    )
    write_facts(data, "block_presence", [block, block | {"block": 1, "score": 0.6}])


BREAKAGES: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "a benchmark has as many samples as its size": (
        lambda data: edit(data / "benchmark.toml", "size = 6", "size = 7"),
        "tiny",
        "6 samples, its size is 7",
    ),
    "a sample has a level of difficulty where its benchmark has levels for others": (
        lambda data: change(data, "membership", is_sample("a__one-1"), difficulty=None),
        "tiny",
        "1 samples have no difficulty",
    ),
    "usable results cover every sample of the benchmark once": (
        lambda data: remove(
            data, "result", lambda entry: entry["submission"] == "sub-a" and entry["outcome"] == "unresolved"
        ),
        "tiny sub-a",
        "3 of 6 samples have an outcome",
    ),
    "the reported rate is the one that follows from the results": (
        lambda data: change(data, "submission", is_submission("sub-b"), reported_rate=0.84),
        "tiny sub-b",
        "reports 0.84, its results give 5 of 6",
    ),
    "unusable results say why": (
        lambda data: change(data, "submission", is_submission("sub-d"), quality=None),
        "tiny sub-d",
        "without a reason",
    ),
    "one detector is the default": (
        lambda data: edit(data / "detector.toml", "is_default = true", "is_default = false"),
        "none",
        "marked as default",
    ),
    "a fix landed within the history that was read": (
        lambda data: change(
            data, "repository", lambda entry: entry["repository"] == "a/one", first_day=date(2021, 1, 1)
        ),
        "a__one-1",
        "landed on 2020-05-01, the history of a/one was read from 2021-01-01",
    ),
    "a repository with landed fixes has a history": (
        lambda data: change(
            data, "repository", lambda entry: entry["repository"] == "b/two", head_commit=None
        ),
        "b/two",
        "was not read",
    ),
    "a cutoff lies before the release, and not years before it": (
        lambda data: edit(data / "model.toml", "cutoff = 2025-03-31", "cutoff = 2021-03-31"),
        "new",
        "its cutoff is 2021-03-31",
    ),
    "a submission is not older than its models": (
        lambda data: change(data, "submission", is_submission("sub-a"), submitted_on=date(2023, 1, 1)),
        "tiny sub-a",
        "is of 2023-01-01, its model old of 2024-03-31",
    ),
    "intervals follow one another without gap or overlap": (
        lambda data: change(
            data,
            "presence",
            lambda entry: entry["valid_to"] == date(2024, 5, 31),
            valid_to=date(2024, 5, 30),
        ),
        "paper a__one-2",
        "the interval after 2024-05-30 begins on 2024-06-01",
    ),
    "intervals begin when the fix landed and reach the end of the history": (
        lambda data: change(data, "presence", is_sample("a__one-3"), valid_to=HEAD - timedelta(days=1)),
        "paper a__one-3",
        "to 2025-06-29; the fix landed on 2024-02-01, the history ends on 2025-06-30",
    ),
    "a detector that judged any sample with a patch judged all of them": (
        lambda data: change(data, "sample", is_sample("b__two-3"), patch_sha256="0" * 64),
        "paper b__two-3",
        "is not judged",
    ),
    "a sample's score lies within those of its blocks": (
        add_blocks,
        "paper a__one-1 2020-05-01",
        "scores 1.0, its blocks 0.4 to 0.6",
    ),
}


def test_every_rule_has_a_breakage() -> None:
    assert set(BREAKAGES) == {check.rule for check in CHECKS}


@pytest.mark.parametrize("rule", BREAKAGES)
def test_a_broken_rule_is_found_alone_with_its_subject(tiny_data: Path, database: Path, rule: str) -> None:
    damage, subject, message = BREAKAGES[rule]
    damage(tiny_data)
    check = next(check for check in CHECKS if check.rule == rule)
    # A submission older than its model has a cutoff after it too: other findings are of no concern here.
    found = [problem for problem in findings(tiny_data, database) if problem.remedy == check.remedy]
    assert [problem.subject for problem in found] == [subject]
    assert message in found[0].message
    assert found[0].file == check.file


def test_an_overlap_of_intervals_is_found(tiny_data: Path, database: Path) -> None:
    change(
        tiny_data,
        "presence",
        lambda entry: entry["valid_to"] == date(2024, 5, 31),
        valid_to=date(2024, 6, 1),
    )
    (problem,) = findings(tiny_data, database)
    assert "begins on 2024-06-01" in problem.message


def test_a_late_first_interval_is_found(tiny_data: Path, database: Path) -> None:
    change(tiny_data, "presence", is_sample("a__one-3"), valid_from=date(2024, 2, 2))
    (problem,) = findings(tiny_data, database)
    assert "judged from 2024-02-02" in problem.message


def test_reported_totals_other_than_the_size_are_allowed_for(tiny_data: Path, database: Path) -> None:
    change(tiny_data, "submission", is_submission("sub-b"), reported_rate=1.0, reported_total=5)
    assert findings(tiny_data, database) == []


def test_facts_that_break_a_constraint_are_reported_alone(tiny_data: Path, database: Path) -> None:
    change(tiny_data, "membership", is_sample("a__one-1"), sample="nobody__knows-1")
    found = examine(tiny_data, database)
    assert [problem.file for problem in found] == ["membership.csv"]
    assert "nobody__knows-1" in found[0].subject


def test_facts_that_cannot_be_read_are_reported(tiny_data: Path, database: Path) -> None:
    (tiny_data / "sample.csv").write_text("what\n", encoding="utf-8")
    (problem,) = examine(tiny_data, database)
    assert "sample.csv: columns are" in problem.message


def test_a_missing_folder_is_reported(tmp_path: Path, database: Path) -> None:
    (problem,) = examine(tmp_path / "nowhere", database)
    assert "--data" in problem.remedy


def test_a_file_changed_by_hand_is_found(tiny_data: Path, database: Path) -> None:
    change(tiny_data, "sample", is_sample("a__one-1"), title="Edited")
    build_database(tiny_data, database)
    (problem,) = examine(tiny_data, database)
    assert problem.file == "sample.csv"
    assert "run.jsonl" in problem.message


def test_a_file_that_went_back_to_an_older_state_is_found(tiny_data: Path, database: Path) -> None:
    path = tiny_data / "sample.csv"
    before = path.read_bytes()
    change(tiny_data, "sample", is_sample("a__one-1"), title="Edited")
    record_run(tiny_data, "edited", {}, {}, [path])
    path.write_bytes(before)
    build_database(tiny_data, database)
    assert [problem.file for problem in examine(tiny_data, database)] == ["sample.csv"]


def test_a_file_without_a_run_and_a_run_without_its_file_are_found(tiny_data: Path, database: Path) -> None:
    write_facts(tiny_data, "outside_result", [])
    (tiny_data / "paper").mkdir()
    extra = tiny_data / "paper" / "table.csv"
    extra.write_text("x\n", encoding="utf-8")
    record_run(tiny_data, "printed", {}, {}, [extra])
    extra.unlink()
    build_database(tiny_data, database)
    found = {problem.file: problem.message for problem in examine(tiny_data, database)}
    assert set(found) == {"outside_result.csv", "paper/table.csv"}
    assert "no run" in found["outside_result.csv"]
    assert "is missing" in found["paper/table.csv"]


def test_what_a_killed_command_left_is_found(tiny_data: Path, database: Path) -> None:
    build_database(tiny_data, database)
    (tiny_data / ".sample.csv.123.tmp").write_bytes(b"")
    (problem,) = examine(tiny_data, database)
    assert problem.file == ".sample.csv.123.tmp"
    assert problem.remedy == "delete it"


def test_a_missing_or_stale_database_is_found(tiny_data: Path, database: Path) -> None:
    (missing,) = examine(tiny_data, database)
    assert "there is no database" in missing.message
    build_database(tiny_data, database)
    rows = [row("outside_result", benchmark="tiny", submission="sub-a", reported_id="x")]
    record_run(tiny_data, "new", {}, {}, [write_facts(tiny_data, "outside_result", rows)])
    (stale,) = examine(tiny_data, database)
    assert "other facts" in stale.message
    assert "benchchecker build" in stale.remedy


def test_a_database_that_was_tampered_with_is_found(tiny_data: Path, database: Path) -> None:
    build_database(tiny_data, database)
    with duckdb.connect(database) as connection:
        connection.execute("UPDATE result SET outcome = 'resolved' WHERE submission = 'sub-c'")
    (problem,) = examine(tiny_data, database)
    assert "its table result does not hold the rows of result.parquet" in problem.message
    assert "--force" in problem.remedy


def test_the_command_fails_on_findings_and_shows_a_few_of_each_kind(tiny_data: Path, database: Path) -> None:
    arguments = ["doctor", "--data", str(tiny_data), "--database", str(database)]
    build_database(tiny_data, database)
    good = CliRunner().invoke(build_app(), arguments)
    assert good.exit_code == 0
    assert "nothing found" in good.output
    blocks = [
        row(
            "block_presence",
            detector="paper",
            sample=found["sample"],
            valid_from=found["valid_from"],
            block=0,
            scope="f",
            score=0.01,
            method="lines",
        )
        for found in read_facts(tiny_data, "presence")
    ]
    write_facts(tiny_data, "block_presence", blocks)
    bad = CliRunner().invoke(build_app(), arguments)
    assert bad.exit_code == 1
    assert bad.output.count("its blocks") == len(blocks)
    assert f"{len(blocks) + 2} findings" in bad.output


def test_the_build_command_reports_what_it_did(tiny_data: Path, database: Path) -> None:
    arguments = ["build", "--data", str(tiny_data), "--database", str(database)]
    first = CliRunner().invoke(build_app(), arguments)
    assert first.exit_code == 0
    assert f"{table('result').name}: 30 rows" in first.output
    assert "already holds these facts" in CliRunner().invoke(build_app(), arguments).output
    assert "result: 30 rows" in CliRunner().invoke(build_app(), [*arguments, "--force"]).output
