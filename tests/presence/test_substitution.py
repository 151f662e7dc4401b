"""The gold patch with the snapshot's code in place of its own."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from engine.patches.blocks import blocks_of
from engine.patches.diff import parse_diff
from engine.patches.syntax import parse_source
from engine.presence.verification.diffs import file_diff
from engine.presence.verification.substitution import NoCounterpart, modified_diff
from engine.presence.verification.worktree import apply_diff

BUGGY = """
    import os

    LIMIT = 3

    def first(a):
        return a

    def area(width, height):
        # how large
        total = width * height
        return total

    def last(a):
        return a
    """
FIXED = BUGGY.replace(
    "        total = width",
    "        if width < 0:\n            raise ValueError(width)\n        total = width",
)


def outcome(tmp_path: Path, snapshot: str, buggy: str = BUGGY, fixed: str = FIXED, name: str = "a.py") -> str:
    """Return the buggy file after the modified diff, applied by git."""
    buggy, fixed, snapshot = (textwrap.dedent(text) for text in (buggy, fixed, snapshot))
    patch = parse_diff(file_diff(name, buggy, name, fixed))

    def read_base(_: str) -> bytes:
        return buggy.encode()

    diff = modified_diff(
        patch, blocks_of(patch, read_base), read_base, lambda path: parse_source(snapshot.encode(), path)
    )
    (tmp_path / name).write_text(buggy)
    apply_diff(tmp_path, diff)
    return (tmp_path / name).read_text()


def test_an_unchanged_snapshot_gives_the_gold_patch(tmp_path: Path) -> None:
    assert outcome(tmp_path, FIXED) == textwrap.dedent(FIXED)


def test_the_snapshots_lines_stand_where_the_patchs_did(tmp_path: Path) -> None:
    snapshot = FIXED.replace("if width < 0:", "if min(width, height) < 0:").replace("LIMIT = 3", "LIMIT = 4")
    text = outcome(tmp_path, snapshot)
    assert text == textwrap.dedent(FIXED).replace("if width < 0:", "if min(width, height) < 0:")


def test_code_before_the_fix_comes_back_where_the_snapshot_has_it(tmp_path: Path) -> None:
    assert outcome(tmp_path, BUGGY) == textwrap.dedent(BUGGY)


def test_a_changed_surrounding_widens_the_place(tmp_path: Path) -> None:
    snapshot = """
        def area(w, h):
            if w < 0:
                raise ValueError(w)
            return w * h
        """
    text = outcome(tmp_path, snapshot)
    assert "def area(w, h):\n    if w < 0:\n        raise ValueError(w)\n    return w * h\n" in text
    assert "def first(a):" in text
    assert "def last(a):" in text
    assert "width" not in text


def test_equal_lines_at_another_indentation_are_no_anchors(tmp_path: Path) -> None:
    """The body of an `else` is one level deeper in the tree, though not on the page."""
    buggy = textwrap.dedent(
        """
        def f(a):
            for b in a:
                for x in b:
                    for y in x:
                        g(y)
            return a
        """
    )
    snapshot = textwrap.dedent(
        """
        def f(a):
            if a:
                x = a
            else:
                for y in x:
                    k(y)
            return a
        """
    )
    text = outcome(tmp_path, snapshot, buggy, buggy.replace("g(y)", "h(y)"))
    compile(text, "a.py", "exec")
    assert "k(y)" in text
    assert "for b in a" not in text


def test_places_that_meet_are_one(tmp_path: Path) -> None:
    """A line of the first run is an anchor of the second, whose own end is the first one's as well."""
    buggy = "def f(a):\n    one(a)\n    wait()\n    return a\n"
    fixed = "def f(a):\n    one(a)\n    check(a)\n    wait()\n    check(a + 1)\n    return a\n"
    snapshot = (
        "def f(a):\n    one(a)\n    check(a)\n    with wait():\n        check(a + 1)\n        return a\n"
    )
    assert outcome(tmp_path, snapshot, buggy, fixed) == snapshot


def test_a_renamed_function_is_put_in_whole_and_indented(tmp_path: Path) -> None:
    snapshot = """
        class Shape:
            def surface(width, height):
                if width < 0:
                    raise ValueError(width)
                return width * height
        """
    text = outcome(tmp_path, snapshot)
    assert "\ndef surface(width, height):\n    if width < 0:\n        raise ValueError(width)\n" in text


def test_imports_are_the_patchs_own(tmp_path: Path) -> None:
    fixed = FIXED.replace("import os", "import os\n    import sys")
    text = outcome(tmp_path, FIXED, fixed=fixed)
    assert text == textwrap.dedent(fixed)


def test_module_constants_are_replaced_between_their_neighbours(tmp_path: Path) -> None:
    buggy = "A = 1\nB = 2\nC = 3\n"
    text = outcome(tmp_path, "A = 1\nB = compute(20)\nC = 3\n", buggy, "A = 1\nB = 20\nC = 3\n")
    assert text == "A = 1\nB = compute(20)\nC = 3\n"


def test_java_methods_are_replaced_too(tmp_path: Path) -> None:
    buggy = "class A {\n    int f(int a) {\n        return a;\n    }\n}\n"
    fixed = buggy.replace("return a;", "if (a < 0) {\n            return 0;\n        }\n        return a;")
    snapshot = fixed.replace("if (a < 0) {", "if (0 > a) {").replace("class A", "public class A")
    text = outcome(tmp_path, snapshot, buggy, fixed, "A.java")
    assert text == fixed.replace("if (a < 0) {", "if (0 > a) {")


@pytest.mark.parametrize(
    ("snapshot", "reason"),
    [
        ("def other(): pass\n", "no aligned code"),
        ("A = 1\n\ndef f():\n    return 1\n\nB = other\n\ndef g():\n    return 1\n", "no aligned code"),
    ],
)
def test_without_a_counterpart_there_is_no_diff(tmp_path: Path, snapshot: str, reason: str) -> None:
    with pytest.raises(NoCounterpart, match=reason):
        outcome(tmp_path, snapshot)


def test_a_place_that_spans_other_functions_is_not_clear(tmp_path: Path) -> None:
    buggy = "A = 1\n\ndef f():\n    return 1\n\nB = 2\n"
    with pytest.raises(NoCounterpart, match="not clear"):
        outcome(tmp_path, "C = 1\n\ndef f():\n    return 1\n\nD = 2\n", buggy, buggy.replace("2", "3"))


def test_a_file_that_is_gone_has_no_counterpart() -> None:
    buggy, fixed = textwrap.dedent(BUGGY), textwrap.dedent(FIXED)
    patch = parse_diff(file_diff("a.py", buggy, "a.py", fixed))
    blocks = blocks_of(patch, lambda _: buggy.encode())
    with pytest.raises(NoCounterpart, match="not in the snapshot"):
        modified_diff(patch, blocks, lambda _: buggy.encode(), lambda _: None)


def test_other_files_come_from_the_gold_patch(tmp_path: Path) -> None:
    buggy, fixed = textwrap.dedent(BUGGY), textwrap.dedent(FIXED)
    text = file_diff("a.py", buggy, "a.py", fixed) + file_diff(None, "", "data.txt", "1\n")
    patch = parse_diff(text)

    def read_base(path: str) -> bytes | None:
        return buggy.encode() if path == "a.py" else None

    diff = modified_diff(
        patch, blocks_of(patch, read_base), read_base, lambda path: parse_source(fixed.encode(), path)
    )
    (tmp_path / "a.py").write_text(buggy)
    apply_diff(tmp_path, diff)
    assert (tmp_path / "data.txt").read_text() == "1\n"
    assert (tmp_path / "a.py").read_text() == fixed
