"""Next lines of repositories that a model has seen, and of others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.cli.app import build_app
from engine.evaluation.completion import LineSample, line_samples, matches, pooled, read_line_samples
from engine.probing.asking import Outcome, request_key
from engine.probing.targets.protocol import Answer, AnswerState
from engine.statistics.proportions import Proportion
from engine.store.facts import read_facts, write_facts


def said(sample: LineSample, *texts: str) -> Outcome:
    state = AnswerState.ANSWERED if texts else AnswerState.FAILED
    return Outcome(sample.query, Answer(request_key(sample.query.prompt), state, texts), None)


def test_a_line_matches_exactly_but_for_blanks_at_its_ends() -> None:
    sample = LineSample("o/r", "x = 1", "    y = compute(x)")
    assert matches(said(sample, "    y = compute(x)  \nmore"), chats=False) is True
    assert matches(said(sample, "y = compute(x)"), chats=False) is True
    assert matches(said(sample, "    y = compute(x, 1)"), chats=False) is False
    assert matches(said(sample, ""), chats=False) is False
    assert matches(said(sample), chats=False) is None
    assert matches(said(sample, "Here:\n```python\ny = compute(x)\n```"), chats=True) is True


def test_samples_are_lines_of_the_text_with_all_that_precedes_them() -> None:
    texts = {"a.py": "\n".join(f"value_{n} = compute({n})" for n in range(20))}
    samples = line_samples("o/r", texts, 3)
    assert len(samples) == 3
    assert all(sample.query.prefix + sample.next_line in texts["a.py"] for sample in samples)


def test_a_row_of_the_benchmark_is_asked_with_its_imports(tmp_path: Path) -> None:
    row = {"repo_name": "O/R", "cropped_code": "x = 1", "next_line": "y = 2", "level": "2k"}
    lines = [row, {**row, "import_statement": "import os"}, {**row, "next_line": " "}, 7]
    file = tmp_path / "bench.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    loaded = read_line_samples(file)
    assert [sample.query.prefix for sample in loaded.rows] == ["x = 1\n", "import os\nx = 1\n"]
    assert {sample.repo_name for sample in loaded.rows} == {"o/r"}
    assert [problem.line for problem in loaded.problems] == [3, 4]
    assert "no text in next_line" in loaded.problems[0].message


def test_repositories_without_a_verdict_are_unknown() -> None:
    shares = {"a/a": Proportion(3, 4), "b/b": Proportion(1, 4), "c/c": Proportion(0, 2)}
    found = pooled(shares, {"a/a": "present", "b/b": "present"})
    assert found == {"present": Proportion(4, 8), "unknown": Proportion(0, 2)}


@pytest.mark.parametrize("seen", [True, False])
def test_the_command_compares_what_is_present_with_what_is_not(
    tmp_path: Path, tiny_data: Path, monkeypatch: pytest.MonkeyPatch, seen: bool
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    samples = [
        LineSample(name, f"# {name} {n}", f"value = {n}") for name in ("a/one", "b/two") for n in range(10)
    ]
    rows = [
        {"repo_name": one.repo_name, "cropped_code": one.cropped_code, "next_line": one.next_line}
        for one in samples
    ]
    answers = [
        {
            "key": request_key(one.query.prompt),
            "texts": [one.next_line if one.repo_name == "a/one" else "other"],
        }
        for one in samples[:-1]
    ]
    for name, lines in (("bench", rows), ("answers", answers)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    if seen:
        verdict = {"model": "any", "basis": "probed", "source": "a test"}
        facts = read_facts(tiny_data, "repository_presence")
        facts += [
            {**verdict, "repository": "a/one", "verdict": "present"},
            {**verdict, "repository": "b/two", "verdict": "not shown"},
        ]
        write_facts(tiny_data, "repository_presence", facts)
    arguments = ("evaluate", "completion", tmp_path / "bench.jsonl", "--model", "any", "--target", "recorded")
    kept = ("--recorded", tmp_path / "answers.jsonl", "--answers", tmp_path / "kept", "--data", tiny_data)
    result = CliRunner().invoke(build_app(), [str(one) for one in (*arguments, *kept)])
    text = " ".join(result.output.replace("│", " ").split())
    assert result.exit_code == 0, result.output + str(result.exception)
    assert "without an answer, and counted neither way: 1" in text
    if seen:
        assert "present 10 10 100.0% [72.2%, 100.0%]" in text
        assert "not shown 0 9 0.0% [0.0%, 29.9%]" in text
        assert "present minus not shown: +100.0 points" in text
    else:
        assert "unknown 10 19" in text
        assert "no comparison" in text


def test_a_file_without_samples_and_text_without_utf_8_are_named(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.touch()
    assert [problem.message for problem in read_line_samples(path).errors] == ["holds no sample"]
    path.write_text('{"repo_name": "o/r", "cropped_code": "\\ud800", "next_line": "x"}\n')
    assert [problem.line for problem in read_line_samples(path).errors] == [1]
