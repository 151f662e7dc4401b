from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scratch_repository import File, Scratch, new_scratch

from engine.history.repository import RepositoryHistory
from engine.patches.blocks import Block, blocks_of
from engine.patches.diff import parse_diff
from engine.presence.landing import Landing
from engine.presence.lifecycle import Interval, Subject, lifecycles
from engine.presence.paper import PaperDetector
from engine.presence.similarity import LexicalSimilarity
from engine.presence.snapshot import Snapshot, SourceCache
from engine.presence.verdicts import Method, SampleVerdict, combine

ABSENT = b"def f(a):\n    return a\n"
PRESENT = b"def f(a):\n    check(a)\n    return a + 1\n"
NEAR = b"def f(a):\n    check(a, b)\n    return a + 1\n"
GONE = b"def g(a):\n    return a\n"
PATCH = """--- a/m.py
+++ b/m.py
@@ -1,2 +1,3 @@
 def f(a):
-    return a
+    check(a)
+    return a + 1
"""
OTHER_PATCH = PATCH.replace("m.py", "n.py")


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    return new_scratch(tmp_path / "scratch.git")


def detector() -> PaperDetector:
    return PaperDetector(LexicalSimilarity())


def patch_blocks(*patches: str) -> tuple[Block, ...]:
    return blocks_of(parse_diff("".join(patches)), lambda _: ABSENT)


def subject(history: RepositoryHistory, position: int, *patches: str) -> Subject:
    commit = history.chain[position]
    landing = Landing("exact", position, commit.sha, commit.committed_at, "chosen in a test")
    return Subject(patch_blocks(*(patches or (PATCH,))), landing, detector())


def live(scratch: Scratch, position: int, *patches: str) -> list[Interval]:
    history = RepositoryHistory.open(scratch.path)
    (intervals,) = lifecycles([subject(history, position, *patches)], SourceCache(history))
    history.close()
    return list(intervals)


def told(intervals: Sequence[Interval]) -> list[tuple[str, str, str, float]]:
    """First and last day without year and month, method, and score."""
    return [
        (
            f"{each.first_day:%d}",
            f"{each.last_day:%d}",
            each.verdict.method.value,
            round(each.verdict.score, 2),
        )
        for each in intervals
    ]


def test_a_life_from_landing_over_change_and_revert_to_its_return(scratch: Scratch) -> None:
    scratch.chain(
        ("2020-01-01", {"m.py": ABSENT}),
        ("2020-01-04", {"m.py": PRESENT}),
        ("2020-01-06", {"m.py": b"# note\n\n" + PRESENT}),
        ("2020-01-08", {"m.py": NEAR}),
        ("2020-01-10", {"m.py": ABSENT}),
        ("2020-01-12", {"m.py": GONE}),
        ("2020-01-14", {"m.py": None, "z.py": b"1\n"}),
        ("2020-01-16", {"m.py": PRESENT}),
        ("2020-01-20", {"z.py": b"2\n"}),
    )
    intervals = live(scratch, 1)
    assert told(intervals) == [
        ("01", "03", "not landed yet", 0.0),
        ("04", "07", "verbatim", 1.0),  # that it moved down two lines is no new evidence
        ("08", "09", "similar", 0.8),
        ("10", "11", "similar", 0.67),
        ("12", "13", "function gone", 0.67),
        ("14", "15", "file gone", 0.0),
        ("16", "20", "verbatim", 1.0),
    ]
    assert [interval.commit for interval in intervals] == [
        scratch.names[name] for name in ("c0", "c1", "c3", "c4", "c5", "c6", "c7")
    ]
    (block,) = intervals[1].verdict.blocks
    assert (block.path, block.start, block.end) == ("m.py", 1, 3)
    assert "landed on 2020-01-04" in intervals[0].verdict.reason


def test_of_several_commits_of_a_day_the_last_one_counts(scratch: Scratch) -> None:
    scratch.chain(
        ("2020-01-01", {"m.py": ABSENT}),
        ("2020-01-02T08:00:00", {"m.py": PRESENT}),
        ("2020-01-02T09:00:00", {"m.py": ABSENT}),
        ("2020-01-02T10:00:00", {"m.py": NEAR}),
        ("2020-01-03", {"z.py": b"1\n"}),
    )
    assert told(live(scratch, 1)) == [("01", "01", "not landed yet", 0.0), ("02", "03", "similar", 0.8)]


def test_a_fix_that_landed_with_the_first_commit_has_no_time_before(scratch: Scratch) -> None:
    scratch.chain(("2020-01-01", {"m.py": PRESENT}))
    assert told(live(scratch, 0)) == [("01", "01", "verbatim", 1.0)]


def test_dates_that_run_backwards_shorten_the_days_of_the_commits_before(scratch: Scratch) -> None:
    scratch.chain(
        ("2020-01-01", {"m.py": ABSENT}),
        ("2020-01-09", {"m.py": PRESENT}),
        ("2020-01-05", {"m.py": NEAR}),
        ("2020-01-07", {"m.py": PRESENT}),
    )
    assert told(live(scratch, 1)) == [
        ("01", "04", "not landed yet", 0.0),
        ("05", "06", "similar", 0.8),
        ("07", "07", "verbatim", 1.0),
    ]


def test_a_patch_is_as_present_as_its_weakest_block(scratch: Scratch) -> None:
    scratch.chain(
        ("2020-01-01", {"m.py": PRESENT, "n.py": PRESENT}),
        ("2020-01-03", {"n.py": NEAR}),
        ("2020-01-05", {"m.py": ABSENT}),
        ("2020-01-07", {"n.py": PRESENT}),
    )
    intervals = live(scratch, 0, PATCH, OTHER_PATCH)
    assert told(intervals) == [
        ("01", "02", "verbatim", 1.0),
        ("03", "04", "similar", 0.8),
        ("05", "06", "similar", 0.67),
        ("07", "07", "similar", 0.67),
    ]
    assert [[round(block.score, 2) for block in each.verdict.blocks] for each in intervals] == [
        [1.0, 1.0],
        [1.0, 0.8],
        [0.67, 0.8],
        [0.67, 1.0],
    ]
    assert "n.py" in intervals[1].verdict.reason
    assert "m.py" in intervals[2].verdict.reason


def brute_force(history: RepositoryHistory, each: Subject, day: date) -> SampleVerdict | None:
    """The verdict of one day made from nothing but its snapshot; None before the landing."""
    position = history.chain.snapshot_at(day).position
    if position < each.landing.position:
        return None
    snapshot, judge = Snapshot(SourceCache(history), position), detector()
    verdicts = [judge.judge(block, snapshot, None) for block in each.blocks]
    return combine(verdicts, [block.scope for block in each.blocks])


CONTENTS = st.sampled_from([None, ABSENT, PRESENT, NEAR, GONE, b"\n" + PRESENT, b"", ("120000", "x")])
STEPS = st.lists(
    st.tuples(
        st.integers(1, 12),
        st.dictionaries(st.sampled_from(["m.py", "n.py", "z.py"]), CONTENTS, max_size=3),
    ),
    min_size=1,
    max_size=9,
)


@settings(max_examples=20, deadline=None)
@given(STEPS, st.data())
def test_every_day_has_the_verdict_of_its_snapshot(
    steps: list[tuple[int, dict[str, File | None]]], data: st.DataObject
) -> None:
    with TemporaryDirectory() as folder:
        scratch = new_scratch(Path(folder) / "r.git")
        scratch.chain(*((f"2020-01-{day:02}", files) for day, files in steps))
        history = RepositoryHistory.open(scratch.path)
        subjects = [
            subject(history, data.draw(st.integers(0, len(steps) - 1)), *patches)
            for patches in ((PATCH,), (OTHER_PATCH, PATCH))
        ]
        for each, intervals in zip(subjects, lifecycles(subjects, SourceCache(history)), strict=True):
            assert intervals[0].first_day == history.chain.first_day
            assert intervals[-1].last_day == history.chain.last_day
            day = history.chain.first_day
            for interval in intervals:
                assert interval.first_day == day <= interval.last_day
                assert interval.commit == history.chain.snapshot_at(day).sha
                while day <= interval.last_day:
                    expected = brute_force(history, each, day)
                    if expected is None:
                        assert interval.verdict.method is Method.NOT_LANDED
                    else:
                        assert interval.verdict.evidence == expected.evidence
                    if day == interval.first_day and expected is not None:
                        assert interval.verdict.blocks == expected.blocks  # line numbers too
                    day += timedelta(days=1)
            for before, after in pairwise(intervals):
                assert before.verdict.evidence != after.verdict.evidence
        history.close()
