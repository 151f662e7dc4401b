"""`probe` and `calibrate` from the command line, against a server and against recorded answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from misbehaving_server import Script, serving
from scratch_repository import new_scratch
from typer.testing import CliRunner, Result

from engine.cli.app import build_app
from engine.probing.asking import request_key
from engine.probing.queries import PatternKind, Query, write_queries
from engine.store.facts import read_facts


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(build_app(), [str(argument) for argument in arguments])


def plain(result: Result) -> str:
    return " ".join((result.output + str(result.exception or "")).replace("│", " ").split())


def queries(repository: str, count: int) -> list[Query]:
    return [
        Query(repository, PatternKind.CLONE, str(n), f"{repository} {n} = ", f"name{n}", 3, 1, 50, 4.0)
        for n in range(count)
    ]


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    """Queries of two repositories, and answers that hit every query of the first."""
    first, second = queries("a/one", 30), queries("b/two", 30)
    write_queries(tmp_path / "one.jsonl", first)
    write_queries(tmp_path / "two.jsonl", second)
    lines = [{"key": request_key(query.prompt), "texts": [query.target]} for query in first]
    lines += [{"key": request_key(query.prompt), "texts": ["other"]} for query in second]
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return tmp_path


def test_recorded_answers_give_a_verdict_for_each_repository(asked: Path, tiny_data: Path) -> None:
    result = run(
        *("probe", asked / "one.jsonl", asked / "two.jsonl", "--model", "any", "--target", "recorded"),
        *("--recorded", asked / "answers.jsonl", "--answers", asked / "kept", "--data", tiny_data),
    )
    assert result.exit_code == 0, plain(result)
    text = plain(result)
    assert "a/one present 30/30" in " ".join(text.replace("┃", " ").split())
    assert "b/two not shown 0/30" in text
    assert "default" in text
    assert read_facts(tiny_data, "hit_rate") == []


def test_a_result_is_recorded_for_known_models_and_repositories_only(asked: Path, tiny_data: Path) -> None:
    options = ("--target", "recorded", "--recorded", asked / "answers.jsonl", "--answers", asked / "kept")
    before = read_facts(tiny_data, "repository_presence")
    nobody = ("probe", asked / "one.jsonl", "--model", "nobody", *options, "--record", "--data", tiny_data)
    assert "not in the registry: nobody" in plain(run(*nobody))
    strange = queries("c/three", 5)
    write_queries(asked / "three.jsonl", strange)
    elsewhere = ("probe", asked / "three.jsonl", "--model", "old", *options, "--record", "--data", tiny_data)
    assert "no sample comes from c/three" in plain(run(*elsewhere))
    assert read_facts(tiny_data, "repository_presence") == before
    assert not (asked / "kept").exists(), "what cannot be recorded must be refused before a model is asked"
    good = run("probe", asked / "one.jsonl", "--model", "old", *options, "--record", "--data", tiny_data)
    assert good.exit_code == 0, plain(good)
    rows = {(row["model"], row["repository"]): row for row in read_facts(tiny_data, "repository_presence")}
    row = rows.pop(("old", "a/one"))
    assert (row["basis"], row["verdict"], row["hits"], row["queries"]) == ("probed", "present", 30, 30)
    assert (row["p0"], row["p0_basis"], row["unanswered"]) == (0.08, "default", 0)
    assert row["p_value"] == pytest.approx(0.08**30)
    assert rows == {
        (kept["model"], kept["repository"]): kept
        for kept in before
        if (kept["model"], kept["repository"]) != ("old", "a/one")
    }


def test_requests_are_written_for_a_batch_service(asked: Path, tiny_data: Path) -> None:
    file = asked / "requests.jsonl"
    result = run("probe", asked / "one.jsonl", "--model", "m", "--requests-to", file, "--data", tiny_data)
    assert "30 requests" in plain(result)
    assert len(file.read_text(encoding="utf-8").splitlines()) == 30


def test_a_paid_model_needs_a_budget_or_a_yes(
    asked: Path, tiny_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    script = Script("other")
    prices = asked / "prices.toml"
    prices.write_text('[[price]]\nmodel = "m"\ninput_per_million = 1.0\noutput_per_million = 2.0\n')
    with serving(script) as address:
        command = ("probe", asked / "one.jsonl", "--model", "m", "--base-url", address)
        kept = ("--answers", asked / "kept", "--data", tiny_data)
        refused = run(*command, *kept)
        assert refused.exit_code == 2
        assert "this may cost money" in plain(refused)
        assert "30 requests, about" in plain(refused)
        assert script.asked == {}
        no_price = run(*command, *kept, "--budget", "5")
        assert "a budget needs --prices" in plain(no_price)
        for amount in ("nan", "inf", "0", "-1"):
            limited = run(*command, *kept, "--budget", amount, "--prices", prices)
            assert f"{amount} is no amount above 0" in plain(limited)
        assert script.asked == {}
        paid = run(*command, *kept, "--budget", "5", "--prices", prices)
        assert paid.exit_code == 0, plain(paid)
        assert "USD" in plain(paid)
        again = run(*command, *kept)
        assert again.exit_code == 0, plain(again)
        assert "0 requests" in plain(again)
    assert set(script.asked.values()) == {1}
    assert "k" not in {file.read_text(encoding="utf-8") for file in (asked / "kept").iterdir()}


@pytest.mark.parametrize("amount", ["nan", "-1.0", "inf"])
def test_a_price_that_is_none_is_refused(asked: Path, tiny_data: Path, amount: str) -> None:
    prices = asked / "prices.toml"
    prices.write_text(f'[[price]]\nmodel = "m"\ninput_per_million = {amount}\noutput_per_million = 2.0\n')
    command = ("probe", asked / "one.jsonl", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    result = run(*command, "--prices", prices, "--budget", "1", "--data", tiny_data, "--answers", asked / "k")
    assert "a price of m is no amount of 0 or more" in plain(result)


def test_calibration_refuses_what_the_model_may_have_seen(asked: Path, tiny_data: Path) -> None:
    new_scratch(asked / "repos" / "b__two.git").chain(("2024-05-01", {"m.py": b"x = 1\n"}))
    command = ("calibrate", asked / "two.jsonl", "--model", "any", "--repos", asked / "repos")
    options = ("--target", "recorded", "--recorded", asked / "answers.jsonl", "--answers", asked / "kept")
    late = run(*command, *options, "--cutoff", "2024-05-01", "--data", tiny_data)
    assert "b/two began on 2024-05-01, not after the cutoff" in plain(late)
    good = run(*command, *options, "--cutoff", "2024-04", "--data", tiny_data)
    assert good.exit_code == 0, plain(good)
    assert "P0 0.0161 [0.0000, 0.0797]: 0 of 30 queries of 1 repositories" in plain(good)
    unknown = run(*command, *options, "--data", tiny_data)
    assert "the registry knows no cutoff of any" in plain(unknown)


def test_broken_query_sets_name_the_line(asked: Path, tiny_data: Path) -> None:
    (asked / "bad.jsonl").write_text('{"repository": "a/one"}\n', encoding="utf-8")
    result = run("probe", asked / "bad.jsonl", "--model", "m", "--target", "local", "--data", tiny_data)
    assert result.exit_code != 0
    assert "bad.jsonl:1" in plain(result)
    gone = run("probe", asked / "gone.jsonl", "--model", "m", "--data", tiny_data)
    assert "no such query set" in plain(gone)


def test_queries_without_an_answer_are_counted_in_the_table(asked: Path, tiny_data: Path) -> None:
    kept = (asked / "answers.jsonl").read_text(encoding="utf-8").splitlines()[5:]
    (asked / "fewer.jsonl").write_text("\n".join(kept), encoding="utf-8")
    result = run(
        *(
            "probe",
            asked / "one.jsonl",
            "--model",
            "any",
            "--target",
            "recorded",
            "--answers",
            asked / "kept",
        ),
        *("--recorded", asked / "fewer.jsonl", "--data", tiny_data),
    )
    assert "25/25 (5 unanswered)" in plain(result)
