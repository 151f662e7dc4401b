"""When an answer is a hit: the target is the next word, exactly (paper, Section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.probing.queries import Query
from engine.probing.targets.prompts import continuation
from engine.probing.words import first_word


def next_word(query: Query, text: str, *, chats: bool) -> str:
    """Return the word that a candidate continues the prefix with; empty where it is no word.

    Args:
        query: What was asked; a plain completion must begin with the blank that its prompt lacks.
        text: The candidate.
        chats: Whether it comes from a conversation and may hold more than the continuation.
    """
    if chats:
        # A conversation loses blanks at the start of a text.
        return first_word(continuation(query.prompt, text).lstrip())
    blank = query.prefix[len(query.prompt) :]
    return first_word(text[len(blank) :]) if text.startswith(blank) else ""


def is_hit(query: Query, texts: Sequence[str], *, chats: bool) -> bool:
    """Return whether any candidate's next word is the target."""
    return any(next_word(query, text, chats=chats) == query.target for text in texts)
