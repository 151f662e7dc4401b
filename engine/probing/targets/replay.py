"""Answers given beforehand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.probing.targets.protocol import Answer, AnswerState, Decoding, Request


@dataclass(frozen=True)
class Replay:
    """Gives recorded answers; a request without one fails and says so.

    Attributes:
        name: The model that answered.
        recorded: Answer by the key of its request.
        chats: Whether the answers are from a conversation.
    """

    name: str
    recorded: Mapping[str, Answer]
    chats: bool = False
    paid: bool = False

    def answers(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[Answer]:
        """See `Target.answers`."""
        del decoding
        for request in requests:
            missing = Answer(request.key, AnswerState.FAILED, note="no answer was recorded")
            yield self.recorded.get(request.key, missing)
