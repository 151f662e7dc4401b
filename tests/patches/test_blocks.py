from __future__ import annotations

import difflib
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.patches.blocks import Block, blocks_of, is_test_path
from engine.patches.diff import PatchError, parse_diff

Files = Mapping[str, str | bytes]


def diff(before: Files, after: Files) -> str:
    """A unified diff of text files; a name that only one side has is a new or deleted file."""
    parts = []
    for name in dict.fromkeys([*before, *after]):
        sides = [
            _text(files[name]).splitlines(keepends=True) if name in files else [] for files in (before, after)
        ]
        labels = [
            f"{letter}/{name}" if name in files else "/dev/null"
            for letter, files in (("a", before), ("b", after))
        ]
        parts += difflib.unified_diff(*sides, *labels)
    return "".join(parts)


def _text(content: str | bytes) -> str:
    return content if isinstance(content, str) else content.decode("latin-1")


def blocks(before: Files, after: Files) -> tuple[Block, ...]:
    def read(path: str) -> bytes | None:
        content = before.get(path)
        return content.encode() if isinstance(content, str) else content

    return blocks_of(parse_diff(diff(before, after)), read)


def texts(block: Block) -> tuple[list[str], list[str]]:
    return [line.text for line in block.added], [line.text for line in block.removed]


BASE = """import os


class A:
    limit = 1

    def first(self, x):
        y = x + 1
        return y

    def second(self):
        return [
            1,
            2,
        ]


def free():
    pass
"""


def test_a_block_is_what_changes_inside_one_scope() -> None:
    fixed = (
        BASE.replace("x + 1", "x + 2")
        .replace("limit = 1", "limit = 2")
        .replace("import os", "import os\nimport re")
    )
    found = blocks({"m.py": BASE}, {"m.py": fixed})
    assert [(block.index, block.scope, block.kind, block.start) for block in found] == [
        (0, "", "module", 2),
        (1, "A", "class", 6),
        (2, "A.first", "function", 9),
    ]
    assert [texts(block) for block in found] == [
        (["import re"], []),
        (["limit = 2"], ["limit = 1"]),
        (["y = x + 2"], ["y = x + 1"]),
    ]
    assert [line.text for line in found[2].fixed] == ["def first ( self , x )", "y = x + 2", "return y"]
    assert [line.text for line in found[2].buggy] == ["def first ( self , x )", "y = x + 1", "return y"]
    assert found[2].path == found[2].base_path == "m.py"


def test_one_row_of_a_long_statement_stands_for_all_of_it() -> None:
    (block,) = blocks({"m.py": BASE}, {"m.py": BASE.replace("            2,\n", "            3,\n")})
    assert texts(block) == (["return [ 1 , 3 ]"], ["return [ 1 , 2 ]"])


def test_lines_that_were_only_moved_or_indented_are_neither_written_nor_dropped() -> None:
    fixed = BASE.replace("        y = x + 1\n", "        if x:\n            y = x + 1\n")
    (block,) = blocks({"m.py": BASE}, {"m.py": fixed})
    assert [line.text for line in block.added] == ["if x", "y = x + 1"]
    assert [line.text for line in block.written] == ["if x"]
    assert block.dropped == ()
    assert not block.is_deletion


def test_reformatting_writes_nothing() -> None:
    (block,) = blocks(
        {"m.py": BASE}, {"m.py": BASE.replace("y = x + 1", "y = (\n            x + 1\n        )")}
    )
    assert (block.written, block.dropped) == ((), ())


def test_deletions_alone_make_a_block() -> None:
    (block,) = blocks({"m.py": BASE}, {"m.py": BASE.replace("        y = x + 1\n", "")})
    assert block.is_deletion
    assert (block.scope, block.start) == ("A.first", 7)
    assert [line.text for line in block.dropped] == ["y = x + 1"]
    (gone,) = blocks({"m.py": BASE}, {"m.py": BASE[: BASE.index("\n\ndef free")]})
    assert (gone.scope, gone.is_deletion, gone.fixed) == ("free", True, ())


def test_a_deleted_file_is_deletions() -> None:
    found = blocks({"m.py": BASE}, {})
    assert [block.scope for block in found] == ["", "A", "A.first", "A.second", "free"]
    assert all(block.is_deletion and block.path == "m.py" for block in found)


def test_a_new_file_is_additions() -> None:
    found = blocks({}, {"m.py": BASE})
    assert [block.scope for block in found] == ["", "A", "A.first", "A.second", "free"]
    assert all(block.base_path is None and not block.buggy and block.added == block.fixed for block in found)


def test_comments_and_docstrings_make_no_block() -> None:
    fixed = BASE.replace("    limit = 1", '    """Doc."""\n\n    # why\n    limit = 1').replace(
        "    def second(self):\n", "    def second(self):\n        # how\n        '''Doc.'''\n"
    )
    assert blocks({"m.py": BASE}, {"m.py": fixed}) == ()


def test_tests_documents_and_other_languages_are_left_out() -> None:
    names = ["tests/test_m.py", "docs/index.rst", "build.gradle", "lib/x.c", "setup.cfg", "src/m.py"]
    found = blocks(dict.fromkeys(names, "a = 1\n"), dict.fromkeys(names, "a = 2\n"))
    assert [block.path for block in found] == ["src/m.py"]
    # What is left out need not be there.
    changes = diff({"notes.md": "a\n", "m.py": "a = 1\n"}, {"notes.md": "b\n", "m.py": "a = 2\n"})
    assert len(blocks_of(parse_diff(changes), {"m.py": b"a = 1\n"}.get)) == 1


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("tests/a.py", True),
        ("a/test/b.py", True),
        ("pkg/test_a.py", True),
        ("pkg/a_test.py", True),
        ("conftest.py", True),
        ("core/src/test/java/org/A.java", True),
        ("core/src/testFixtures/java/A.java", True),
        ("src/main/java/FooTest.java", True),
        ("src/main/java/FooTests.java", True),
        ("src/_pytest/python.py", False),
        ("src/main/java/Contest.java", False),
        ("pkg/latest.py", False),
        ("pkg/testament.py", False),
        ("contests/a.py", False),
    ],
)
def test_paths_of_tests(path: str, is_test: bool) -> None:
    assert is_test_path(path) == is_test


def test_a_file_that_is_not_at_the_base_is_an_error() -> None:
    changes = diff({"m.py": "a = 1\n"}, {"m.py": "a = 2\n"})
    with pytest.raises(PatchError, match=r"m\.py is not in the base commit"):
        blocks_of(parse_diff(changes), lambda _: None)
    with pytest.raises(PatchError, match="are not there"):
        blocks_of(parse_diff(changes), lambda _: b"b = 1\n")


def test_a_file_above_the_limit_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.patches.syntax.MAX_SOURCE_BYTES", 10)
    with pytest.raises(PatchError, match="bytes"):
        blocks({"m.py": "value = 1\n" * 2}, {"m.py": "value = 1\n" * 3})


def test_a_latin_1_source_fits_the_patch_that_was_read_from_it() -> None:
    before = "name = 'Grüße'\nx = 1\n".encode("latin-1")
    after = "name = 'Grüße'\nx = 'é'\n".encode("latin-1")
    (block,) = blocks({"m.py": before}, {"m.py": after})
    assert texts(block) == (['x = "é"'], ["x = 1"])


def test_the_patch_of_a_renamed_file_reads_the_old_one() -> None:
    changes = diff({"m.py": BASE}, {"m.py": BASE.replace("x + 1", "x + 2")}).replace(
        "+++ b/m.py", "+++ b/new/m.py"
    )
    (block,) = blocks_of(parse_diff(changes), {"m.py": BASE.encode()}.get)
    assert (block.path, block.base_path, block.scope) == ("new/m.py", "m.py", "A.first")


def test_a_shifted_patch_gives_the_same_blocks() -> None:
    fixed = BASE.replace("x + 1", "x + 2")
    changes = diff({"m.py": BASE}, {"m.py": fixed})
    plain, shifted = (
        blocks_of(parse_diff(changes), {"m.py": prefix + BASE.encode()}.get)
        for prefix in (b"", b"z = 0\n" * 30)
    )
    assert [texts(block) for block in plain] == [texts(block) for block in shifted]
    assert shifted[0].start == plain[0].start + 30


STATEMENTS = st.sampled_from(
    [
        "x = 1",
        "y = [\n    2,\n]",
        "def f():\n    x = 1\n    return 3",
        "class A:\n    def g(self):\n        z = 4",
        "class A:\n    u = 'ü'",
        "if x:\n    v = 5\nelse:\n    w = 6",
        "# note",
        "",
        "@d\ndef f():\n    'Doc.'\n    # note\n    pass",
    ]
)
SOURCES = st.lists(STATEMENTS, max_size=6).map(lambda parts: "".join(f"{part}\n" for part in parts))


@settings(max_examples=80, deadline=None)
@given(SOURCES, SOURCES)
def test_every_line_that_differs_is_in_a_block(old: str, new: str) -> None:
    if old == new:
        return
    found = blocks({"m.py": old}, {"m.py": new})
    added = sorted(line.text for block in found for line in block.written)
    dropped = sorted(line.text for block in found for line in block.dropped)
    fixed, buggy = (
        [line.text for block in blocks({}, {"m.py": text}) for line in block.fixed] if text.strip() else []
        for text in (new, old)
    )
    assert not set(fixed) - set(buggy) - set(added)
    assert not set(buggy) - set(fixed) - set(dropped)
    assert set(added) <= set(fixed)
    assert set(dropped) <= set(buggy)
