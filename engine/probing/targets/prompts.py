"""How a chat model is asked to continue a text, and how its continuation is found in what it says."""

from __future__ import annotations

import re

from engine.probing.targets.protocol import Request

_INSTRUCTION = (
    "You complete source code. The user gives the beginning of a file, cut off in the middle of a line. "
    "Answer with the text that follows it directly, starting with the very next character, and nothing else: "
    "no repetition of the beginning, no explanation, no code fence."
)
_FENCE = re.compile(r"```[^\n`]*\n(.*?)(?:\n?```|\Z)", re.DOTALL)
_REFUSAL = re.compile(
    r"^\W*(i\W?m (sorry|unable|not able)|sorry\b|i (can\W?t|cannot|won\W?t)|as an ai\b|i apologi[sz]e)",
    re.IGNORECASE,
)
_LEAST_REPEATED = 8
"""Fewer characters of the prompt at the start of an answer may be chance."""


def chat_messages(request: Request) -> list[dict[str, str]]:
    """Return the messages that ask for the continuation of the prompt, or for what is instructed instead."""
    return [
        {"role": "system", "content": request.instruction or _INSTRUCTION},
        {"role": "user", "content": request.prompt},
    ]


def is_refusal(text: str) -> bool:
    """Whether a chat model declines to answer."""
    return _REFUSAL.match(text) is not None


def continuation(prompt: str, text: str) -> str:
    """Return what a chat model's answer continues `prompt` with.

    Prose around a code fence goes, and so does the end of the prompt where the answer starts by repeating it.
    What is left is taken as it is: an answer that ignores the instruction misses.

    Args:
        prompt: What was asked.
        text: What was answered.
    """
    fenced = _FENCE.search(text)
    answer = fenced.group(1) if fenced else text
    return _without_repetition(prompt, answer)


def _without_repetition(prompt: str, answer: str) -> str:
    """Cut off the longest end of the prompt that the answer begins with."""
    stripped = answer.lstrip()
    for length in range(min(len(prompt), len(stripped)), _LEAST_REPEATED - 1, -1):
        if prompt.endswith(stripped[:length]):
            return stripped[length:]
    return answer
