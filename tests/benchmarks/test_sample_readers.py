"""Samples are read from every copy of a data set that people have."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.benchmarks.catalogue import Benchmark, Difficulty
from engine.benchmarks.hub import dataset_records
from engine.benchmarks.readers import read_samples
from engine.benchmarks.sample import Sample
from engine.problems import BenchCheckerError, InvalidInputError, Loaded, Severity

TINY = Benchmark(
    "tiny",
    "Tiny",
    "python",
    3,
    (Difficulty("lt15m", "< 15 min", ("<15 min fix",)), Difficulty("hard", "Hard")),
    dataset="owner/tiny",
    revision="0123abc",
)
PATCH = "diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n"


def record(**fields: Any) -> dict[str, Any]:
    """A record of SWE-bench."""
    return {
        "instance_id": "owner__name-7",
        "repo": "owner/name",
        "base_commit": "a" * 40,
        "patch": PATCH,
        "test_patch": PATCH,
        "problem_statement": "It breaks.",
        "created_at": "2022-03-03T15:14:54Z",
        "version": "4.3",
        "hints_text": "",
        "FAIL_TO_PASS": '["t::a", "t::b"]',
        "PASS_TO_PASS": [],
        "difficulty": "<15 min fix",
        **fields,
    }


def upstream(**fields: Any) -> dict[str, Any]:
    """A record of Multi-SWE-bench as published."""
    return {
        "org": "FasterXML",
        "repo": "jackson-core",
        "number": 1204,
        "state": "closed",
        "title": "A title",
        "body": "A body",
        "base": {"label": "FasterXML:2.17", "ref": "2.17", "sha": "b" * 40},
        "resolved_issues": [
            {"number": 1, "title": "First", "body": "broken"},
            {"number": 2, "title": "Second", "body": None},
        ],
        "fix_patch": PATCH,
        "test_patch": PATCH,
        "f2p_tests": {"t.A": {"run": "FAIL", "fix": "PASS"}},
        "p2p_tests": {},
        "run_result": {"passed_count": 1},
        "instance_id": "fasterxml__jackson-core-1204",
        **fields,
    }


def write(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def only(loaded: Loaded[Sample]) -> Sample:
    assert [str(problem) for problem in loaded.errors] == []
    (sample,) = loaded.rows
    return sample


def test_a_swe_bench_record(tmp_path: Path):
    sample = only(read_samples(write(tmp_path / "a.jsonl", record()), TINY))
    assert sample == Sample(
        sample="owner__name-7",
        repository="owner/name",
        number=7,
        base_commit="a" * 40,
        created_at=datetime(2022, 3, 3, 15, 14, 54, tzinfo=UTC),
        difficulty="lt15m",
        patch=PATCH,
        test_patch=PATCH,
        problem_statement="It breaks.",
        fail_to_pass=("t::a", "t::b"),
        pass_to_pass=(),
        extra={"version": "4.3", "hints_text": ""},
    )


def test_every_container_gives_the_same_samples(tmp_path: Path):
    records = [record(), record(instance_id="owner__name-8", FAIL_TO_PASS="[]")]
    write(tmp_path / "a.jsonl", *records)
    (tmp_path / "a.json").write_text(json.dumps(records), encoding="utf-8")
    (tmp_path / "map.json").write_text(
        json.dumps({entry.pop("instance_id"): entry for entry in [dict(entry) for entry in records]})
    )
    pq.write_table(
        pa.Table.from_pylist([entry | {"PASS_TO_PASS": "[]"} for entry in records]), tmp_path / "a.parquet"
    )
    expected = read_samples(tmp_path / "a.jsonl", TINY).rows
    assert [sample.sample for sample in expected] == ["owner__name-7", "owner__name-8"]
    for name in ("a.json", "map.json", "a.parquet"):
        assert read_samples(tmp_path / name, TINY) == Loaded(expected)


def test_an_upstream_multi_swe_bench_record(tmp_path: Path):
    sample = only(read_samples(write(tmp_path / "a.jsonl", upstream()), TINY))
    assert (sample.sample, sample.repository, sample.number) == (
        "fasterxml__jackson-core-1204",
        "fasterxml/jackson-core",
        1204,
    )
    assert sample.base_commit == "b" * 40
    assert sample.problem_statement == "First\nbroken\n\nSecond"
    assert sample.fail_to_pass == ("t.A",)
    assert sample.created_at is None
    # Test logs are megabytes upstream: only plain fields are kept.
    assert sample.extra == {"state": "closed", "title": "A title", "body": "A body"}


def test_a_flattened_multi_swe_bench_record(tmp_path: Path):
    flat = upstream(
        base_sha="c" * 40,
        pr_head_date="2023-03-16T15:39:28+08:00",
        problem_statement=None,
        resolved_issues=None,
        difficulty_max="lt15m",
        difficulty_paperfit="hard",
        landed_commit="d" * 40,
        landed_date="2022-01-02T16:41:44-08:00",
        landed_kind="squash",
        gold_patch_fails_issue57=True,
        duplicate_group_issue84="g1",
    )
    sample = only(read_samples(write(tmp_path / "a.jsonl", flat), TINY))
    assert sample.base_commit == "c" * 40
    assert sample.created_at == datetime(2023, 3, 16, 7, 39, 28, tzinfo=UTC)
    assert sample.landed_at == datetime(2022, 1, 3, 0, 41, 44, tzinfo=UTC)
    assert (sample.landed_commit, sample.difficulty) == ("d" * 40, "hard")
    assert (sample.gold_fails_own_tests, sample.duplicate_group) == (True, "g1")
    assert sample.problem_statement is None
    assert sample.extra["landed_kind"] == "squash"


def test_an_index_of_ids(tmp_path: Path):
    path = tmp_path / "index.json"
    path.write_text('{"apache__dubbo-10638": {"repository": "apache/dubbo", "time": "2022-09-19"}}')
    sample = only(read_samples(path, TINY))
    assert sample == Sample(
        "apache__dubbo-10638", "apache/dubbo", 10638, created_at=datetime(2022, 9, 19, tzinfo=UTC)
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2022-03-03", datetime(2022, 3, 3, tzinfo=UTC)),
        ("2022-03-03 10:00:00", datetime(2022, 3, 3, 10, tzinfo=UTC)),
        ("", None),
        (None, None),
    ],
)
def test_dates(tmp_path: Path, value: str | None, expected: datetime | None):
    assert (
        only(read_samples(write(tmp_path / "a.jsonl", record(created_at=value)), TINY)).created_at == expected
    )


def test_dates_of_parquet(tmp_path: Path):
    for value in (datetime(2022, 3, 3, 4, tzinfo=UTC), date(2022, 3, 3)):
        rows = [record(created_at=value, PASS_TO_PASS="[]")]
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
        assert only(read_samples(tmp_path / "a.parquet", TINY)).created_at == datetime(
            2022, 3, 3, getattr(value, "hour", 0), tzinfo=UTC
        )


@pytest.mark.parametrize("text", ["diff\r\n+a\r\n", "caf\u00e9 \u2028 \x0c", "\ufeff", ""])
def test_texts_are_kept_to_the_byte(tmp_path: Path, text: str):
    sample = only(read_samples(write(tmp_path / "a.jsonl", record(patch=text, problem_statement=text)), TINY))
    assert (sample.patch, sample.problem_statement) == (text, text)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"instance_id": "nonsense"}, "not a sample's id"),
        ({"instance_id": None}, "instance_id: "),
        ({"repo": "other/name"}, "names repository 'other/name'"),
        ({"base_commit": "main; rm -rf"}, "base_commit: "),
        ({"patch": 5}, "patch: "),
        ({"patch": "\ud800"}, "patch: "),
        ({"created_at": "yesterday"}, "created_at: "),
        ({"created_at": 1646320494}, "created_at: "),
        ({"FAIL_TO_PASS": "[unclosed"}, "FAIL_TO_PASS: "),
        ({"FAIL_TO_PASS": [1]}, "FAIL_TO_PASS.0: "),
    ],
)
def test_a_bad_record_is_named_and_the_others_are_read(tmp_path: Path, fields: dict[str, Any], message: str):
    path = write(tmp_path / "a.jsonl", record(instance_id="owner__name-8"), record(**fields))
    loaded = read_samples(path, TINY)
    assert [sample.sample for sample in loaded.rows] == ["owner__name-8"]
    (problem,) = loaded.problems
    assert (problem.file, problem.line, problem.severity) == (str(path), 2, Severity.ERROR)
    assert message in problem.message
    assert problem.remedy
    with pytest.raises(InvalidInputError, match=r"a\.jsonl:2"):
        read_samples(path, TINY, strict=True)


def test_an_id_that_contradicts_its_parts(tmp_path: Path):
    path = write(tmp_path / "a.jsonl", upstream(instance_id="fasterxml__jackson-core-1"))
    (problem,) = read_samples(path, TINY).errors
    assert "org, repo and number say 'fasterxml__jackson-core-1204'" in problem.message


def test_an_unknown_difficulty_is_said_and_the_sample_kept(tmp_path: Path):
    loaded = read_samples(write(tmp_path / "a.jsonl", record(difficulty="a while")), TINY)
    assert loaded.rows[0].difficulty is None
    assert [(problem.severity, problem.subject) for problem in loaded.problems] == [
        (Severity.WARNING, "owner__name-7")
    ]


def test_the_same_sample_twice(tmp_path: Path):
    loaded = read_samples(write(tmp_path / "a.jsonl", record(), record(instance_id="Owner/name:pr-7")), TINY)
    assert len(loaded.rows) == 1
    assert [(problem.severity, problem.line) for problem in loaded.problems] == [(Severity.WARNING, 2)]
    loaded = read_samples(write(tmp_path / "a.jsonl", record(), record(base_commit="b" * 40)), TINY)
    assert loaded.rows[0].base_commit == "a" * 40
    assert "different contents" in loaded.errors[0].message


def test_a_missing_file_is_a_problem(tmp_path: Path):
    assert "no such file" in read_samples(tmp_path / "none.jsonl", TINY).errors[0].message


def test_a_data_set_needs_a_revision():
    with pytest.raises(BenchCheckerError, match=r"owner/other@<commit>"):
        read_samples("owner/other", TINY)


def test_a_data_set_is_read_at_its_revision(monkeypatch: pytest.MonkeyPatch):
    asked = []

    def fetch(name: str, revision: str):
        from engine.reading import Record

        asked.append((name, revision))
        yield Record(record())

    monkeypatch.setattr("engine.benchmarks.readers.dataset_records", fetch)
    for source in ("owner/tiny", "Owner/Tiny", "owner/tiny@fff", "owner/v1.5@refs/pr/3"):
        assert only(read_samples(source, TINY)).sample == "owner__name-7"
    assert asked == [
        ("owner/tiny", "0123abc"),
        ("Owner/Tiny", "0123abc"),
        ("owner/tiny", "fff"),
        ("owner/v1.5", "refs/pr/3"),
    ]


def test_the_datasets_library_reads_a_data_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("datasets")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "owner" / "tiny").mkdir(parents=True)
    write(tmp_path / "owner" / "tiny" / "test.jsonl", record(PASS_TO_PASS="[]"))
    (found,) = dataset_records("./owner/tiny", "main")
    assert found.value["instance_id"] == "owner__name-7"
    with pytest.raises(BenchCheckerError, match="cannot be fetched"):
        list(dataset_records("./owner/nowhere", "main"))


def test_without_the_datasets_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "datasets", None)
    with pytest.raises(BenchCheckerError, match=r"benchchecker\[datasets\]"):
        list(dataset_records("owner/tiny", "main"))


values = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.lists(st.text(max_size=3), max_size=2)
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.sampled_from([record(), upstream()]),
    st.dictionaries(st.sampled_from([*record(), *upstream()]), values, max_size=4),
)
def test_no_record_escapes_as_an_exception(tmp_path: Path, base: dict[str, Any], changes: dict[str, Any]):
    loaded = read_samples(write(tmp_path / "a.jsonl", base | changes), TINY)
    assert len(loaded.rows) + len(loaded.errors) == 1
