"""Files from outside: whatever they hold, memory stays bounded and every fault is named."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import reading
from engine.problems import InvalidInputError, Problem, Severity
from engine.reading import Record, clean_name, is_plain_name, iter_records, read_json, read_yaml


def split(path: Path) -> tuple[list[Record], list[Problem]]:
    items = list(iter_records(path))
    return (
        [item for item in items if isinstance(item, Record)],
        [item for item in items if isinstance(item, Problem)],
    )


def write(path: Path, content: bytes | str) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_json_lines_keep_their_line_numbers(tmp_path: Path):
    records, problems = split(write(tmp_path / "a.jsonl", '{"a": 1}\n\n{"a": 2}'))
    assert records == [Record({"a": 1}, 1), Record({"a": 2}, 3)]
    assert problems == []


def test_a_json_list_gives_its_items(tmp_path: Path):
    assert split(write(tmp_path / "a.json", "[1, 2]"))[0] == [Record(1), Record(2)]


def test_json_lines_under_a_json_name(tmp_path: Path):
    records, _ = split(write(tmp_path / "a.json", '{"a": 1}\n{"a": 2}\n'))
    assert [record.value for record in records] == [{"a": 1}, {"a": 2}]


def test_parquet_rows(tmp_path: Path):
    pq.write_table(pa.table({"a": [1, 2], "b": ["x", None]}), tmp_path / "a.parquet")
    records, problems = split(tmp_path / "a.parquet")
    assert [record.value for record in records] == [{"a": 1, "b": "x"}, {"a": 2, "b": None}]
    assert problems == []


def test_byte_order_mark_and_crlf_are_read_and_said(tmp_path: Path):
    records, problems = split(write(tmp_path / "a.jsonl", b'\xef\xbb\xbf{"a": 1}\r\n{"a": "x\\r\\n"}\r\n'))
    assert [record.value for record in records] == [{"a": 1}, {"a": "x\r\n"}]
    assert {problem.severity for problem in problems} == {Severity.WARNING}
    assert [problem.message for problem in problems] == [
        "starts with a byte order mark, which was ignored",
        "has CRLF line ends, read as line ends",
    ]


@pytest.mark.parametrize(
    ("content", "line", "message", "remedy"),
    [
        (b'{"a": 1}\n{"a": "caf\xe9"}\n', 2, "not UTF-8 (byte 0xe9), perhaps Latin-1", "iconv"),
        (b'{"a": 1}\n{"a": 2', 2, "ends in the middle", "fetch the file again"),
        (b'{"a": 1}\n{"a": "abc', 2, "ends in the middle", "fetch the file again"),
        (b'{"a": 1}\n{"a": }\n', 2, "not valid JSON", "correct"),
        (b'{"a": 1}\n{"a": NaN}\n', 2, "NaN is not JSON", "correct"),
        (b'{"a": 1}\n{"a": 1, "a": 2}\n', 2, "key 'a' has two values", "correct"),
        (b'{"a": 1}\n' + b"[" * 200_000 + b"\n", 2, "nested too deeply", "correct"),
        (b'{"a": 1}\n{"a": ' + b"9" * 5000 + b"}\n", 2, "a number has thousands of digits", "correct"),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_read(
    tmp_path: Path, content: bytes, line: int, message: str, remedy: str
):
    path = write(tmp_path / "a.jsonl", content)
    records, problems = split(path)
    assert [record.value for record in records] == [{"a": 1}]
    (problem,) = problems
    assert (problem.file, problem.line, problem.severity) == (str(path), line, Severity.ERROR)
    assert message in problem.message
    assert remedy in problem.remedy


def test_a_document_names_the_line_of_its_fault(tmp_path: Path):
    with pytest.raises(InvalidInputError, match=r"a\.json:3: .*ends in the middle"):
        read_json(write(tmp_path / "a.json", '{\n"a": [1,\n'))
    with pytest.raises(InvalidInputError, match=r"a\.json:2: .*not UTF-8"):
        read_json(write(tmp_path / "a.json", b'{\n"a": "\xe9"}'))
    with pytest.raises(InvalidInputError, match=r"UTF-16.*iconv"):
        read_json(write(tmp_path / "a.json", '{"a": 1}'.encode("utf-16")))
    with pytest.raises(InvalidInputError, match="is empty"):
        read_json(write(tmp_path / "a.json", ""))


def test_equal_keys_twice_do_no_harm(tmp_path: Path):
    assert read_json(write(tmp_path / "a.json", '{"a": 1, "a": 1}'))[0] == {"a": 1}


def test_a_line_of_50_megabytes_is_named_in_bounded_memory(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    with path.open("wb") as stream:
        stream.write(b'{"a": "')
        for _ in range(50):
            stream.write(b"x" * 10**6)
        stream.write(b'"}\n{"a": 2}\n')
    tracemalloc.start()
    try:
        records, problems = split(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert records == [Record({"a": 2}, 2)]
    assert [(problem.line, problem.message) for problem in problems] == [
        (1, f"a line of 50000010 bytes; at most {reading.MAX_LINE_BYTES} are read")
    ]
    assert peak < 2 * reading.MAX_LINE_BYTES + 10 * 2**20


def test_a_line_as_long_as_allowed_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reading, "MAX_LINE_BYTES", 20)
    fits, long = b'{"a": "12345678901"}', b'{"a": "123456789012"}'
    records, problems = split(write(tmp_path / "a.jsonl", fits + b"\n" + long + b"\n" + b'{"a": 3}'))
    assert [record.line for record in records] == [1, 3]
    assert [problem.line for problem in problems] == [2]


def test_a_document_above_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reading, "MAX_DOCUMENT_BYTES", 5)
    _, (problem,) = split(write(tmp_path / "a.json", "[1,2,3]"))
    assert "7 bytes are more than the 5" in problem.message


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.zip", b"PK\x03\x04", "archive"),
        ("a.jsonl.gz", b"\x1f\x8b", "archive"),
        ("a.json", gzip.compress(b"{}", mtime=0), "is packed, not text"),
        ("a.jsonl", gzip.compress(b'{"a": 1}', mtime=0), "is packed, not text"),
        ("a.parquet", b"PAR1 nonsense", "not usable Parquet"),
    ],
)
def test_what_is_not_read_is_said(tmp_path: Path, name: str, content: bytes, message: str):
    records, (problem,) = split(write(tmp_path / name, content))
    assert records == []
    assert message in problem.message


def test_a_missing_file(tmp_path: Path):
    _, (problem,) = split(tmp_path / "nowhere.jsonl")
    assert problem.message == "there is no such file"


def test_yaml_holds_plain_values_only(tmp_path: Path):
    assert read_yaml(write(tmp_path / "a.yaml", "a: [1, x]\n"))[0] == {"a": [1, "x"]}
    with pytest.raises(InvalidInputError, match="not valid YAML"):
        read_yaml(write(tmp_path / "a.yaml", "!!python/object/apply:os.system ['true']\n"))
    with pytest.raises(InvalidInputError, match=r"a\.yaml:3: "):
        read_yaml(write(tmp_path / "a.yaml", "a: 1\nb: [\n"))


def test_names_lose_control_characters_and_keep_markup():
    assert clean_name("a\x00b\x1b[31m\tc\r\nd\u202ee") == "a\ufffdb\ufffd[31m c d\ufffde"
    assert clean_name('=HYPERLINK("x")<b>&') == '=HYPERLINK("x")<b>&'
    assert clean_name("x" * 1000, 10) == "x" * 9 + "…"


@given(st.text(max_size=500), st.integers(1, 50))
def test_cleaned_names_are_short_printable_and_stable(text: str, limit: int):
    cleaned = clean_name(text, limit)
    assert len(cleaned) <= limit
    assert cleaned.isprintable()
    assert clean_name(cleaned, limit) == cleaned


@pytest.mark.parametrize(
    "name", ["", ".", "..", ".git", "a/b", "a\\b", "../a", "a\x00", "a\n", " a", "C:a", "x" * 301]
)
def test_names_that_could_lead_elsewhere(name: str):
    assert not is_plain_name(name)


def test_names_of_real_folders():
    assert is_plain_name("20250616_Skywork-SWE-32B+TTS_Bo8")
    assert is_plain_name("20250329_MSWE-agent_Claude-3.5-Sonnet(Oct)")


@given(st.binary(max_size=200))
def test_no_bytes_escape_as_an_exception(tmp_path_factory: pytest.TempPathFactory, content: bytes):
    folder = tmp_path_factory.mktemp("bytes")
    for name in ("a.json", "a.jsonl"):
        for item in iter_records(write(folder / name, content)):
            assert isinstance(item, Record | Problem)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_json_survives(tmp_path_factory: pytest.TempPathFactory, value: object):
    path = tmp_path_factory.mktemp("json") / "a.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    assert read_json(path)[0] == value
