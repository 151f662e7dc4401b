"""Asks a model every query once, and keeps what it said.

Requests and answers are lines of one file for each model and decoding. A request is marked as sent, durably,
before it leaves; an answer is stored, durably, when it comes. After a kill the marked requests without an
answer are lost: a paid target is not asked them again unless the caller wants it, any other target is.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from engine.probing.hits import is_hit
from engine.probing.queries import Query
from engine.probing.targets.protocol import Answer, AnswerState, Decoding, Request, Target
from engine.problems import BenchCheckerError

Progress = Callable[[int, int], None]
"""Called with the number of queries that have an answer, and of all."""
LOST = "sent before an interruption, and not asked again"


class BudgetSpent(BenchCheckerError):
    """The budget is used up; what was answered is kept."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A query with what the model said.

    Attributes:
        query: The query.
        answer: The answer.
        hit: Whether a candidate's next word is the target; None where nothing was answered, so that the query
            counts neither way.
    """

    query: Query
    answer: Answer
    hit: bool | None


class AnswerFile:
    """Sent requests and answers of one model under one decoding.

    Args:
        path: The file; its folder is made.
        head: What the answers belong to (model, decoding), written once for readers.
    """

    def __init__(self, path: Path, head: dict[str, Any]) -> None:
        self.path = path
        self._head = head
        self._stream: TextIO | None = None
        self.answers: dict[str, Answer] = {}
        self.sent: set[str] = set()
        self._read()

    def mark_sent(self, key: str) -> None:
        """Note, durably, that a request is about to leave."""
        if key not in self.sent:
            self._write({"sent": key})
            self.sent.add(key)

    def add(self, answer: Answer) -> None:
        """Store an answer, durably."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._write({"answer": asdict(answer), "at": now})
        self.answers[answer.key] = answer

    def close(self) -> None:
        """Close the file."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _write(self, record: dict[str, Any]) -> None:
        if self._stream is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            new = not self.path.exists()
            self._stream = self.path.open("a", encoding="utf-8")
            # A line that a kill cut off must not swallow the next one.
            self._stream.write(json.dumps({"of": self._head}) + "\n" if new else "\n")
        self._stream.write(json.dumps(record, ensure_ascii=False) + "\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def _read(self) -> None:
        if not self.path.exists():
            return
        for line in self.path.read_bytes().split(b"\n"):
            try:
                record = json.loads(line)
                if "sent" in record:
                    self.sent.add(str(record["sent"]))
                elif "answer" in record:
                    stored = record["answer"] | {
                        "state": AnswerState(record["answer"]["state"]),
                        "texts": tuple(record["answer"]["texts"]),
                    }
                    self.answers[stored["key"]] = Answer(**stored)
            except (ValueError, TypeError, KeyError, AttributeError):
                continue  # the line that an interruption cut off


def answer_file(folder: Path, target: Target, decoding: Decoding) -> AnswerFile:
    """Return where the answers of a model under a decoding are kept."""
    head = {"model": target.name, "chats": target.chats, "decoding": asdict(decoding)}
    digest = hashlib.sha256(json.dumps(head, sort_keys=True).encode()).hexdigest()[:12]
    safe = "".join(mark if mark.isalnum() or mark in "-._" else "_" for mark in target.name)[:80]
    return AnswerFile(folder / f"{safe}-{digest}.jsonl", head)


def probe(
    target: Target,
    queries: Sequence[Query],
    decoding: Decoding,
    folder: Path,
    *,
    ask_again: bool = False,
    spend: Callable[[Answer], None] = lambda answer: None,
    progress: Progress = lambda done, total: None,
) -> list[Outcome]:
    """Ask a model every query that has no stored answer.

    Args:
        target: The model.
        queries: What to ask; queries with the same prompt are one request.
        decoding: How candidates are drawn.
        folder: Where answers are kept.
        ask_again: Ask what failed, or was lost in an interruption, once more.
        spend: Called with each new answer; raises `BudgetSpent` to stop.
        progress: Told after each answer.

    Returns:
        One outcome for each query, in their order.

    Raises:
        BenchCheckerError: If the model cannot be asked at all, or the budget is spent.
    """
    stored = answer_file(folder, target, decoding)
    prompts = {request_key(query.prompt): query.prompt for query in queries}
    open_keys = [key for key in prompts if _is_open(stored, key, target.paid, ask_again)]
    total, done = len(prompts), len(prompts) - len(open_keys)
    progress(done, total)
    try:
        asked = [Request(key, prompts[key]) for key in open_keys]
        requests = _Marking(asked, stored) if target.paid else asked
        for answer in target.answers(requests, decoding):
            stored.add(answer)
            done += 1
            progress(done, total)
            spend(answer)
    finally:
        stored.close()
    return [outcome_of(query, stored, chats=target.chats) for query in queries]


def unasked(
    target: Target, queries: Sequence[Query], decoding: Decoding, folder: Path, *, ask_again: bool = False
) -> list[str]:
    """Return the prompts that `probe` would ask now."""
    stored = answer_file(folder, target, decoding)
    prompts = {request_key(query.prompt): query.prompt for query in queries}
    return [prompt for key, prompt in prompts.items() if _is_open(stored, key, target.paid, ask_again)]


def request_key(prompt: str) -> str:
    """Return the key of a request: the same prompt is asked once, whatever its targets."""
    return hashlib.sha256(prompt.encode()).hexdigest()[:24]


class _Marking(Sequence[Request]):
    """Requests that are marked as sent at the moment a target takes them."""

    def __init__(self, requests: list[Request], stored: AnswerFile) -> None:
        self._requests = requests
        self._stored = stored

    def __len__(self) -> int:
        return len(self._requests)

    def __getitem__(self, index: Any) -> Any:
        return self._requests[index]

    def __iter__(self) -> Iterator[Request]:
        for request in self._requests:
            self._stored.mark_sent(request.key)
            yield request


def _is_open(stored: AnswerFile, key: str, paid: bool, ask_again: bool) -> bool:
    answer = stored.answers.get(key)
    if answer is not None:
        return ask_again and answer.state is AnswerState.FAILED
    return key not in stored.sent or ask_again or not paid


def outcome_of(query: Query, stored: AnswerFile, *, chats: bool) -> Outcome:
    """Return what a model said to a query, by its stored answers.

    Args:
        query: What was asked.
        stored: The answers.
        chats: Whether they come from a conversation.
    """
    key = request_key(query.prompt)
    answer = stored.answers.get(key) or Answer(key, AnswerState.FAILED, note=LOST)
    if answer.state is not AnswerState.ANSWERED:
        return Outcome(query, answer, None)
    return Outcome(query, answer, is_hit(query, answer.texts, chats=chats))
