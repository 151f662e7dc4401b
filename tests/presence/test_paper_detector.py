from __future__ import annotations

import difflib
from pathlib import Path

import pytest
from scratch_repository import Scratch, new_scratch

from engine.history.repository import RepositoryHistory
from engine.patches.blocks import Block, blocks_of
from engine.patches.diff import parse_diff
from engine.presence.paper import PaperDetector
from engine.presence.similarity import LexicalSimilarity
from engine.presence.snapshot import Snapshot, SourceCache
from engine.presence.verdicts import BlockVerdict, Method

BASE = """import os


class A:
    def run(self, a):
        return a


class B:
    def run(self, a):
        first(a)
        first(a)
        return a
"""
FIXED = BASE.replace("import os\n", "import os\nimport re\n").replace(
    "    def run(self, a):\n        return a\n",
    "    def run(self, a):\n        check(self, a)\n        return a + 1\n",
)


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    return new_scratch(tmp_path / "scratch.git")


def patch(before: str, after: str) -> tuple[Block, ...]:
    sides = (before.splitlines(keepends=True), after.splitlines(keepends=True))
    text = "".join(difflib.unified_diff(*sides, "a/m.py", "b/m.py" if after else "/dev/null"))
    return blocks_of(parse_diff(text), lambda _: before.encode())


def judge(scratch: Scratch, blocks: tuple[Block, ...], *states: str | None) -> list[list[BlockVerdict]]:
    """The verdicts of every selected block, by one detector, in each state of the file."""
    empty = "z = 0\n"
    scratch.chain(
        *(
            (
                f"2020-01-{day:02}",
                {"z.py": empty.encode(), "m.py": state if state is None else state.encode()},
            )
            for day, state in enumerate(states, start=1)
        )
    )
    history = RepositoryHistory.open(scratch.path)
    detector, cache = PaperDetector(LexicalSimilarity()), SourceCache(history)
    found = [
        [detector.judge(block, Snapshot(cache, position), None) for block in detector.select(blocks)]
        for position in range(len(states))
    ]
    history.close()
    return found


def test_every_added_line_is_looked_for_in_the_method_of_that_class(scratch: Scratch) -> None:
    moved = BASE.replace("        first(a)\n", "        check(self, a)\n", 1)
    (_, fixed), (_, base), (_, elsewhere) = judge(scratch, patch(BASE, FIXED), FIXED, BASE, moved)
    assert (fixed.score, fixed.method, fixed.line_scores) == (1.0, Method.VERBATIM, (1.0, 1.0))
    assert (fixed.path, fixed.start, fixed.end, fixed.watched) == ("m.py", 6, 8, ("m.py",))
    assert base.method is Method.SIMILAR
    assert base.score == min(base.line_scores) < 0.7
    assert elsewhere.line_scores == base.line_scores  # what class B does is no evidence


def test_formatting_is_no_change(scratch: Scratch) -> None:
    formatted = FIXED.replace("check(self, a)", "check(\n            self,\n            a,  # why\n        )")
    ((_, verdict),) = judge(scratch, patch(BASE, FIXED), formatted)
    assert (verdict.score, verdict.method) == (1.0, Method.VERBATIM)


def test_imports_do_not_implement_a_fix(scratch: Scratch) -> None:
    ((module, _),) = judge(scratch, patch(BASE, FIXED), BASE)
    assert (module.score, module.line_scores, module.note) == (1.0, (), "imports only")


def test_a_function_that_is_gone_is_looked_for_in_the_whole_file(scratch: Scratch) -> None:
    renamed = FIXED.replace("class A:\n    def run", "class A:\n    def walk")
    without = BASE[: BASE.index("class A")] + "def other(x):\n    return x\n"
    (_, there), (_, gone) = judge(scratch, patch(BASE, FIXED), renamed, without)
    assert there.score == 1.0
    assert there.method in (Method.MOVED, Method.SCOPE_GONE)
    assert gone.method is Method.SCOPE_GONE
    assert (gone.start, gone.end) == (None, None)
    assert 0 < gone.score < 0.7


def test_a_file_that_is_gone_holds_nothing(scratch: Scratch) -> None:
    ((_, verdict),) = judge(scratch, patch(BASE, FIXED), None)
    assert (verdict.score, verdict.method, verdict.watched) == (0.0, Method.FILE_GONE, ("m.py",))


def test_deletions_count_only_where_nothing_is_added() -> None:
    both = FIXED.replace("        first(a)\n", "", 1)
    detector = PaperDetector(LexicalSimilarity())
    assert [block.scope for block in detector.select(patch(BASE, both))] == ["", "A.run"]
    only = patch(BASE, BASE.replace("        first(a)\n", "", 1))
    assert detector.select(only) == only


def test_a_deletion_is_there_while_its_lines_are_not(scratch: Scratch) -> None:
    fixed = BASE.replace("        first(a)\n", "", 1)  # one of two such lines stays
    none = BASE.replace("        first(a)\n", "")
    function_gone = BASE[: BASE.index("class B")]
    found = judge(scratch, patch(BASE, fixed), BASE, fixed, none, function_gone, None)
    assert [(verdict.score, verdict.method) for (verdict,) in found] == [
        (0.0, Method.DELETION),
        (1.0, Method.DELETION),
        (1.0, Method.DELETION),
        (1.0, Method.DELETION),
        (1.0, Method.DELETION),
    ]
    assert found[1][0].start == 10


def test_a_deleted_file_is_there_while_it_is_gone(scratch: Scratch) -> None:
    absent, present = judge(scratch, patch(BASE, ""), BASE, None)
    assert {verdict.score for verdict in absent} == {0.0}
    assert {verdict.score for verdict in present} == {1.0}
