"""Scans that are disturbed: by another scan, a kill, files that change, what lies in their folder."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from process_groups import ends_within
from typer.testing import CliRunner

from engine.cli.app import build_app
from engine.overlap.corpus import CorpusOptions
from engine.overlap.evaluation_set import ItemOptions, make_item, read_evaluation_set
from engine.overlap.report import overlap_report
from engine.overlap.result import ScanResult
from engine.overlap.review import Pair, Reviews, Verdict
from engine.overlap.scan import rebuild, run_scan
from engine.overlap.scan_plan import Scan, one_scan, plan
from engine.overlap.scores import Leak
from engine.problems import BenchCheckerError

TEXT = " ".join(f"word{number}" for number in range(40))
ROOT = Path(__file__).parents[2]


def lines(*texts):
    return "".join(json.dumps({"text": text}) + "\n" for text in texts)


@pytest.fixture
def scan(tmp_path):
    """One item, and a corpus of one file that holds it."""
    (tmp_path / "eval.jsonl").write_text(lines(TEXT))
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.jsonl").write_text(lines("other", TEXT))
    evaluation = read_evaluation_set(tmp_path / "eval.jsonl", ItemOptions()).rows[0]
    return Scan(evaluation, (str(corpus),), tmp_path / "out")


def documents(scan):
    return {
        row["name"].rsplit("/", 1)[-1]: row["documents"] for row in ScanResult(scan.folder).table("shard")
    }


def only_file(scan, pattern):
    (found,) = scan.shards.glob(pattern)
    return found


def test_a_second_scan_waits_for_its_turn(scan):
    with one_scan(scan), pytest.raises(BenchCheckerError, match="another scan is writing there"):
        run_scan(scan)
    outcome = run_scan(scan)
    assert outcome.documents == 2
    with one_scan(scan), pytest.raises(BenchCheckerError, match="another scan is writing there"):
        rebuild(scan, plan(scan, [], append=False, fresh=False))


def test_a_killed_scan_leaves_no_process_and_goes_on(scan, tmp_path):
    for name in "bcd":
        (Path(scan.sources[0]) / f"{name}.jsonl").write_text(lines(*[f"{TEXT} and more"] * 20_000))
    command = [sys.executable, "-m", "engine", "overlap", "scan", "--eval", str(tmp_path / "eval.jsonl")]
    command += ["--corpus", scan.sources[0], "--out", str(scan.folder), "--processes", "2"]
    started = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, start_new_session=True, text=True)
    assert started.stdout is not None
    for line in started.stdout:
        if "2 documents" in line:
            break
    started.kill()
    started.wait()
    try:
        assert ends_within(started.pid, seconds=20)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
    again = run_scan(scan)
    assert [name.rsplit("/", 1)[-1] for name in again.kept] == ["a.jsonl"]
    assert documents(scan) == {"a.jsonl": 2, "b.jsonl": 20_000, "c.jsonl": 20_000, "d.jsonl": 20_000}


def test_a_file_that_another_thread_keeps_writing_counts_once_it_is_whole(scan):
    path = Path(scan.sources[0]) / "grows.jsonl"
    path.write_text(lines(*["filler"] * 100_000))
    done = threading.Event()

    def write() -> None:
        while not done.is_set():
            with path.open("a") as stream:
                stream.write(lines(TEXT))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        outcome = run_scan(scan)
    finally:
        done.set()
        writer.join()
    assert [
        (name.rsplit("/", 1)[-1], "changed while it was read" in error) for name, error in outcome.failed
    ] == [("grows.jsonl", True)]
    assert documents(scan) == {"a.jsonl": 2, "grows.jsonl": None}
    mended = run_scan(scan)
    assert (len(mended.scanned), len(mended.kept), mended.failed) == (1, 1, ())
    assert documents(scan) == {"a.jsonl": 2, "grows.jsonl": len(path.read_text().splitlines())}


@pytest.mark.parametrize("length", [20, 60, 3])
def test_a_cut_file_that_grew_or_shrank_counts_each_line_once(scan, length):
    cut = replace(scan, corpus=CorpusOptions(split_bytes=1000))
    path = Path(cut.sources[0]) / "a.jsonl"
    path.write_text(lines(*[f"{TEXT} {number}" for number in range(40)]))
    run_scan(cut)
    assert sum(documents(cut).values()) == 40
    path.write_text(lines(*[f"{TEXT} {number}" for number in range(length)]))
    run_scan(cut, append=True)
    assert sum(documents(cut).values()) == length


def test_a_corpus_given_by_two_names_counts_once(scan, monkeypatch):
    monkeypatch.chdir(scan.folder.parent)
    run_scan(replace(scan, sources=("corpus", scan.sources[0])))
    assert documents(scan) == {"a.jsonl": 2}


def test_a_corpus_given_by_another_name_later_is_refused(scan, monkeypatch):
    monkeypatch.chdir(scan.folder.parent)
    run_scan(scan)
    renamed = replace(scan, sources=("corpus",))
    with pytest.raises(BenchCheckerError, match="give it under that name"):
        run_scan(renamed, append=True)
    assert documents(scan) == {"a.jsonl": 2}
    run_scan(renamed, fresh=True)
    assert documents(scan) == {"a.jsonl": 2}


def test_starting_afresh_deletes_only_what_a_scan_wrote(scan):
    run_scan(scan)
    scan.shards.joinpath("corpus.jsonl").write_text("a user's own")
    scan.shards.joinpath("folder").mkdir()
    old = only_file(scan, "*.npz")
    leftover = scan.shards / f".{old.name}.99.tmp"
    leftover.write_text("left by a killed process")
    (Path(scan.sources[0]) / "a.jsonl").rename(Path(scan.sources[0]) / "b.jsonl")
    run_scan(scan, fresh=True)
    assert scan.shards.joinpath("corpus.jsonl").read_text() == "a user's own"
    assert scan.shards.joinpath("folder").is_dir()
    assert not old.exists()
    assert not leftover.exists()
    assert documents(scan) == {"b.jsonl": 2}


@pytest.mark.parametrize("prefix", ["", "tree:"])
def test_a_folder_inside_its_own_corpus_is_refused(scan, prefix):
    inside = replace(scan, sources=(prefix + scan.sources[0],), folder=Path(scan.sources[0]) / "deep" / "out")
    with pytest.raises(BenchCheckerError, match="lies in the corpus"):
        run_scan(inside)
    assert not inside.folder.exists()


@pytest.mark.parametrize("pattern", ["*.npz", "*.parquet"])
def test_lost_results_of_a_shard_are_made_again(scan, pattern):
    run_scan(scan)
    only_file(scan, pattern).unlink()
    assert len(run_scan(scan).scanned) == 1
    assert ScanResult(scan.folder).leaks()["1"][0] is Leak.LEAKED


@pytest.mark.parametrize("pattern", ["*.npz", "*.parquet"])
def test_damaged_results_of_a_shard_say_what_to_delete(scan, pattern):
    run_scan(scan)
    damaged = only_file(scan, pattern)
    damaged.write_bytes(damaged.read_bytes()[:50])
    with pytest.raises(BenchCheckerError, match=r"is damaged .* delete .*\.json and scan again"):
        run_scan(scan)
    only_file(scan, "*.json").unlink()
    assert len(run_scan(scan).scanned) == 1


@pytest.mark.parametrize("content", ["[]", "{", "7"])
def test_a_marker_that_is_none_is_an_error(scan, content):
    run_scan(scan)
    only_file(scan, "*.json").write_text(content)
    with pytest.raises(BenchCheckerError, match="scan again with --fresh"):
        run_scan(scan)
    assert len(run_scan(scan, fresh=True).scanned) == 1


@pytest.mark.parametrize("shards", [None, [1], [{"name": "x", "colour": 1}], {}])
def test_a_plan_without_shards_is_an_error(scan, shards):
    run_scan(scan)
    path = scan.folder / "scan.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"shards": shards}))
    with pytest.raises(BenchCheckerError, match=r"scan\.json: lists no shards|add them with --append"):
        run_scan(scan)


def test_a_result_that_is_none_is_an_error(scan):
    run_scan(scan)
    scan.database.write_bytes(b"x" * 5000)
    with pytest.raises(BenchCheckerError, match="run the scan again"):
        ScanResult(scan.folder).leaks()
    scan.database.unlink()
    duckdb.connect(str(scan.database)).close()
    with pytest.raises(BenchCheckerError, match="run the scan again"):
        overlap_report(ScanResult(scan.folder))


def test_names_that_are_no_utf8_are_stored_apart(scan, tmp_path):
    folder = os.fsencode(scan.sources[0])
    for name in (b"\xff.jsonl", b"\xfe.jsonl"):
        Path(os.fsdecode(folder + b"/" + name)).write_text(lines(TEXT))
    Path(os.fsdecode(folder + b"/\xfd.jsonl.gz")).write_bytes(b"no gzip")
    outcome = run_scan(scan)
    assert len(outcome.failed) == 1
    assert documents(scan) == {"a.jsonl": 2, r"\xff.jsonl": 1, r"\xfe.jsonl": 1, r"\xfd.jsonl.gz": None}
    overlap_report(ScanResult(scan.folder)).to_html().encode()


def test_half_a_surrogate_pair_in_the_set_is_no_end_of_a_scan(scan, tmp_path):
    path = tmp_path / "halves.jsonl"
    path.write_text('{"id": "\\ud800", "text": "\\udfff ' + TEXT + '"}\n')
    evaluation = read_evaluation_set(path, ItemOptions(id_field="id")).rows[0]
    assert evaluation.items[0] == make_item("?", f"? {TEXT}")
    run_scan(replace(scan, evaluation=evaluation))
    assert ScanResult(scan.folder).leaks()["?"][0] is Leak.LEAKED


def test_items_are_unknown_where_no_document_could_be_read(scan):
    (Path(scan.sources[0]) / "a.jsonl").write_bytes(lines(TEXT).encode("utf-16"))
    run_scan(scan)
    assert ScanResult(scan.folder).leaks()["1"][0] is Leak.UNKNOWN


def call(*arguments, code):
    answer = CliRunner().invoke(build_app(), ["overlap", *map(str, arguments)])
    if code and isinstance(answer.exception, BenchCheckerError):
        return str(answer.exception)
    assert answer.exit_code == code, answer.output
    return answer.output


def test_the_command_says_what_was_left_out_and_shows_no_control_characters(scan, tmp_path):
    (Path(scan.sources[0]) / "b\n\x1b[31m.jsonl").write_bytes(b"{broken\n[1]\n" + lines("caf", TEXT).encode())
    evaluation = tmp_path / "named.jsonl"
    evaluation.write_text(json.dumps({"id": "a\x1b]0;title\x07\nb", "text": TEXT}) + "\n")
    where = ("--eval", evaluation, "--eval-id", "id", "--out", scan.folder, "--processes", 1)
    output = call("scan", *where, "--corpus", scan.sources[0], code=0)
    assert "left out: 1 × line is no JSON; 1 × line is no JSON object" in output
    shown = output + call("queue", "--scan", scan.folder, code=0)
    assert not set(shown) & {"\x1b", "\x07"}
    assert "b\N{REPLACEMENT CHARACTER}" in shown


@pytest.mark.parametrize(
    "command",
    [
        ("pin", "{folder}/eval.jsonl", "-o", "{folder}/eval.jsonl/pin"),
        ("pin", "x" * 5000),
        ("scan", "--eval", "{folder}/eval.jsonl", "--corpus", "x" * 5000, "--out", "{folder}/new"),
        (
            "scan",
            "--eval",
            "{folder}/eval.jsonl",
            "--corpus",
            "{folder}/corpus",
            "--out",
            "{folder}/eval.jsonl",
        ),
        ("report", "--scan", "{folder}/out", "-o", "{folder}/eval.jsonl/page"),
        ("export-verdicts", "{folder}", "--scan", "{folder}/out"),
        ("import-verdicts", "{folder}/nothing", "--scan", "{folder}/out"),
    ],
)
def test_files_that_cannot_be_used_end_no_command_with_a_traceback(scan, tmp_path, command):
    run_scan(scan)
    message = call(*(word.format(folder=tmp_path) for word in command), code=1)
    assert "check the path" in message


@pytest.mark.parametrize(
    "change",
    [
        {"decided_at": "0001-01-01T00:00:00+23:00"},
        {"decided_at": "9999-12-31T23:59:59-23:00"},
        {"note": "\ud800"},
        {"reviewer": " "},
    ],
)
def test_a_verdict_that_cannot_be_stored_is_refused_with_its_line(tmp_path, change):
    reviews = Reviews(tmp_path / "from" / "reviews.duckdb")
    reviews.decide(Pair("a", "b", "item", "document"), Verdict.COPY, "reader")
    (row,) = map(json.loads, reviews.exported().splitlines())
    content = "\n".join(json.dumps(one) for one in (row, row | change)).encode()
    other = Reviews(tmp_path / "to" / "reviews.duckdb")
    with pytest.raises(BenchCheckerError, match=r"export:2: no verdict .* nothing imported"):
        other.import_lines(content, "export")
    assert other.history() == []
    assert other.import_lines(reviews.exported().encode(), "export") == 1
