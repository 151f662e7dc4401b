from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.problems import BenchCheckerError
from engine.store.provenance import data_sha256, fact_digests, file_sha256, read_runs, record_run


@pytest.fixture
def output(tmp_path: Path) -> Path:
    path = tmp_path / "data" / "sample.csv"
    path.parent.mkdir()
    path.write_text("a\n", encoding="utf-8")
    return path


def test_a_run_records_hashes_versions_and_times(output: Path, tmp_path: Path) -> None:
    source = tmp_path / "source.json"
    source.write_bytes(b"{}")
    started = datetime.now(UTC) - timedelta(minutes=5)
    run = record_run(
        output.parent,
        "import samples",
        {"benchmark": "tiny"},
        {"source.json": source, "repository": "0123abc"},
        [output],
        started_at=started,
    )
    (found,) = read_runs(output.parent)
    assert found["run"] == run
    assert found["command"] == "import samples"
    assert found["configuration"] == {"benchmark": "tiny"}
    assert found["inputs"] == {
        "source.json": hashlib.sha256(b"{}").hexdigest(),
        "repository": "0123abc",
    }
    assert found["outputs"] == {"sample.csv": hashlib.sha256(b"a\n").hexdigest()}
    assert found["started_at"] == started.replace(microsecond=0)
    assert found["finished_at"].tzinfo is not None
    assert {"python", "duckdb"} <= found["versions"].keys()


def test_the_same_run_again_changes_nothing(output: Path) -> None:
    first = record_run(output.parent, "make", {"a": 1}, {}, [output])
    before = (output.parent / "run.jsonl").read_bytes()
    assert record_run(output.parent, "make", {"a": 1}, {}, [output]) == first
    assert (output.parent / "run.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("command", "configuration", "inputs", "content"),
    [
        ("other", {"a": 1}, {}, "a\n"),
        ("make", {"a": 2}, {}, "a\n"),
        ("make", {"a": 1}, {"x": "1"}, "a\n"),
        ("make", {"a": 1}, {}, "b\n"),
    ],
)
def test_another_run_is_appended(
    output: Path, command: str, configuration: dict[str, int], inputs: dict[str, str], content: str
) -> None:
    first = record_run(output.parent, "make", {"a": 1}, {}, [output])
    output.write_text(content, encoding="utf-8")
    second = record_run(output.parent, command, configuration, inputs, [output])
    assert [run["run"] for run in read_runs(output.parent)] == [first, second]
    assert first != second


def test_a_file_in_a_folder_keeps_its_folder(output: Path) -> None:
    nested = output.parent / "paper" / "table.csv"
    nested.parent.mkdir()
    nested.write_bytes(b"x")
    record_run(output.parent, "make", {}, {}, [nested])
    assert list(read_runs(output.parent)[0]["outputs"]) == ["paper/table.csv"]


def test_runs_of_several_processes_are_all_kept(output: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from engine.store.provenance import record_run\n"
        "for n in range(5): record_run(Path(sys.argv[1]), 'make', {'n': n, 'who': sys.argv[2]}, {}, [])\n"
    )
    workers = [
        subprocess.Popen([sys.executable, "-c", script, str(output.parent), name]) for name in ("a", "b")
    ]
    assert [worker.wait() for worker in workers] == [0, 0]
    assert len(read_runs(output.parent)) == 10


@pytest.mark.parametrize("line", ["{", "[]", '{"run": "x"}', "3", '{"run": "x", "started_at": "yesterday"}'])
def test_a_bad_line_is_named(output: Path, line: str) -> None:
    record_run(output.parent, "make", {}, {}, [output])
    path = output.parent / "run.jsonl"
    path.write_text(path.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    with pytest.raises(BenchCheckerError, match=r"run\.jsonl:2"):
        read_runs(output.parent)


def test_each_line_is_one_json_object(output: Path) -> None:
    record_run(output.parent, "line\u2028separator\nand break", {}, {}, [output])
    lines = (output.parent / "run.jsonl").read_bytes().split(b"\n")
    assert lines[-1] == b""
    assert [json.loads(line)["command"] for line in lines[:-1]] == ["line\u2028separator\nand break"]


def test_the_digest_of_the_facts_depends_on_names_and_contents(tiny_data: Path) -> None:
    first = data_sha256(tiny_data)
    assert fact_digests(tiny_data)["sample.csv"] == file_sha256(tiny_data / "sample.csv")
    (tiny_data / "notes.txt").write_text("not a fact", encoding="utf-8")
    assert data_sha256(tiny_data) == first
    (tiny_data / "sample.csv").rename(tiny_data / "landing.csv")
    assert data_sha256(tiny_data) != first
