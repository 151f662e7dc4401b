"""An audit counts what the leaderboard counts, and says what is wrong with a file, where, and what to do."""

from __future__ import annotations

import csv
import json
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tiny_facts import RESOLVED, SAMPLES
from typer.testing import CliRunner

from engine.audit.audit import Audit, audit_file
from engine.audit.source import SeveralSubmissionsError
from engine.cli.app import build_app
from engine.export.audit import audit_table, audited_samples, printed_audit
from engine.export.writers import FORMATS, SUFFIXES, to_latex, to_markdown
from engine.leaderboard.board import leaderboard
from engine.problems import BenchCheckerError, InvalidInputError
from engine.store.connection import Reader

CUTOFF = date(2025, 3, 31)


def report(folder: Path, content: Any, name: str = "my-agent.json") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), encoding="utf-8")
    return path


def audited(reader: Reader, path: Path, **asked: Any) -> Audit:
    return audit_file(reader.snapshot(), path, **{"detector": "paper", "cutoff": CUTOFF, **asked})


def refused(reader: Reader, path: Path, **asked: Any) -> str:
    with pytest.raises(BenchCheckerError) as caught:
        audited(reader, path, **asked)
    return str(caught.value)


def test_an_audit_of_a_known_submission_gives_the_figures_of_the_leaderboard(
    tiny_reader: Reader, tmp_path: Path
) -> None:
    board = leaderboard(tiny_reader.snapshot(), "tiny", "paper")
    row = next(row for row in board.rows if row.submission.submission == "sub-b")
    found = audited(
        tiny_reader, report(tmp_path, {"resolved": RESOLVED["sub-b"]}), cutoff=None, models=["NEW 1"]
    )
    assert row.overall is not None
    assert found.asked.exposure.cutoff == CUTOFF
    assert found.asked.basis == "published"
    for part in ("before", "clean", "contaminated", "unknown", "clean_interval", "difference_interval"):
        assert getattr(found.overall, part) == getattr(row.overall, part), part
    assert {level: each.clean for level, each in found.summary.levels.items()} == {
        level: each.clean for level, each in row.levels.items()
    }


def test_repositories_and_levels_add_up_to_the_whole(tiny_reader: Reader, tmp_path: Path) -> None:
    found = audited(tiny_reader, report(tmp_path, {"resolved": RESOLVED["sub-b"]}))
    assert list(found.repositories) == ["a/one", "b/two"]
    for groups in (found.repositories.values(), found.summary.levels.values()):
        for part in ("before", "clean", "contaminated", "unknown"):
            shares = [getattr(each, part) for each in groups]
            whole = getattr(found.overall, part)
            assert (sum(s.k for s in shares), sum(s.n for s in shares)) == (whole.k, whole.n)
    assert found.overall.unknown.n == sum(number for _, number in found.unknown_reasons) > 0


def test_the_other_detector_is_asked_as_well(tiny_reader: Reader, tmp_path: Path) -> None:
    found = audited(tiny_reader, report(tmp_path, {"resolved": list(SAMPLES)}), detector="traced")
    assert list(found.opinions) == ["paper"]
    assert found.opinions["paper"].threshold == 0.7
    assert found.opinions["paper"].overall.contaminated.n > found.overall.contaminated.n


def test_a_cutoff_before_every_fix_leaves_nothing_contaminated(tiny_reader: Reader, tmp_path: Path) -> None:
    found = audited(tiny_reader, report(tmp_path, {"resolved": list(SAMPLES)}), cutoff=date(2016, 1, 1))
    assert (found.overall.contaminated.n, found.overall.clean.n) == (0, 6)
    assert "no sample is known to be contaminated" in found.overall.judgement.sentences


def test_every_sample_has_a_row(tiny_reader: Reader, tmp_path: Path) -> None:
    table = audited_samples(audited(tiny_reader, report(tmp_path, {"resolved": [SAMPLES[0]]})))
    assert [(row[0], row[1]) for row in table.rows] == [
        (sample, "resolved" if sample == SAMPLES[0] else "unresolved") for sample in SAMPLES
    ]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", "", ("a.json:1", "is empty")),
        (
            "a.json",
            '{"resolved": [\n"a__one-1",\n',
            ("a.json:3", "ends in the middle", "fetch the"),
        ),
        ("a.json", '{"resolved":\n  [oops]}', ("a.json:2", "not valid JSON")),
        ("a.json", '{"resolved": "a__one-1"}', ("resolved", "correct the report")),
        ("a.json", '{"hello": 1}', ("unknown format", "harness reports")),
        ("a.json", "[1, 2]", ("unknown format",)),
        ("a.csv", "sample,resolved\na__one-1,1\n", ("a.csv:1", "not valid JSON")),
        ("a.json", '{"resolved": [],\n"resolved": ["x"]}', ("a.json:2", "'resolved' has two values")),
        ("a.json", "{" + '"a":{' * 100_000, ("not usable JSON",)),
        ("a.json", "\ufeff\x00\x01", ("a.json:1",)),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_place(
    tiny_reader: Reader, tmp_path: Path, name: str, content: str, said: tuple[str, ...]
) -> None:
    message = refused(tiny_reader, report(tmp_path, content, name))
    for part in said:
        assert part in message
    assert "\n" not in message.strip()


def test_archives_binaries_and_missing_files_are_refused(tiny_reader: Reader, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "logs.zip", "w") as archive:
        archive.writestr("a", "b")
    (tmp_path / "x.json").write_bytes(b"\xff\xfe\x00\x00\x80")
    (tmp_path / "x.parquet").write_bytes(b"PAR1 no")
    assert "unpack it first" in refused(tiny_reader, tmp_path / "logs.zip")
    assert "UTF-16" in refused(tiny_reader, tmp_path / "x.json")
    assert "not usable Parquet" in refused(tiny_reader, tmp_path / "x.parquet")
    assert "no such file" in refused(tiny_reader, tmp_path / "gone.json")


def test_a_file_too_large_to_read_at_once_is_refused_unread(tiny_reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as stream:
        stream.truncate(200 * 2**20)
    assert "convert the file to JSON lines" in refused(tiny_reader, path)


def test_predictions_alone_are_refused_with_what_to_give_instead(tiny_reader: Reader, tmp_path: Path) -> None:
    path = report(tmp_path, '{"instance_id": "a__one-1", "model_patch": "x"}\n', "predictions.jsonl")
    message = refused(tiny_reader, path)
    assert "not what was resolved" in message
    assert "report" in message


def test_unknown_ids_are_named_with_their_line_and_not_counted(tiny_reader: Reader, tmp_path: Path) -> None:
    name = "<script>alert(1)</script>"
    path = report(tmp_path, {"resolved": ["a__one-1", name, "a__one-999"]})
    found = audited(tiny_reader, path)
    assert found.overall.before.k == 1
    told = {problem.subject: problem for problem in found.file.problems}
    assert told[name].line == path.read_text().split("\n").index(f'  "{name}",') + 1
    assert told["a__one-999"].line == 5
    assert "check its spelling" in told["a__one-999"].remedy


def test_ids_of_no_benchmark_are_refused(tiny_reader: Reader, tmp_path: Path) -> None:
    message = refused(tiny_reader, report(tmp_path, {"resolved": ["q__q-1", "q__q-2"]}))
    assert "my-agent.json:3" in message
    assert "none of its 2 resolved ids, such as 'q__q-1'" in message


def test_an_id_both_resolved_and_not_is_told_at_its_second_place(tiny_reader: Reader, tmp_path: Path) -> None:
    path = report(tmp_path, {"resolved": ["a__one-1", "a__one-2"], "unresolved": ["a__one-2"]})
    found = audited(tiny_reader, path)
    (conflict,) = [problem for problem in found.file.problems if "both resolved" in problem.message]
    assert conflict.line == 7
    assert found.overall.before.k == 1


def test_an_id_listed_twice_counts_once_and_is_told(tiny_reader: Reader, tmp_path: Path) -> None:
    path = report(tmp_path, {"resolved": ["a__one-1", "a__one-2", "a__one-1"]})
    found = audited(tiny_reader, path)
    (twice,) = [problem for problem in found.file.problems if "twice" in problem.message]
    assert (twice.line, found.overall.before.k) == (5, 2)


def test_a_matrix_needs_a_name_and_then_gives_that_submission(tiny_reader: Reader, tmp_path: Path) -> None:
    lines = [
        {"subject_id": name, "responses": {sample: int(sample in RESOLVED[name]) for sample in SAMPLES}}
        for name in ("sub-a", "sub-b")
    ]
    path = report(tmp_path, "".join(json.dumps(line) + "\n" for line in lines), "matrix.jsonl")
    with pytest.raises(SeveralSubmissionsError, match="sub-a, sub-b") as caught:
        audited(tiny_reader, path)
    assert caught.value.names == ("sub-a", "sub-b")
    assert audited(tiny_reader, path, submission="sub-b").overall.before.k == len(RESOLVED["sub-b"])
    assert "it has sub-a, sub-b" in refused(tiny_reader, path, submission="sub-x")


def test_what_is_asked_for_must_be_known(tiny_reader: Reader, tmp_path: Path) -> None:
    path = report(tmp_path, {"resolved": [SAMPLES[0]]})
    assert "name a model or a cutoff" in refused(tiny_reader, path, cutoff=None)
    message = refused(tiny_reader, path, cutoff=None, models=["newer"])
    assert "no model is called 'newer'" in message
    assert "new" in message.split("but")[1]
    assert "use one of tiny" in refused(tiny_reader, path, benchmark="large")
    assert "no detector is called" in refused(tiny_reader, path, detector="x")


def test_hostile_names_are_inert_in_every_export(tiny_reader: Reader, tmp_path: Path) -> None:
    path = report(tmp_path, {"resolved": [SAMPLES[0]]}, "=cmd|' <b>x&_%$.json")
    found = audited(tiny_reader, path)
    assert found.file.submission == "=cmd|' <b>x&_%$"
    notes = dict(printed_audit(found).notes)
    assert notes["submission"] == found.file.submission
    assert "<b>" not in to_markdown(printed_audit(found))
    assert r"x\&\_\%\$" in to_latex(printed_audit(found)).replace("{", "").replace("}", "")


def call(*words: object) -> Any:
    return CliRunner().invoke(build_app(), ["audit", *map(str, words)])


def test_the_command_prints_the_verdict_and_writes_every_format(
    tiny_database: Path, tmp_path: Path, tiny_reader: Reader
) -> None:
    path = report(tmp_path, {"resolved": RESOLVED["sub-b"]})
    out = tmp_path / "out"
    done = call(path, "--cutoff", "2025-03", "-d", "paper", "--database", tiny_database, "-o", out)
    assert done.exit_code == 0, done.output
    assert "verdict: insufficient evidence" in done.stdout
    assert "cutoff 2025-03-31 (given)" in done.stdout
    expected = {f"{name}.{SUFFIXES[form]}" for name in ("comparison", "samples") for form in FORMATS}
    assert {file.name for file in out.iterdir()} == expected
    rows = list(csv.DictReader((out / "comparison.csv").open()))
    table = audit_table(audited(tiny_reader, path))
    assert [row["group"] for row in rows] == [row[1] for row in table.rows]
    clean = audited(tiny_reader, path).overall.clean
    assert (rows[0]["clean_resolved"], rows[0]["clean_total"]) == (str(clean.k), str(clean.n))


def test_the_command_refuses_with_one_line(tiny_database: Path, tmp_path: Path) -> None:
    done = call(tmp_path / "gone.json", "--cutoff", "2025-03", "--database", tiny_database)
    assert isinstance(done.exception, InvalidInputError)
    assert "there is no such file (check the path)" in str(done.exception)
