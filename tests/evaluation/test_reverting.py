"""Patches taken back."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evaluation.reverting import essential_hunk, revert_exactly, reverted
from engine.patches.blocks import blocks_of
from engine.patches.diff import FilePatch, Patch, parse_diff

BEFORE = """\
import os


def first(a):
    b = a + 1
    return b


def second(a):
    b = a + 2
    return b
# 1
# 2
# 3
# 4
# 5


def third(a):
    return a
"""
AFTER = (
    BEFORE.replace("import os\n", "import os\nimport sys\n")
    .replace("a + 2", "max(a, 2)")
    .replace("    return a\n", "    if a is None:\n        return sys.maxsize\n    return a\n")
)


def diff(before: str, after: str, path: str = "m.py", context: int = 1) -> Patch:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{path}", f"b/{path}", n=context
    )
    return parse_diff("".join(lines))


def only(patch: Patch) -> FilePatch:
    return patch.files[0]


@given(st.lists(st.sampled_from("abcdef"), min_size=1), st.lists(st.sampled_from("abcdef"), min_size=1))
def test_a_patch_forward_and_back(before: list[str], after: list[str]):
    old, new = "".join(f"{line}\n" for line in before), "".join(f"{line}\n" for line in after)
    if old != new:
        file = only(diff(old, new))
        assert file.apply(old).text == new
        assert reverted(file).apply(new).text == old
        assert reverted(reverted(file)) == file


def test_taking_back_in_a_later_file():
    file = only(diff(BEFORE, AFTER))
    later = "# new head\n" * 5 + AFTER.replace("def first(a)", "def first(a, b=None)")
    assert revert_exactly(file, later) == later.replace("import sys\n", "").replace(
        "max(a, 2)", "a + 2"
    ).replace("    if a is None:\n        return sys.maxsize\n", "")


@pytest.mark.parametrize(
    "later",
    [
        AFTER.replace("sys.maxsize", "sys.maxsize + 0"),
        AFTER.replace("max(a, 2)", "max(2, a)"),
        AFTER + AFTER,
        "",
    ],
)
def test_what_does_not_fit_or_fits_twice_is_left(later: str):
    assert revert_exactly(only(diff(BEFORE, AFTER)), later) is None


def test_the_essential_hunk_is_the_one_with_most_code():
    patch = diff(BEFORE, AFTER)
    blocks = blocks_of(patch, lambda path: BEFORE.encode())
    hunk = essential_hunk(patch.files, blocks)
    assert hunk is not None
    assert len(only(patch).hunks) > 1
    assert revert_exactly(hunk, AFTER) == AFTER.replace("    if a is None:\n        return sys.maxsize\n", "")


def test_without_half_of_the_code_no_hunk_is_essential():
    after = (
        BEFORE.replace("a + 1", "max(a, 1)")
        .replace("a + 2", "max(a, 2)")
        .replace("(a):\n    return a", "(a):\n    return max(a, 3)")
    )
    patch = diff(BEFORE, after)
    assert len(only(patch).hunks) == 3
    assert essential_hunk(patch.files, blocks_of(patch, lambda path: BEFORE.encode())) is None


def test_a_patch_of_one_hunk_has_no_part_that_could_be_taken_back():
    patch = diff(BEFORE, BEFORE.replace("a + 2", "a + 3"))
    assert essential_hunk(patch.files, blocks_of(patch, lambda path: BEFORE.encode())) is None


def test_comments_and_imports_are_not_essential():
    after = BEFORE.replace("import os\n", "import os\nimport sys\n").replace("# 5", "# five")
    patch = diff(BEFORE, after)
    assert len(only(patch).hunks) == 2
    assert essential_hunk(patch.files, blocks_of(patch, lambda path: BEFORE.encode())) is None
