from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from traced_world import patch_blocks

from engine.patches.syntax import LogicalLine, parse_source
from engine.patches.tokens import encode
from engine.presence.traced.evidence import region_of, weigh, weigh_order, weigh_taking
from engine.presence.traced.fix import Fix, bag_of, fix_of, merged, reading_of
from engine.presence.traced.lines import context_of, context_share, reverted_share, weigh_lines


def fix(before: str, after: str, path: str = "m.py") -> Fix:
    (block,) = patch_blocks({path: before}, {path: after})
    return fix_of(block)


def function(*lines: str) -> str:
    return "\n    ".join(["def f(a, b):", *lines]) + "\n"


def lines_of(text: str, path: str = "m.py") -> tuple[LogicalLine, ...]:
    source = parse_source(text.encode(), path)
    assert source is not None
    return tuple(line for scope in source.scopes for line in scope.lines)


def evidence(found: Fix, text: str) -> float:
    source = parse_source(text.encode(), "m.py")
    assert source is not None
    return weigh(found, region_of(found, source.scopes_by_name["f"], ())).score


def test_a_fix_is_what_it_brought_and_took_and_not_what_it_moved() -> None:
    found = fix(
        function("x = open_file(a)", "return x"),
        function("if b:", "    x = open_file(a)", "    log_event(x)", "return x"),
    )
    assert found.plus.words == Counter(["if", "b", "log", "_event", "(", "x", ")"])
    assert not found.minus.words
    assert found.rare_words == ("log_event",)
    assert found.unchanged == Counter(
        encode(line.tokens) for line in lines_of(function("x = open_file(a)", "return x"))
    )


def test_imports_and_type_hints_are_no_part_of_a_fix() -> None:
    hints = fix(
        "def f(a, b):\n    return a\n", "def f(a: int, b: str = '') -> int:\n    c: int = 1\n    return a\n"
    )
    assert hints.plus.words == Counter(["=", '""', "c", "=", "1"])
    assert "int" not in hints.plus.words
    imports = fix(function("return a"), function("import re", "return a"))
    assert not imports.plus.words
    assert imports.size > 0 or imports.only_orders


@pytest.mark.parametrize(
    ("before", "after", "fine"),
    [
        ("x = 'a=b %s'", "x = 'a=\"b\" %s'", True),
        ("x = r'(\\s+|\\.)'", "x = r'(\\s+|\\s*|\\.)'", True),
        ("x = 'Word'", "x = 'word'", True),
        ("x = 'word'", "x = 'other'", False),
        ("x = a < b", "x = a <= b", False),
        ("x = a[1]", "x = a[2]", False),
    ],
)
def test_marks_in_strings_count_where_nothing_else_does(before: str, after: str, fine: bool) -> None:
    found = fix(function(before, "return x"), function(after, "return x"))
    assert found.fine is fine
    assert found.changes or found.minus.words or found.plus.pairs


def test_a_word_that_was_there_weighs_less_than_a_new_one_and_a_bracket_next_to_nothing() -> None:
    found = fix(
        function("if len(a) == 1:", "    return b"),
        function("if len(a) == 0 or len(a) == 1:", "    return b"),
    )
    assert found.weights["0"] > found.weights["a"] > found.weights["or"] > found.weights["("] > 0


def test_each_written_line_is_set_against_the_line_it_replaces() -> None:
    found = fix(
        function("if isinstance(a, Remove) and b:", "    return a"),
        function("if isinstance(a, (Alter, Remove)) and b:", "    return a", "emit(b)"),
    )
    first, second = found.changes
    assert first.plus == Counter(["(", "alter", ",", ")"])
    assert first.former_code
    assert second.former_code == ""
    assert second.plus == Counter(["emit", "(", "b", ")"])


def test_the_lines_around_a_fix_tell_where_its_code_is() -> None:
    before = ["start_work(a)", "first = read_head(a)", "last = read_tail(b)", "return first + last"]
    after = [*before[:2], "check_limits(a, first)", *before[2:]]
    found = fix(function(*before), function(*after))
    assert len(found.context) == 5  # the header too
    there = [encode(line.tokens) for line in lines_of(function(*before))]
    away = [encode(line.tokens) for line in lines_of("def g(x):\n    for y in x.parts:\n        y.drop()\n")]
    assert context_share(found.context, there) == 1.0
    assert context_share(found.context, away) == 0.0
    assert context_share((), there) == context_share(found.context, ()) == 0.0


def test_lines_that_are_what_they_were_are_a_reversal_only_without_the_fix() -> None:
    before, after = function("x = valueOf(a)", "return of(x)"), function("x = parse(a)", "return maybe(x)")
    found = fix(before, after)

    def codes(text: str) -> list[str]:
        return [encode(line.tokens) for line in lines_of(text)]

    assert reverted_share(found.changes, codes(before)) == 1.0
    assert reverted_share(found.changes, codes(after)) == 0.0
    assert reverted_share(found.changes, codes(before + after)) == 0.0
    half = reverted_share(found.changes, codes(function("x = parse(a)", "return of(x)")))
    assert 0.3 < half < 0.7


def test_taken_words_are_gone_until_they_are_back() -> None:
    before, after = function("flush(a)", "return b"), function("return b")
    found = fix(before, after)
    assert found.only_takes
    for text, expected in ((after, 1.0), (before, 0.0)):
        source = parse_source(text.encode(), "m.py")
        assert source is not None
        assert weigh_taking(found, source.scopes_by_name["f"]) == expected


def test_order_is_judged_by_the_nearer_side() -> None:
    fixed, buggy = ["a", "b", "c", "d"], ["b", "a", "c", "d"]
    assert weigh_order(fixed, fixed, buggy) == 1.0
    assert weigh_order(buggy, fixed, buggy) == 0.0
    assert weigh_order(["c", "d"], fixed, buggy) == 0.75


NAME = st.sampled_from(["alpha", "beta_value", "gammaRay", "delta", "x", "_private"])
STATEMENT = st.one_of(
    st.builds("{} = {}({})".format, NAME, NAME, NAME),
    st.builds("if {} is not None:\n        {}.close({})".format, NAME, NAME, st.integers(0, 9)),
    st.builds("{}.log('{} = %s' % {})".format, NAME, NAME, NAME),
    st.builds("return {} + {}".format, NAME, NAME),
)
BODY = st.lists(STATEMENT, min_size=1, max_size=7)


@settings(max_examples=150, deadline=None)
@given(BODY, BODY)
def test_the_fixed_code_holds_all_of_any_fix(before: list[str], after: list[str]) -> None:
    assume(before != after)
    found = fix(function(*before), function(*after))
    assume(found.plus.words)
    assert evidence(found, function(*after)) == pytest.approx(1.0)


@settings(max_examples=150, deadline=None)
@given(BODY, BODY, BODY)
def test_evidence_is_a_share(before: list[str], after: list[str], now: list[str]) -> None:
    assume(before != after)
    found = fix(function(*before), function(*after))
    source = parse_source(function(*now).encode(), "m.py")
    assert source is not None
    result = weigh(found, region_of(found, source.scopes_by_name["f"], ()))
    assert 0.0 <= result.score <= 1.0 + 1e-9
    assert 0.0 <= result.line_score <= 1.0 + 1e-9
    assert 0.0 <= result.context <= 1.0
    assert len(result.lines) == len(found.lines)
    assert all(0.0 <= score <= 1.0 for score in result.lines)


@settings(max_examples=100, deadline=None)
@given(BODY, BODY)
def test_the_line_that_a_fix_replaced_holds_nothing_of_it(before: list[str], after: list[str]) -> None:
    assume(before != after)
    found = fix(function(*before), function(*after))
    by_code = {encode(line.tokens): line for line in lines_of(function(*before))}
    for change in found.changes:
        if change.former_code:
            former = reading_of(by_code[change.former_code], fine=found.fine)
            assert weigh_lines([change], [former], found.weights) == 0.0
        assert weigh_lines([change], [change.line], found.weights) == pytest.approx(1.0)


@settings(max_examples=100, deadline=None)
@given(st.lists(BODY, min_size=1, max_size=4))
def test_bags_add_up(bodies: list[list[str]]) -> None:
    bags = [bag_of(lines_of(function(*body)), fine=False) for body in bodies]
    total = merged(bags)
    assert sum(total.words.values()) == sum(sum(bag.words.values()) for bag in bags)
    assert sum(total.pairs.values()) == sum(sum(bag.pairs.values()) for bag in bags)
    for bag in bags:
        assert bag.words <= total.words


@given(st.text(max_size=40))
def test_any_text_of_a_string_is_read_in_full_where_marks_matter(text: str) -> None:
    source = parse_source(f"x = {text!r}\n".encode("utf-8", "replace"), "m.py")
    assert source is not None
    for line in source.scopes[0].lines:
        reading = reading_of(line, fine=True)
        words = [word for word in reading.features if "\0" not in word]
        assert set("".join(words)) == set("".join(token.text for token in line.tokens)) - {"\0"}


def test_context_leaves_out_short_lines_and_those_the_fix_wrote() -> None:
    lines = lines_of(function("a.open()", "b", "new_line(a)", "close(b)"))
    written = frozenset({encode(lines[3].tokens)})
    assert context_of(lines, written) == tuple(encode(lines[index].tokens) for index in (0, 1, 4))
