from __future__ import annotations

import difflib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from scratch_repository import Scratch, new_scratch

from engine.history.repository import RepositoryHistory
from engine.patches.blocks import Block, blocks_of
from engine.patches.diff import parse_diff
from engine.presence.landing import Landing, LandingUnknown, find_landing
from engine.presence.snapshot import SourceCache

BASE = """import os


def area(width, height):
    total = width + height
    return total


def other():
    first()
    return second()
"""
FIXED = BASE.replace("    total = width + height\n", "    check(width, height)\n    total = width * height\n")
NOISE = "n = {}\n"


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    return new_scratch(tmp_path / "scratch.git")


def patch(before: str, after: str, path: str = "m.py") -> tuple[Block, ...]:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{path}", f"b/{path}"
    )
    return blocks_of(parse_diff("".join(lines)), lambda _: before.encode())


def land(
    scratch: Scratch,
    base: str,
    blocks: tuple[Block, ...] | None = None,
    *,
    created: str | None = None,
    named: str | None = None,
) -> Landing:
    history = RepositoryHistory.open(scratch.path)
    opened = datetime.fromisoformat(created).replace(tzinfo=UTC) if created else None
    found = patch(BASE, FIXED) if blocks is None else blocks
    try:
        return find_landing(
            found, scratch.names[base], opened, named and scratch.names[named], SourceCache(history)
        )
    finally:
        history.close()


def where(scratch: Scratch, landing: Landing) -> tuple[str, str]:
    return landing.state, {sha: name for name, sha in scratch.names.items()}[landing.commit]


def test_a_squashed_fix_landed_with_its_commit(scratch: Scratch) -> None:
    scratch.chain(
        ("2020-01-01", {"m.py": BASE.encode()}),
        ("2020-01-02", {"n.py": b"1\n"}),
        ("2020-01-03T15:30:00", {"m.py": FIXED.encode(), "tests/t.py": b"1\n"}),
        ("2020-01-04", {"m.py": FIXED.encode() + b"tail = 1\n"}),
    )
    landing = land(scratch, "c0")
    assert where(scratch, landing) == ("exact", "c2")
    assert (landing.position, landing.landed_at) == (2, datetime(2020, 1, 3, 15, 30, tzinfo=UTC))


def test_a_merged_fix_landed_with_the_merge(scratch: Scratch) -> None:
    scratch.commit("root", "2020-01-01", {"m.py": BASE.encode()})
    scratch.commit("fix", "2020-01-02", {"m.py": FIXED.encode()}, parents=["root"], branch="topic")
    scratch.commit("work", "2020-01-03", {"n.py": b"1\n"}, parents=["root"])
    scratch.commit("merge", "2020-01-05", {"m.py": FIXED.encode()}, parents=["work", "fix"])
    assert where(scratch, land(scratch, "root")) == ("exact", "merge")


def test_a_fix_on_a_branch_that_was_merged_later_landed_with_that_merge(scratch: Scratch) -> None:
    scratch.commit("root", "2020-01-01", {"m.py": BASE.encode()})
    scratch.commit("start", "2020-01-02", {"f.py": b"1\n"}, parents=["root"], branch="feature")
    scratch.commit("work", "2020-02-01", {"n.py": b"1\n"}, parents=["root"])
    scratch.commit("fix", "2020-03-01", {"m.py": FIXED.encode()}, parents=["start"], branch="feature")
    scratch.commit("more", "2020-04-01", {"f.py": b"2\n"}, parents=["fix"], branch="feature")
    merged = {"m.py": FIXED.encode(), "f.py": b"2\n"}
    scratch.commit("merge", "2020-05-01", merged, parents=["work", "more"])
    # The base is a commit of the feature branch, whose place on the default branch is the root.
    assert where(scratch, land(scratch, "start", created="2020-02-20")) == ("exact", "merge")
    assert where(scratch, land(scratch, "start", created="2020-02-20", named="fix")) == ("exact", "merge")


def test_the_base_can_be_on_a_release_branch(scratch: Scratch) -> None:
    scratch.commit("root", "2020-01-01", {"m.py": BASE.encode()})
    scratch.commit("release", "2020-01-10", {"v": b"1\n"}, parents=["root"], branch="release")
    scratch.commit("work", "2020-01-20", {"n.py": b"1\n"}, parents=["root"])
    scratch.commit("fix", "2020-01-25", {"m.py": FIXED.encode()}, parents=["work"])
    scratch.commit("port", "2020-01-26", {"m.py": FIXED.encode()}, parents=["release"], branch="release")
    assert where(scratch, land(scratch, "release", created="2020-01-26")) == ("exact", "fix")


def test_a_port_of_a_fix_landed_when_the_fix_did(scratch: Scratch) -> None:
    # Long before the pull request of the port was opened; its base does not hold it.
    scratch.commit("root", "2020-01-01", {"m.py": BASE.encode()})
    scratch.commit("release", "2020-01-10", {"v": b"1\n"}, parents=["root"], branch="release")
    scratch.commit("fix", "2020-02-01", {"m.py": FIXED.encode()}, parents=["root"])
    scratch.commit("work", "2021-01-01", {"n.py": b"1\n"}, parents=["fix"])
    scratch.commit("late", "2021-06-01", {"n.py": b"2\n"}, parents=["work"])
    assert where(scratch, land(scratch, "release", created="2021-03-01")) == ("exact", "fix")


def test_a_fix_that_was_adapted_landed_with_the_commit_that_has_most_of_it(scratch: Scratch) -> None:
    adapted = FIXED.replace("check(width, height)", "check(width=width, height=height)")
    scratch.chain(
        ("2020-01-01", {"m.py": BASE.encode()}),
        ("2020-01-02", {"m.py": BASE.encode() + b"t = 1\n"}),
        ("2020-01-03", {"m.py": adapted.encode()}),
        ("2020-01-04", {"m.py": adapted.encode() + b"t = 2\n"}),
    )
    landing = land(scratch, "c0")
    assert where(scratch, landing) == ("adapted", "c2")
    assert "67%" in landing.evidence


def test_a_fix_that_was_rewritten_is_dated_by_its_pull_request(scratch: Scratch) -> None:
    scratch.chain(
        ("2020-01-01", {"m.py": BASE.encode()}),
        ("2020-01-05", {"n.py": b"1\n"}),
        (
            "2020-01-09",
            {"m.py": BASE.replace("total = width + height", "total = product(width, height)").encode()},
        ),
        ("2020-01-15", {"n.py": b"2\n"}),
    )
    landing = land(scratch, "c0", created="2020-01-06")
    assert where(scratch, landing) == ("estimated", "c2")
    assert "day of the pull request" in landing.evidence


def test_the_fix_of_a_file_that_was_renamed_meanwhile(scratch: Scratch) -> None:
    long = "".join(f"row_{number} = {number}\n" for number in range(30))
    before, after = BASE + long, FIXED + long
    scratch.chain(
        ("2020-01-01", {"old.py": before.encode()}),
        ("2020-01-02", {"old.py": None, "m.py": before.encode()}),
        ("2020-01-03", {"m.py": after.encode()}),
    )
    assert where(scratch, land(scratch, "c0", patch(before, after, "m.py"))) == ("exact", "c2")


def test_deletions_landed_when_their_lines_were_gone(scratch: Scratch) -> None:
    fixed = BASE.replace("    first()\n", "")
    scratch.chain(
        ("2020-01-01", {"m.py": BASE.encode()}),
        ("2020-01-02", {"m.py": BASE.replace("width + height", "height + width").encode()}),
        ("2020-01-03", {"m.py": fixed.encode()}),
    )
    assert where(scratch, land(scratch, "c0", patch(BASE, fixed))) == ("exact", "c2")


def test_a_deleted_file_landed_when_it_was_gone(scratch: Scratch) -> None:
    text = "".join(difflib.unified_diff(BASE.splitlines(keepends=True), [], "a/m.py", "/dev/null"))
    scratch.chain(
        ("2020-01-01", {"m.py": BASE.encode(), "z": b"1\n"}),
        ("2020-01-02", {"m.py": BASE.encode() + b"t = 1\n"}),
        ("2020-01-03", {"m.py": None}),
    )
    assert where(scratch, land(scratch, "c0", blocks_of(parse_diff(text), lambda _: BASE.encode()))) == (
        "exact",
        "c2",
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    first()\n    return second()\n", "    if ready():\n        first()\n    return second()\n"),
        ("    total = width + height\n    return total\n", "    return total\n    total = width + height\n"),
        ("if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"),
    ],
    ids=["a condition around", "two lines swapped", "indented less"],
)
def test_a_pure_move_landed_with_the_order_it_brought(scratch: Scratch, old: str, new: str) -> None:
    before = BASE + old if old not in BASE else BASE
    after = before.replace(old, new)
    scratch.chain(
        ("2020-01-01", {"m.py": before.encode()}),
        ("2020-01-02", {"m.py": before.encode() + b"tail()\n" if old in BASE else before.encode()}),
        ("2020-01-03", {"m.py": after.encode()}),
        ("2020-01-04", {"m.py": after.encode() + b"tail()\n"}),
    )
    assert where(scratch, land(scratch, "c0", patch(before, after))) == ("exact", "c2")


def test_a_second_copy_of_a_line_is_not_taken_for_the_first(scratch: Scratch) -> None:
    fixed = BASE.replace("    return second()", "    first()\n    return second()")
    scratch.chain(
        ("2020-01-01", {"m.py": BASE.encode()}),
        ("2020-01-02", {"m.py": BASE.encode() + b"t = 1\n"}),
        ("2020-01-03", {"m.py": fixed.encode()}),
    )
    assert where(scratch, land(scratch, "c0", patch(BASE, fixed))) == ("exact", "c2")


def test_the_commit_that_the_data_set_names_is_believed(scratch: Scratch) -> None:
    scratch.chain(
        ("2020-01-01", {"m.py": BASE.encode()}),
        ("2020-01-02", {"m.py": FIXED.encode()}),
        ("2020-01-03", {"n.py": b"1\n"}),
    )
    landing = land(scratch, "c0", named="c2")
    assert (where(scratch, landing), landing.evidence) == (("exact", "c2"), "named by the data set")
    scratch.commit("unmerged", "2020-01-04", {"m.py": FIXED.encode()}, parents=["c0"], branch="dead-end")
    assert where(scratch, land(scratch, "c0", named="unmerged")) == ("exact", "c1")


def test_an_abbreviated_landing_commit_is_looked_for_instead(scratch: Scratch) -> None:
    scratch.chain(("2020-01-01", {"m.py": BASE.encode()}), ("2020-01-02", {"m.py": FIXED.encode()}))
    scratch.names["short"] = scratch.names["c1"][:10]
    assert where(scratch, land(scratch, "c0", named="short")) == ("exact", "c1")


def test_a_repository_that_ends_before_the_fix_is_an_error(scratch: Scratch) -> None:
    scratch.chain(("2019-12-01", {"m.py": BASE.encode()}), ("2020-01-01", {"n.py": b"1\n"}))
    with pytest.raises(LandingUnknown, match="ends before the fix"):
        land(scratch, "c1")
    with pytest.raises(LandingUnknown, match="ends before the fix"):
        land(scratch, "c0", created="2020-03-01")


def test_an_unknown_base_commit_is_an_error(scratch: Scratch) -> None:
    scratch.chain(("2020-01-01", {"m.py": BASE.encode()}))
    scratch.names["nowhere"] = "1" * 40
    with pytest.raises(LandingUnknown, match="1111111111 is not in the repository"):
        land(scratch, "nowhere")


@pytest.mark.parametrize("created", ["0001-01-01", "9999-12-31T23:59:59"])
def test_absurd_dates_are_harmless(scratch: Scratch, created: str) -> None:
    scratch.chain(("2020-01-01", {"m.py": BASE.encode()}), ("2020-01-02", {"m.py": FIXED.encode()}))
    try:
        assert where(scratch, land(scratch, "c0", created=created)) == ("exact", "c1")
    except LandingUnknown:
        assert created > "2020"


def test_dates_that_run_backwards(scratch: Scratch) -> None:
    scratch.chain(
        ("2020-01-05", {"m.py": BASE.encode()}),
        ("2020-01-03", {"n.py": b"1\n"}),
        ("2020-01-01", {"m.py": FIXED.encode()}),
        ("2020-01-09", {"n.py": b"2\n"}),
    )
    assert where(scratch, land(scratch, "c0", created="2020-01-04")) == ("exact", "c2")
