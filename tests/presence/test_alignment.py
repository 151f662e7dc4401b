"""Syntax trees of real code, and which of their nodes correspond."""

from __future__ import annotations

import textwrap

import black
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.patches.syntax import Scope, parse_source
from engine.presence.alignment import Alignment, SyntaxTree, align
from engine.presence.alignment.tree import MAX_HEIGHT, MAX_NODES

WORDS = st.sampled_from(["a", "b", "self.c", "f(a, b)", "f(b)[0]", "a + b", "(a or b) and c", "'text'", "12"])
SIMPLE = st.one_of(
    st.builds("x = {}".format, WORDS), st.builds("return {}".format, WORDS), st.builds("{}".format, WORDS)
)
STATEMENTS = st.recursive(
    SIMPLE,
    lambda inner: st.builds(
        lambda word, body: f"if {word}:\n" + textwrap.indent("\n".join(body), "    "),
        WORDS,
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=8,
)
BODIES = st.lists(STATEMENTS, min_size=1, max_size=6).map("\n".join)


def scopes_of(text: str, path: str = "file.py") -> tuple[Scope, ...]:
    source = parse_source(textwrap.dedent(text).encode(), path)
    assert source is not None
    return source.scopes


def tree_of(text: str, path: str = "file.py", scope: int = 0) -> SyntaxTree:
    found = scopes_of(text, path)[scope]
    tree = SyntaxTree.of(found.node, found.nested_kinds)
    assert tree is not None
    return tree


def partners(alignment: Alignment, kind: str) -> list[tuple[str, str]]:
    """Return the texts below each paired node of a kind, on both sides."""
    left, right = alignment.left, alignment.right

    def text(tree: SyntaxTree, node: int) -> str:
        return " ".join(word for word in tree.texts[tree.first[node] : node + 1] if word)

    return [
        (text(left, one), text(right, other))
        for one, other in sorted(alignment.pairs.items())
        if left.kinds[one] == kind
    ]


def test_formatting_and_comments_leave_no_trace() -> None:
    text = '''
        def f(a,b = 'x',):
            """What it does."""
            # why
            if ( a and
                 b ) : return g( a,
                                 b, )   # because
        '''
    formatted = black.format_str(textwrap.dedent(text), mode=black.Mode())
    assert formatted != text
    assert tree_of(text, scope=1).hashes[-1] == tree_of(formatted, scope=1).hashes[-1]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("a < b", "a <= b"),
        ("(a or b) and c", "a or (b and c)"),
        ("f(1)", "f(right)"),
        ("x = 'a'", "x = 'b'"),
        ("not a", "a"),
    ],
)
def test_what_can_be_a_fix_shows(text: str, other: str) -> None:
    assert tree_of(text).hashes[-1] != tree_of(other).hashes[-1]


def test_a_class_body_is_without_its_functions() -> None:
    tree = tree_of("class A:\n    size = 1\n    def f(self):\n        return marker\n", scope=1)
    assert "size" in tree.texts
    assert "marker" not in tree.texts


def test_a_renamed_variable_leaves_everything_in_place() -> None:
    left = tree_of("total = g(a)\nif total > 3:\n    h(total)\n")
    right = tree_of("amount = g(a)\nif amount > 3:\n    h(amount)\n")
    alignment = align(left, right)
    assert len(alignment.pairs) == len(left) == len(right)
    assert ("total > 3", "amount > 3") in partners(alignment, "comparison_operator")


def test_a_moved_statement_is_found_where_it_went() -> None:
    left = tree_of("first(a, 1)\nsecond(a)\nthird(a)\n")
    right = tree_of("second(a)\nthird(a)\nif a:\n    first(a, 1)\n")
    assert ("first a 1", "first a 1") in partners(align(left, right), "call")


def test_repeated_statements_keep_to_their_surroundings() -> None:
    left = tree_of("if a:\n    one(x)\n    log(x)\nif b:\n    two(x)\n    log(x)\n")
    right = tree_of("if b:\n    two(x)\n    log(x)\nif c:\n    one(x)\n    log(x)\n")
    blocks = partners(align(left, right), "block")
    assert sorted(blocks) == [("one x log x", "one x log x"), ("two x log x", "two x log x")]


def test_java_code_aligns_too() -> None:
    left = tree_of("class A { int f(int a) { if (a > 0) { return g(a); } return 0; } }", "A.java", 2)
    right = tree_of("class A { int h(int a) { if (a >= 0) { return g(a); } return 1; } }", "A.java", 2)
    alignment = align(left, right)
    assert ("g a", "g a") in partners(alignment, "method_invocation")
    assert ("a > 0", "a >= 0") in partners(alignment, "binary_expression")


def test_unlike_code_has_little_in_common() -> None:
    left = tree_of("for x in a:\n    g(x * 2)\n")
    right = tree_of("import os\nPATH = os.environ.get('HOME', '/')\nNAMES = ['a', 'b']\n")
    alignment = align(left, right)
    leaves = [node for node, height in enumerate(left.heights) if height == 0]
    assert alignment.coverage(leaves) == 0.0


@settings(deadline=None, max_examples=100)
@given(BODIES)
def test_equal_code_is_paired_wholly(text: str) -> None:
    tree = tree_of(text)
    alignment = align(tree, tree_of(text))
    assert alignment.similarity == 1.0


@settings(deadline=None, max_examples=100)
@given(BODIES, BODIES)
def test_partners_are_of_one_kind_and_belong_to_one_node(text: str, other: str) -> None:
    alignment = align(tree_of(text), tree_of(other))
    assert len(set(alignment.pairs.values())) == len(alignment.pairs)
    for one, partner in alignment.pairs.items():
        assert alignment.left.kinds[one] == alignment.right.kinds[partner]
    assert 0 <= alignment.similarity <= 1
    assert 0 <= alignment.coverage(range(len(alignment.left))) <= 1


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=300), st.sampled_from(["file.py", "File.java"]))
def test_any_bytes_have_a_tree_in_postorder(text: bytes, path: str) -> None:
    source = parse_source(text, path)
    assert source is not None
    tree = SyntaxTree.of(source.scopes[0].node)
    assert tree is not None
    for node, parent in enumerate(tree.parents):
        assert tree.first[node] <= node
        assert parent == -1 or tree.first[parent] <= tree.first[node] <= node < parent
    assert tree.parents.count(-1) == 1


def test_code_made_by_machines_is_not_aligned() -> None:
    deep = "x = " + "(a + " * (2 * MAX_HEIGHT) + "b" + ")" * (2 * MAX_HEIGHT)
    brackets = "[" * 5000
    wide = "x = [" + "1, " * (2 * MAX_NODES) + "]"
    for text in (deep, wide):
        assert SyntaxTree.of(scopes_of(text)[0].node) is None
    # Unclosed brackets are errors, which nest or not as the parser likes; they must only come to an end.
    SyntaxTree.of(scopes_of(brackets)[0].node)


def test_the_largest_trees_come_to_an_end() -> None:
    text = "\n".join(f"x{number} = f(a, b)" for number in range(MAX_NODES // 8))
    tree = tree_of(text)
    assert align(tree, tree_of(text.replace("f(a, b)", "f(b, a)"))).pairs
