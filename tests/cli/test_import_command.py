"""`benchchecker import`, as it is typed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from engine.cli.app import build_app, main
from engine.store.facts import read_facts
from engine.store.provenance import read_runs

CATALOGUE = """
[[benchmark]]
benchmark = "small"
title = "Small"
language = "python"
size = 2
difficulties = []
"""
PATCH = "diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "benchmark.toml").write_text(CATALOGUE)
    return folder


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    path = tmp_path / "samples.jsonl"
    records = [{"instance_id": f"o__n-{number}", "repo": "o/n", "patch": PATCH} for number in (1, 2)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "20250101_agent_model.json"
    path.write_text('{"resolved": ["O/n:pr-1", "q__q-1"]}')
    return path


def call(kind: str, data: Path, *arguments: str | Path) -> Result:
    words = ["import", kind, *map(str, arguments), "--benchmark", "small", "--data", str(data)]
    return CliRunner().invoke(build_app(), words)


def contents(data: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(data.iterdir())}


def test_samples_then_submissions_then_the_same_again(data: Path, samples: Path, report: Path):
    assert "sample: 2 rows, 2 added, 0 changed, 0 removed" in call("samples", data, samples).output
    result = call("submissions", data, report, "--source", "somewhere@abc")
    assert result.exit_code == 0
    assert "result: 2 rows, 2 added" in result.output
    assert "reported as resolved outside the benchmark, not counted: 1" in result.output
    assert "left out: 0, warnings: 1" in result.output
    assert [row["reported_id"] for row in read_facts(data, "outside_result")] == ["q__q-1"]
    assert read_facts(data, "submission")[0]["source"] == "somewhere@abc"
    before = contents(data)
    assert call("samples", data, samples).exit_code == 0
    assert "0 added, 0 changed, 0 removed" in call("submissions", data, report).output
    assert contents(data) == before


def test_runs_are_recorded_without_paths_of_this_machine(
    data: Path, samples: Path, report: Path, tmp_path: Path
):
    call("samples", data, samples, "--source", "rev 1")
    call("submissions", data, report)
    runs = read_runs(data)
    assert [run["command"] for run in runs] == [
        "import samples samples.jsonl --benchmark small",
        "import submissions 20250101_agent_model.json --benchmark small",
    ]
    assert runs[0]["configuration"]["source"] == "rev 1"
    assert set(runs[0]["inputs"]) == {"samples.jsonl"}
    assert set(runs[1]["outputs"]) == {
        "submission.csv",
        "submission_model.csv",
        "result.parquet",
        "outside_result.csv",
    }
    assert str(tmp_path) not in (data / "run.jsonl").read_text()


def test_a_dry_run_shows_the_changes_and_makes_none(data: Path, samples: Path, report: Path):
    before = contents(data)
    result = call("samples", data, samples, "--dry-run")
    assert "+ sample o__n-1" in result.output
    assert "nothing was written" in result.output
    assert contents(data) == before
    call("samples", data, samples)
    call("submissions", data, report)
    before = contents(data)
    report.write_text('{"resolved": ["o__n-2"]}')
    result = call("submissions", data, report, "--replace", "--dry-run")
    assert "~ result small 20250101_agent_model o__n-1: outcome 'resolved' → 'unresolved'" in result.output
    assert "- outside_result small 20250101_agent_model q__q-1" in result.output
    assert contents(data) == before


def test_strict_changes_nothing_if_anything_is_left_out(
    data: Path, samples: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    with samples.open("a") as stream:
        stream.write('{"instance_id": "o__n-3", "repo": "other/n"}\n{"instance_id": "o__n-')
    before = contents(data)
    words = ["import", "samples", str(samples), "--benchmark", "small", "--data", str(data), "--strict"]
    monkeypatch.setattr(sys, "argv", ["benchchecker", *words])
    with pytest.raises(SystemExit) as exit_info:
        main()
    assert exit_info.value.code == 1
    error = capsys.readouterr().err
    assert "samples.jsonl:3: error: o__n-3: the record names repository 'other/n'" in error
    assert "samples.jsonl:4: error: the JSON ends in the middle" in error
    assert "Traceback" not in error
    assert contents(data) == before
    assert call("samples", data, samples).exit_code == 0
    assert len(read_facts(data, "sample")) == 2


@pytest.mark.parametrize(
    ("kind", "message"),
    [("samples", "nothing could be read"), ("submissions", "run `benchchecker import samples` first")],
)
def test_what_cannot_work_says_why(data: Path, tmp_path: Path, kind: str, message: str):
    result = call(kind, data, tmp_path / "nowhere.json")
    assert result.exit_code != 0
    assert message in str(result.exception)


def test_one_key_cannot_name_two_submissions(data: Path, samples: Path, tmp_path: Path):
    call("samples", data, samples)
    path = tmp_path / "matrix.jsonl"
    rows = [{"subject_id": name, "responses": {"o__n-1": 1}} for name in ("a", "b")]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = call("submissions", data, path, "--submission", "c")
    assert "2 were read" in str(result.exception)
    assert read_facts(data, "submission") == []


def test_many_problems_are_counted(data: Path, samples: Path):
    with samples.open("a") as stream:
        stream.write("[]\n" * 60)
    result = call("samples", data, samples)
    assert "… and 10 more" in result.output
    assert "left out: 60, warnings: 0" in result.output
