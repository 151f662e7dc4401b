"""How values are written, and which links are made."""

from __future__ import annotations

import html
from datetime import UTC, date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard import links, pair_words, words
from engine.reading import printable
from engine.statistics.effects.paired import compare_all
from engine.statistics.proportions import Interval


def test_numbers_are_written_with_the_precision_they_have() -> None:
    assert words.percent(0.788) == "78.8%"
    assert words.signed_percent(-0.096) == "−9.6%"
    assert words.signed_percent(0.02) == "+2.0%"
    assert words.signed_points(-0.075) == "−7.5"
    assert words.interval(Interval(0.75, 0.822)) == "[75.0–82.2]"
    assert words.points_interval(Interval(-0.113, 0.02)) == "[−11.3 to +2.0]"
    assert words.count(1, "sample") == "1 sample"
    assert words.count(1820, "repository", "repositories") == "1,820 repositories"
    assert words.day(date(2025, 3, 31)) == "2025-03-31"
    assert words.utc_day(datetime(2025, 3, 31, 23, 59, tzinfo=UTC)) == "2025-03-31"


def test_what_is_missing_is_a_dash_and_never_a_zero() -> None:
    missing = [words.percent(None), words.signed_percent(None), words.signed_points(None), words.day(None)]
    assert missing == [words.DASH] * 4
    assert words.interval(None) == ""
    assert words.points_interval(None) == ""


@given(st.text())
def test_markdown_escapes_every_mark_and_keeps_the_text(text: str) -> None:
    escaped = words.markdown(text)
    marks = set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
    unescaped, position = [], 0
    while position < len(escaped):
        if escaped[position] == "\\":
            position += 1
            assert escaped[position] in marks
        else:
            assert escaped[position] not in marks
        unescaped.append(escaped[position])
        position += 1
    assert "".join(unescaped) == printable(text)


@given(st.text())
def test_hover_text_has_no_tags_and_keeps_the_text(text: str) -> None:
    escaped = words.hover(text)
    assert "<" not in escaped
    assert html.unescape(escaped) == printable(text)


@pytest.mark.parametrize("trick", ["a\nb", "a\u202eb", "a\x00b", "a\u2028b"])
def test_characters_that_change_the_line_or_its_direction_are_replaced(trick: str) -> None:
    assert printable(trick) == "a\N{REPLACEMENT CHARACTER}b"


def test_links_go_to_github_and_quote_paths() -> None:
    sha = "ab" * 20
    assert links.pull_request("acme/widgets", 7) == "https://github.com/acme/widgets/pull/7"
    assert links.commit("acme/widgets", sha) == f"https://github.com/acme/widgets/commit/{sha}"
    assert links.place("acme/widgets", sha, "src/a b#c.py", 3, 9) == (
        f"https://github.com/acme/widgets/blob/{sha}/src/a%20b%23c.py#L3-L9"
    )
    assert links.place("acme/widgets", sha, "a.py", 3, None) == (
        f"https://github.com/acme/widgets/blob/{sha}/a.py#L3"
    )
    assert links.place("acme/widgets", sha, "a.py", None, None) == (
        f"https://github.com/acme/widgets/blob/{sha}/a.py"
    )


@pytest.mark.parametrize(
    "repository", ["acme", "../../evil", "acme/widgets/..", "a@b/c", "acme/widgets?x", ""]
)
def test_a_repository_that_is_not_owner_and_name_has_no_link(repository: str) -> None:
    assert links.pull_request(repository, 7) is None


@pytest.mark.parametrize("path", ["../x", "a/../b", "/a", "a//b", ""])
def test_a_path_that_leaves_the_repository_has_no_link(path: str) -> None:
    assert links.place("acme/widgets", "ab" * 20, path, 1, 1) is None


@pytest.mark.parametrize("sha", [None, "main", "ab" * 40, "AB" * 20])
def test_a_commit_that_is_no_hash_has_no_link(sha: str | None) -> None:
    assert links.commit("acme/widgets", sha) is None
    assert links.place("acme/widgets", sha, "a.py", 1, 1) is None


def test_a_target_is_an_address_of_the_dashboard() -> None:
    target = links.Target("submission", {"submission": "a&b", "detector": "paper"})
    assert target.href == "submission?submission=a%26b&detector=paper"


@pytest.mark.parametrize(
    ("value", "alone", "named"),
    [
        (None, "–", None),
        (0.0341, "0.034", "q = 0.034"),
        (0.001, "0.001", "q = 0.001"),
        (0.00099, "< 0.001", "q < 0.001"),
        (0.0, "< 0.001", "q < 0.001"),
        (1.0, "1.000", "q = 1.000"),
    ],
)
def test_a_probability_is_never_printed_as_nothing(
    value: float | None, alone: str, named: str | None
) -> None:
    assert words.probability(value) == alone
    if value is not None:
        assert words.p_value(value, "q") == named


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ([1] * 8 + [0] * 2, [0] * 8 + [0] * 2, "**A** resolves **80.0 points** more than **B** [+"),
        ([0] * 8 + [0] * 2, [1] * 8 + [0] * 2, "**B** resolves **80.0 points** more than **A** [+"),
        ([1, 1, 0, 0], [1, 0, 0, 0], "**A** resolves **25.0 points** more than **B** [−"),
        ([1, 0, 1, 0], [0, 1, 0, 1], "**A** and **B** resolve equally many (p = 1.000)."),
    ],
)
def test_two_submissions_are_compared_in_a_sentence(first: list[int], second: list[int], said: str) -> None:
    resolved = np.array([first, second], dtype=bool)
    member = np.ones(resolved.shape, dtype=bool)
    sentence = pair_words.verdict(compare_all(resolved, member), ["A", "B"], "clean")
    assert sentence.startswith(f"On {len(first)} samples that are clean for both, ")
    assert said in sentence
    assert ("beyond chance" in sentence) == (len(first) == 10)


def test_no_samples_in_common_and_several_pairs_are_said() -> None:
    resolved = np.array([[1] * 9, [0] * 9, [0] * 9], dtype=bool)
    member = np.ones(resolved.shape, dtype=bool)
    assert "nothing can be said" in pair_words.verdict(
        compare_all(resolved[:2], ~member[:2]), ["A", "B"], "clean"
    )
    sentence = pair_words.verdict(compare_all(resolved, member), ["A", "<b>", "C"], "all")
    assert "Of 3 pairs on all samples, **2** differ beyond chance" in sentence
    assert "<b>" not in sentence
    same = pair_words.verdict(compare_all(resolved[[1, 2, 2]], member), ["A", "B", "C"], "all")
    assert same.endswith("no one of them can be called better there.")
