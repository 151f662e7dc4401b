"""What is asked of a model, and what it answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Decoding:
    """How candidates are drawn.

    Attributes:
        temperature: Sampling temperature; the paper's is 1.0 (Section 5.5).
        candidates: Continuations per query.
        max_tokens: Longest continuation; a target is one word.
        seed: Seed of the sampling, for targets that take one.
    """

    temperature: float = 1.0
    candidates: int = 10
    max_tokens: int = 12
    seed: int = 0

    def __post_init__(self) -> None:
        if self.temperature < 0 or self.candidates < 1 or self.max_tokens < 1:
            raise ValueError(f"no decoding: {self}")


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt to continue.

    Attributes:
        key: Names it; equal keys are equal prompts.
        prompt: The text to continue.
        instruction: What a model that chats is told to do with the prompt; empty for the instruction to
            continue it. A model that only continues text never sees it.
    """

    key: str
    prompt: str
    instruction: str = ""


class AnswerState(StrEnum):
    """What came back; only `answered` can be a hit or a miss."""

    ANSWERED = "answered"
    REFUSED = "refused"
    EMPTY = "empty"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Answer:
    """The candidates for one request.

    Attributes:
        key: Key of the request.
        state: What came back.
        texts: Continuations as the model gave them.
        revision: The model's own name for its version, as it reported it.
        prompt_tokens: Tokens read, as the target counts them; 0 where unknown.
        completion_tokens: Tokens written.
        note: What went wrong, for `failed`.
    """

    key: str
    state: AnswerState
    texts: tuple[str, ...] = ()
    revision: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    note: str = ""


class Target(Protocol):
    """A model that continues text.

    Attributes:
        name: What it is called.
        paid: Whether a request costs money, so that none may be sent twice.
        chats: Whether it answers in a conversation, so that its texts may hold more than a continuation.
    """

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def paid(self) -> bool: ...  # noqa: D102

    @property
    def chats(self) -> bool: ...  # noqa: D102

    def answers(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[Answer]:
        """Yield an answer for every request, as they come.

        Raises:
            BenchCheckerError: If nothing can be asked at all (no key, no such model).
        """
        ...
