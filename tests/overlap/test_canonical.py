import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.overlap.canonical import canonical, token_spans, tokens


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_tokens_are_those_of_the_plain_expression(text):
    assert tokens(text) == re.findall(r"[a-z0-9]+", text.lower())


@given(st.text())
def test_canonical_text_is_stable(text):
    assert canonical(canonical(text)) == canonical(text)
    assert tokens(canonical(text)) == tokens(text)


@given(st.text())
def test_every_token_has_a_place_in_the_text(text):
    spans = token_spans(text)
    assert len(spans) == len(tokens(text))
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert [start for start, _ in spans] == sorted(start for start, _ in spans)


@pytest.mark.parametrize(
    ("variant", "plain"),
    [
        ("Ｔｈｅ ｃｌｉｎｉｃ", "the clinic"),
        ("ef\ufb01cient", "efficient"),
        ("cafe\u0301", "caf\u00e9"),
        ("zero\u200bwidth so\u00adft", "zerowidth soft"),
        ("don\u2019t \u201csay\u201d \u2014 no", 'don\'t "say" - no'),
        ("a\u00a0b\r\n\tc", "a b c"),
        ("STRASSE", "straße"),
        ("nul\x00byte", "nul byte"),
        ("e\u200b\u0301t\u00e9", "\u00e9t\u00e9"),
        ("lone \ud800 surrogate", "lone surrogate"),
        ("======== title", "=== title"),
    ],
)
def test_variants_agree(variant, plain):
    assert canonical(variant) == canonical(plain)


def test_scripts_without_spaces_give_one_token_a_character():
    assert tokens("東京は大きい。") == list("東京は大きい")
    assert tokens("한국어 문장") == tokens("한국어") + tokens("문장")
    assert len(tokens("한국어 문장")) == 2
    assert tokens("नमस्ते दुनिया") == ["नमस्ते", "दुनिया"]


def test_span_of_a_token_points_into_the_raw_text():
    text = "Ｔｈｅ “clinic” in Kisumu—240 visits"
    found = [text[start:end] for start, end in token_spans(text)]
    assert any("Kisumu" in piece for piece in found)
    assert found[-1] == "visits"
