from hypothesis import given
from hypothesis import strategies as st

from engine.overlap.canonical import token_spans
from engine.overlap.excerpts import Excerpts

TEXT = st.text(st.sampled_from("aB1 _\n\r\t…é\u0301\u200bﬁ漢字\u0e01½-"), max_size=60)


@given(TEXT, st.integers(0, 40))
def test_an_excerpt_begins_where_the_token_lies_in_the_whole_text(text: str, token: int) -> None:
    spans = token_spans(text)
    start = spans[min(token, len(spans) - 1)][0] if spans else 0
    assert Excerpts(text)._start(token) == start


def test_an_excerpt_shows_some_text_before_and_after_the_match() -> None:
    text = "ä " * 300 + "needle " + "ö " * 900
    offset, shown = Excerpts(text).cut(300, 6)
    assert offset == 400
    assert shown == text[400 : 600 + 6 + 300]
