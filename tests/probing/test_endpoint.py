"""A flaky endpoint, over a real connection."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from misbehaving_server import Script, serving

from engine.probing.asking import BudgetSpent, answer_file, probe
from engine.probing.pricing import Budget, Price
from engine.probing.queries import PatternKind, Query
from engine.probing.targets.endpoint import KEY_VARIABLE, Endpoint, Pace
from engine.probing.targets.protocol import Answer, AnswerState, Decoding
from engine.problems import BenchCheckerError

KEY = "a-very-secret-key"
DECODING = Decoding(candidates=2)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)


def query(number: int, target: str = "target") -> Query:
    return Query("o/r", PatternKind.CLONE, f"g{number}", f"prefix {number} = ", target, 3, 1, 10)


def endpoint(address: str, **changes: object) -> Endpoint:
    settings: dict[str, object] = {"concurrency": 2, "timeout_s": 1.0, "retries": 3, "chats": False}
    return Endpoint("m", address, **{**settings, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "behaviours",
    [["429"], ["500"], ["503", "429"], ["hang"], ["drop"], ["truncated"], ["not json", "truncated"]],
    ids="-".join,
)
@pytest.mark.parametrize("chats", [False, True], ids=["completion", "chat"])
def test_a_failure_is_tried_again_until_an_answer_comes(
    tmp_path: Path, behaviours: list[str], chats: bool
) -> None:
    script = Script(" target(x)", *behaviours)
    with serving(script) as address:
        (outcome,) = probe(endpoint(address, chats=chats), [query(1)], DECODING, tmp_path)
    assert outcome.hit is True
    assert outcome.answer == Answer(
        outcome.answer.key, AnswerState.ANSWERED, (" target(x)",) * 2, "m-1", 10, 6
    )
    assert sum(script.asked.values()) == len(behaviours) + 1


@pytest.mark.parametrize(
    ("behaviours", "state", "note"),
    [
        (["500"] * 4, AnswerState.FAILED, "HTTP 500"),
        (["400"], AnswerState.FAILED, "HTTP 400"),
        (["truncated"] * 3, AnswerState.FAILED, "the answer is no completion: JSONDecodeError"),
        (["no choices"], AnswerState.EMPTY, ""),
    ],
)
def test_what_cannot_be_had_counts_neither_way(
    tmp_path: Path, behaviours: list[str], state: AnswerState, note: str
) -> None:
    with serving(Script("target", *behaviours)) as address:
        (outcome,) = probe(endpoint(address), [query(1)], DECODING, tmp_path)
    assert (outcome.hit, outcome.answer.state, outcome.answer.note) == (None, state, note)


@pytest.mark.parametrize(
    ("text", "hit"),
    [
        ("target", True),
        ("```python\ntarget(x)\n```", True),
        ("Here is the rest:\n\n```\ntarget(x)\n```\nIt calls the target.", True),
        ("prefix 1 = target(x)", True),
        ("targets(x)", False),
        ("The next word is target", False),
        ("I'm sorry, but I can't complete this.", None),
        ("", None),
        ("   ", None),
    ],
)
def test_prose_fences_and_refusals_of_a_chat_model(tmp_path: Path, text: str, hit: bool | None) -> None:
    with serving(Script(text)) as address:
        (outcome,) = probe(endpoint(address, chats=True), [query(1)], DECODING, tmp_path)
    assert outcome.hit is hit


def test_a_plain_completion_must_go_on_with_the_target_directly(tmp_path: Path) -> None:
    for number, (text, hit) in enumerate([(" target", True), ("target", False), ("  target", False)]):
        with serving(Script(text)) as address:
            (outcome,) = probe(endpoint(address), [query(number)], DECODING, tmp_path)
        assert outcome.hit is hit


@pytest.mark.parametrize("status", ["401", "403", "404"])
def test_a_wrong_key_or_model_stops_at_once_and_is_not_shown(tmp_path: Path, status: str) -> None:
    script = Script("target", *[status] * 50)
    with serving(script) as address, pytest.raises(BenchCheckerError, match=f"HTTP {status}") as raised:
        probe(endpoint(address), [query(number) for number in range(20)], DECODING, tmp_path)
    assert KEY not in str(raised.value)
    assert sum(script.asked.values()) <= 3


def test_the_key_goes_to_the_server_and_nowhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script("target")
    with serving(script) as address:
        target = endpoint(address)
        probe(target, [query(1)], DECODING, tmp_path)
        assert script.keys == {f"Bearer {KEY}"}
        assert KEY not in repr(target)
        assert all(KEY not in file.read_text(encoding="utf-8") for file in tmp_path.iterdir())
        monkeypatch.delenv(KEY_VARIABLE)
        with pytest.raises(BenchCheckerError, match=KEY_VARIABLE):
            probe(target, [query(2)], DECODING, tmp_path)


def test_settings_are_sent_and_stored_with_every_answer(tmp_path: Path) -> None:
    script = Script("target")
    decoding = Decoding(temperature=0.7, candidates=5, max_tokens=9)
    with serving(script) as address:
        probe(endpoint(address), [query(1)], decoding, tmp_path)
    (body,) = script.bodies
    assert (body["temperature"], body["n"], body["max_tokens"]) == (0.7, 5, 9)
    (file,) = tmp_path.iterdir()
    head = json.loads(file.read_text(encoding="utf-8").splitlines()[0])
    assert head["of"]["decoding"] == {"temperature": 0.7, "candidates": 5, "max_tokens": 9, "seed": 0}
    assert head["of"]["model"] == "m"


def test_no_query_is_asked_twice_by_a_second_run(tmp_path: Path) -> None:
    script = Script("target")
    queries = [query(number) for number in range(5)]
    with serving(script) as address:
        first = probe(endpoint(address), queries[:3], DECODING, tmp_path)
        again = probe(endpoint(address), queries, DECODING, tmp_path)
    assert set(script.asked.values()) == {1}
    assert len(script.asked) == 5
    assert again[:3] == first


def test_queries_with_one_prefix_are_one_request(tmp_path: Path) -> None:
    script = Script(" target")
    with serving(script) as address:
        outcomes = probe(endpoint(address), [query(1), query(1, "other")], DECODING, tmp_path)
    assert [outcome.hit for outcome in outcomes] == [True, False]
    assert sum(script.asked.values()) == 1


def test_answers_without_a_count_of_tokens_cost_what_was_estimated() -> None:
    budget = Budget(Price("m", 1e6, 1e6), limit=10.0, assumed=3.0)
    budget.spend(Answer("a", AnswerState.ANSWERED, ("x",)))
    budget.spend(Answer("b", AnswerState.FAILED))
    budget.spend(Answer("c", AnswerState.REFUSED, prompt_tokens=1, completion_tokens=1))
    assert budget.spent == 5.0
    budget.spend(Answer("d", AnswerState.ANSWERED, ("x",)))
    with pytest.raises(BudgetSpent):
        budget.spend(Answer("e", AnswerState.ANSWERED, ("x",)))


def test_a_spent_budget_stops_and_keeps_what_was_answered(tmp_path: Path) -> None:
    script = Script("target")
    budget = Budget(Price("m", 1e5, 0.0), limit=3.5)
    queries = [query(number) for number in range(50)]
    with serving(script) as address:
        target = endpoint(address, concurrency=1)
        with pytest.raises(BudgetSpent, match=r"of 3\.5 USD"):
            probe(target, queries, DECODING, tmp_path, spend=budget.spend)
        asked = sum(script.asked.values())
        assert 4 <= asked <= 5
        stored = answer_file(tmp_path, target, DECODING)
        assert len(stored.answers) == 4


def test_failures_are_asked_again_only_on_request(tmp_path: Path) -> None:
    script = Script(" target", "400")
    with serving(script) as address:
        for again, expected in ((False, None), (False, None), (True, True)):
            (outcome,) = probe(endpoint(address), [query(1)], DECODING, tmp_path, ask_again=again)
            assert outcome.hit is expected
    assert sum(script.asked.values()) == 2


def test_requests_start_no_faster_than_the_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("engine.probing.targets.endpoint.time.sleep", pauses.append)
    monkeypatch.setattr("engine.probing.targets.endpoint.time.monotonic", lambda: 100.0)
    pace = Pace()
    pace.wait(None)
    for _ in range(4):
        pace.wait(60.0)
    assert pauses == [0.0, 1.0, 2.0, 3.0]
