"""A probe that is killed, and answers that were recorded."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from misbehaving_server import Script, serving

from engine.cli.probing import read_query_files
from engine.paths import PROJECT_ROOT
from engine.probing.asking import probe, request_key
from engine.probing.presence_test import p0_from, probed, weight_of
from engine.probing.queries import PatternKind, Query, read_queries, write_queries
from engine.probing.targets.endpoint import KEY_VARIABLE
from engine.probing.targets.prompts import continuation, is_refusal
from engine.probing.targets.protocol import Answer, AnswerState, Decoding, Request
from engine.probing.targets.recorded import read_answers, write_requests
from engine.probing.targets.replay import Replay
from engine.statistics.repository_presence import P0, binomial_tail

DECODING = Decoding(candidates=1)
_RUN = """
import sys
from pathlib import Path
from engine.probing.asking import probe
from engine.probing.queries import read_queries
from engine.probing.targets.endpoint import Endpoint
from engine.probing.targets.protocol import Decoding
queries = read_queries(Path(sys.argv[1])).rows
target = Endpoint("m", sys.argv[2], chats=False, concurrency=3, retries=0)
outcomes = probe(target, queries, Decoding(candidates=1), Path(sys.argv[3]))
print(sum(outcome.hit is True for outcome in outcomes), sum(outcome.hit is None for outcome in outcomes))
"""


def query(number: int, target: str = "target", entropy: float | None = None, frequency: int = 1) -> Query:
    return Query(
        "o/r", PatternKind.TEXT, f"g{number % 3}", f"line {number} ", target, 2, frequency, 9, entropy
    )


def answered(number: int, *texts: str) -> Answer:
    return Answer(request_key(query(number).prompt), AnswerState.ANSWERED, texts)


def replay(*answers: Answer) -> Replay:
    return Replay("m", {answer.key: answer for answer in answers})


@pytest.mark.parametrize("failures", [(), ("500", "drop", "no choices", "400")], ids=["plain", "flaky"])
@pytest.mark.parametrize("seed", range(3))
def test_a_probe_killed_at_any_moment_asks_no_query_twice(
    tmp_path: Path, seed: int, failures: tuple[str, ...]
) -> None:
    chance = random.Random(seed)
    file = tmp_path / "queries.jsonl"
    write_queries(file, [query(number) for number in range(40)])
    script = Script(" target", *failures, delay_s=0.02)
    environment = {**os.environ, KEY_VARIABLE: "k", "PYTHONPATH": str(PROJECT_ROOT)}
    with serving(script) as address:
        command = [sys.executable, "-c", _RUN, str(file), address, str(tmp_path / "answers")]
        for _ in range(4):
            before = sum(script.asked.values())
            process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
            while process.poll() is None and sum(script.asked.values()) < before + 1 + chance.randrange(8):
                time.sleep(0.001)
            process.send_signal(signal.SIGKILL)
            process.wait()
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        hits, lost = map(int, done.stdout.split())
    assert set(script.asked.values()) == {1}
    assert hits + lost == 40
    # Three are in flight at once: no kill can lose more than were sent and not yet stored.
    assert lost <= 4 * 6 + len(failures)
    assert hits > 0


def test_a_cut_off_line_costs_only_itself(tmp_path: Path) -> None:
    target = replay(*(answered(number, " target") for number in range(4)))
    probe(target, [query(0), query(1)], DECODING, tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-20])
    outcomes = probe(target, [query(number) for number in range(4)], DECODING, tmp_path)
    assert [outcome.hit for outcome in outcomes] == [True] * 4


def test_any_candidate_may_hit_and_what_was_not_answered_counts_neither_way(tmp_path: Path) -> None:
    target = replay(answered(0, " other", " target."), answered(1, " other", " Target"))
    outcomes = probe(target, [query(0), query(1), query(2)], DECODING, tmp_path)
    assert [outcome.hit for outcome in outcomes] == [True, False, None]
    assert outcomes[2].answer.note == "no answer was recorded"
    result = probed("o/r", outcomes, P0(0.1))
    assert (result.test.hits, result.test.queries, result.unanswered) == (1, 2, 1)
    assert result.test.p_value == pytest.approx(binomial_tail(1, 2, 0.1))
    assert p0_from(outcomes).value == pytest.approx(1.5 / 3)


def test_queries_whose_prefix_gives_the_target_away_are_tested_neither_way(tmp_path: Path) -> None:
    queries = [query(0, entropy=0.0), query(1, entropy=2.0), query(2, entropy=3.0)]
    target = replay(answered(0, " target"), answered(1, " target"), answered(2, " other"))
    outcomes = probe(target, queries, DECODING, tmp_path)
    result = probed("o/r", outcomes, P0(0.1))
    assert (result.test.hits, result.test.queries, result.given_away, result.unanswered) == (1, 2, 1, 0)
    assert p0_from(outcomes).value == pytest.approx(1.5 / 3)


def test_a_hit_weighs_entropy_over_frequency() -> None:
    assert weight_of(query(1, entropy=6.0, frequency=4)) == 1.5
    assert weight_of(query(1, entropy=6.0, frequency=0)) == 6.0
    assert weight_of(query(1)) == 1.0


def test_recorded_requests_and_answers_pass_through_a_batch_service(tmp_path: Path) -> None:
    requests = [Request(request_key(query(number).prompt), query(number).prompt) for number in range(2)]
    for chats in (False, True):
        assert write_requests(tmp_path / "out.jsonl", requests, "m", DECODING, chats=chats) == 2
        lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
        assert [line["custom_id"] for line in lines] == [request.key for request in requests]
        bodies = [
            {"custom_id": line["custom_id"], "response": {"status_code": 200, "body": _completed(line)}}
            for line in lines
        ]
        (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, bodies)), encoding="utf-8")
        loaded = read_answers(tmp_path / "in.jsonl")
        assert loaded.problems == ()
        assert [(answer.key, answer.texts, answer.revision) for answer in loaded.rows] == [
            (request.key, ("target",), "m-1") for request in requests
        ]


def _completed(line: dict[str, object]) -> dict[str, object]:
    body = line["body"]
    assert isinstance(body, dict)
    choice = {"message": {"content": "target"}} if "messages" in body else {"text": "target"}
    return {"model": "m-1", "choices": [choice], "usage": None}


def test_lines_that_are_no_answer_are_named(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    lines = [
        '{"key": "a", "texts": ["x"]}',
        "[1]",
        "not json",
        '{"key": "b", "texts": "x"}',
        '{"key": "a", "texts": ["y"]}',
        '{"custom_id": "c", "response": {"status_code": 500, "body": {}}, "error": "busy"}',
        '{"custom_id": "d", "response": {"body": {"choices": [{"message": {"refusal": "no"}}]}}}',
    ]
    file.write_bytes("\n".join(lines).encode() + b"\n\xff\xfe\n")
    loaded = read_answers(file)
    assert [problem.line for problem in loaded.problems] == [2, 3, 4, 5, 8]
    assert {answer.key: answer.state for answer in loaded.rows} == {
        "a": AnswerState.ANSWERED,
        "c": AnswerState.FAILED,
        "d": AnswerState.REFUSED,
    }


@given(st.text(), st.text())
def test_a_continuation_after_the_repeated_prompt_is_what_follows(prompt: str, rest: str) -> None:
    stated = f"value = {prompt.strip()}"
    if "```" not in stated + rest:
        assert continuation(stated, stated + rest).strip() in rest or rest.startswith(stated)


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("I cannot help with that", True),
        ("Sorry, no.", True),
        ("I’m unable to continue", True),
        ("sorry_flag = 1", False),
        ("cannot_import", False),
    ],
)
def test_refusals_are_told_from_code(text: str, refused: bool) -> None:
    assert is_refusal(text) is refused


def test_query_sets_survive_a_round_trip_and_broken_lines_are_named(tmp_path: Path) -> None:
    file = tmp_path / "queries.jsonl"
    queries = [query(1), query(2, "Ünï", entropy=2.5)]
    write_queries(file, queries)
    assert read_queries(file).rows == tuple(queries)
    file.write_bytes(file.read_bytes() + b'{"repository": 1}\n\xff\n')
    loaded = read_queries(file)
    assert loaded.rows == tuple(queries)
    assert [problem.line for problem in loaded.problems] == [3, 4]


@pytest.mark.parametrize(
    "change",
    [
        '"occurrences": 1e999',
        '"entropy": NaN',
        '"reference_frequency": -1',
        '"prefix": null',
        '"prefix": "\\ud800"',
        '"repository": "a\\u001b[31m/b"',
        '"occurrences": ' + "[" * 100_000,
    ],
)
def test_a_query_that_cannot_be_asked_or_weighed_is_named(tmp_path: Path, change: str) -> None:
    path = tmp_path / "queries.jsonl"
    write_queries(path, [query(1)])
    line = path.read_text().strip()
    path.write_text(line + "\n" + line.removesuffix("}") + f", {change}}}\n")
    loaded = read_queries(path)
    assert len(loaded.rows) == 1
    assert [problem.line for problem in loaded.problems] == [2]


def test_answers_that_cannot_be_stored_are_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    body = '{"choices": [{"text": "a"}], "usage": {"prompt_tokens": 1e999}}'
    path.write_text(
        '{"key": "a", "texts": ["\\ud800"]}\n{"key": "b", "texts": ["b"]}\n'
        f'{{"custom_id": "c", "response": {{"body": {body}}}}}\n'
    )
    loaded = read_answers(path)
    assert [answer.key for answer in loaded.rows] == ["b"]
    assert [problem.line for problem in loaded.problems] == [1, 3]


def test_a_query_set_given_twice_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    write_queries(path, [query(number) for number in range(3)])
    assert [len(found) for found in read_query_files([path, path]).values()] == [3]
