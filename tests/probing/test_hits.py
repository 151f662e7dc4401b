"""When the target is the next word, for plain completions and for conversations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.probing.asking import request_key
from engine.probing.hits import is_hit, next_word
from engine.probing.queries import PatternKind, Query

WORDS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,12}", fullmatch=True)


def query(prefix: str, target: str = "namespace") -> Query:
    return Query("o/r", PatternKind.CLONE, "g", prefix, target, 2, 1, 10)


@pytest.mark.parametrize(
    ("prefix", "prompt"),
    [("x = ", "x ="), ("x =", "x ="), ("def f():\n    ", "def f():\n   "), ("x\n", "x\n"), ("x\t", "x\t")],
)
def test_the_prompt_is_the_prefix_less_its_last_blank(prefix: str, prompt: str) -> None:
    assert query(prefix).prompt == prompt


@pytest.mark.parametrize(
    ("prefix", "text", "word"),
    [
        ("x = ", " namespace(1)", "namespace"),
        ("x = ", "namespace(1)", ""),
        ("x = ", "  namespace(1)", ""),
        ("x = ", " namespaces", "namespaces"),
        ("x = ", "\nnamespace", ""),
        ("x.", "namespace(1)", "namespace"),
        ("x.", " namespace(1)", ""),
        ("x = ", "", ""),
        ("    ", " namespace", "namespace"),
    ],
)
def test_a_plain_completion_goes_on_with_the_blank_that_was_not_asked(
    prefix: str, text: str, word: str
) -> None:
    assert next_word(query(prefix), text, chats=False) == word
    assert is_hit(query(prefix), ["", text], chats=False) is (word == "namespace")


@pytest.mark.parametrize("text", ["namespace", " namespace", "value = self.namespaces = namespace(1)"])
def test_a_conversation_may_lose_the_blank_and_repeat_what_it_was_asked(text: str) -> None:
    assert next_word(query("value = self.namespaces = "), text, chats=True) == "namespace"


@given(st.text(alphabet="ab =(\n", max_size=8), WORDS, st.sampled_from(["", "(", ".", " ", "\n"]))
def test_what_really_follows_a_prefix_is_always_a_hit(prefix: str, word: str, after: str) -> None:
    asked = query(prefix, word)
    rest = (prefix + word + after)[len(asked.prompt) :]
    assert is_hit(asked, [rest], chats=False)


def test_prefixes_that_differ_in_the_last_blank_are_one_request_and_two_queries() -> None:
    one, other = query("x = "), query("x =")
    assert request_key(one.prompt) == request_key(other.prompt)
    assert one.key != other.key
