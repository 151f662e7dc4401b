"""Requests and answers as JSON lines, in the form of providers' batch services.

`write_requests` writes what to ask; whoever can ask the model does so, and `read_answers` reads what came
back: a batch service's output, or lines `{"key": …, "texts": […]}` written by hand or by a script.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from engine.probing.targets.prompts import chat_messages
from engine.probing.targets.protocol import Answer, AnswerState, Decoding, Request
from engine.problems import Loaded, Problem

_REMEDY = "expected a batch service's output line, or a line with `key` and `texts`"


def write_requests(
    path: Path, requests: Iterable[Request], model: str, decoding: Decoding, *, chats: bool
) -> int:
    """Write one request a line for a batch service; return how many.

    Args:
        path: The file.
        requests: What to ask.
        model: The provider's name of the model.
        decoding: How candidates are drawn.
        chats: Ask in a conversation instead of plain completion.
    """
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for request in requests:
            body: dict[str, Any] = {
                "model": model,
                "temperature": decoding.temperature,
                "n": decoding.candidates,
                "max_tokens": decoding.max_tokens,
            }
            if chats:
                body["messages"] = chat_messages(request)
            else:
                body["prompt"] = request.prompt
            url = "/v1/chat/completions" if chats else "/v1/completions"
            line = {"custom_id": request.key, "method": "POST", "url": url, "body": body}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            count += 1
    return count


def read_answers(path: Path) -> Loaded[Answer]:
    """Read recorded answers; every line that is none becomes a `Problem`.

    A key that occurs twice with different texts is a problem too, since nobody can say which one counts.
    """
    answers: dict[str, Answer] = {}
    problems: list[Problem] = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            answer = _answer(json.loads(line))
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
            problems.append(Problem(str(path), number, "", f"no answer: {error}", _REMEDY))
            continue
        known = answers.setdefault(answer.key, answer)
        if known != answer:
            problems.append(
                Problem(str(path), number, answer.key, "a second, different answer", "leave one of them out")
            )
    return Loaded(tuple(answers.values()), tuple(problems))


def answer_from_body(key: str, body: Mapping[str, Any]) -> Answer:
    """Return the answer in the body of a completion, of either kind.

    Raises:
        ValueError, TypeError, KeyError, AttributeError, OverflowError: If the body is no completion.
    """
    texts, refused = [], False
    for choice in body["choices"]:
        message = choice.get("message")
        text = choice.get("text") if message is None else message.get("content")
        refused |= bool(message and message.get("refusal")) or choice.get("finish_reason") == "content_filter"
        if isinstance(text, str):
            texts.append(text)
    _require_utf8(texts)
    usage = body.get("usage") or {}
    return Answer(
        key,
        _state(texts, refused),
        tuple(texts),
        str(body.get("system_fingerprint") or body.get("model") or ""),
        int(usage.get("prompt_tokens") or 0),
        int(usage.get("completion_tokens") or 0),
    )


def _answer(line: Any) -> Answer:
    if not isinstance(line, dict):
        raise TypeError("the line is no JSON object")
    if "texts" in line:
        texts = line["texts"]
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise TypeError("`texts` is no list of texts")
        _require_utf8(texts)
        return Answer(str(line["key"]), _state(texts, False), tuple(texts), str(line.get("revision") or ""))
    key, response = str(line["custom_id"]), line.get("response")
    if response is None or response.get("status_code", 200) != 200:
        return Answer(key, AnswerState.FAILED, note=str(line.get("error") or "the service reports a failure"))
    return answer_from_body(key, response["body"])


def _require_utf8(texts: list[str]) -> None:
    """Raise a ValueError if a text cannot be stored: a cut may leave half of a surrogate pair."""
    for text in texts:
        text.encode()


def _state(texts: list[str], refused: bool) -> AnswerState:
    if any(text.strip() for text in texts):
        return AnswerState.ANSWERED
    return AnswerState.REFUSED if refused else AnswerState.EMPTY
