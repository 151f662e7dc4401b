"""Any text as a patch, and any file in a repository, give a verdict or an error that says what is wrong.

The number of made-up patches is modest here; `BENCHCHECKER_CASES=10000` runs more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scratch_repository import Scratch, new_scratch

from engine.benchmarks.sample import Sample
from engine.history.errors import HistoryError
from engine.history.repository import RepositoryHistory
from engine.patches.diff import PatchError
from engine.presence.landing import LandingUnknown
from engine.presence.single import find_fix, judge_at
from engine.presence.snapshot import SourceCache
from engine.presence.workers import DETECTORS

CASES = int(os.environ.get("BENCHCHECKER_CASES", "150"))
DETECTOR_KEYS = ("paper", "traced")
BUGGY = (
    b"import os\n\n\nclass Shape:\n    def area(self, a, b):\n        total = a + b\n        return total\n"
)
FIXED = BUGGY.replace(b"a + b", b"a * b").replace(b"return total", b"return abs(total)")
PATCH = """diff --git a/shape.py b/shape.py
--- a/shape.py
+++ b/shape.py
@@ -3,5 +3,5 @@

 class Shape:
     def area(self, a, b):
-        total = a + b
-        return total
+        total = a * b
+        return abs(total)
"""
HOSTILE_FILES = {
    "one_line.py": b"x = [" + b"1, " * 350_000 + b"]\n",
    "nested.py": b"x = " + b"(" * 5_000 + b"1" + b")" * 5_000 + b"\n",
    "unclosed.py": b"x = " + b"[" * 5_000 + b"\n",
    "blob.py": bytes(range(256)) * 400,
    "latin.py": "# -*- coding: latin-1 -*-\ndef größe():\n    return 'ü'\n".encode("latin-1"),
    "two.py": b"print 'old'\nexec \"x\" in {}\n",
    "Shape.java": b"class Shape { int area() { return " + b"(" * 5_000 + b"1" + b")" * 5_000 + b"; } }\n",
}

LONGER = HOSTILE_FILES["one_line.py"] + b"y = 1\n"


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Scratch:
    made = new_scratch(tmp_path_factory.mktemp("hostile") / "o__r.git")
    made.chain(
        ("2020-01-01", {"shape.py": BUGGY, **HOSTILE_FILES}),
        ("2020-01-02", {"shape.py": FIXED}),
        ("2020-03-01", {"shape.py": b"# moved\n" + FIXED, "one_line.py": LONGER}),
    )
    return made


@pytest.fixture(scope="module")
def cache(scratch: Scratch) -> SourceCache:
    return SourceCache(RepositoryHistory.open(scratch.path))


def judged(scratch: Scratch, cache: SourceCache, patch: str) -> Iterator[float]:
    """Yield each detector's score; an error that is not one of the known kinds passes through."""
    sample = Sample("o__r-1", "o/r", 1, base_commit=scratch.names["c0"], patch=patch)
    for key in DETECTOR_KEYS:
        try:
            fix = find_fix(sample, cache)
            _, verdict = judge_at(fix, date(2020, 3, 1), DETECTORS[key](), cache)
        except (PatchError, LandingUnknown, HistoryError):
            continue
        assert 0.0 <= verdict.score <= 1.0
        assert verdict.reason
        yield verdict.score


STARTS = ("+", "-", " ", "@@ ", "--- ", "+++ ", "diff --git ")
_line = st.one_of(
    st.sampled_from(PATCH.splitlines()),
    st.text(max_size=30),
    st.builds(
        "{}{}".format,
        st.sampled_from(["+", "-", " ", "@@ ", "--- ", "+++ ", "diff --git "]),
        st.text(max_size=40),
    ),
    st.builds("@@ -{},{} +{},{} @@".format, *[st.integers(0, 60)] * 4),
    st.sampled_from(
        [
            "--- /dev/null",
            "+++ /dev/null",
            "--- a/../../etc/passwd",
            "+++ b/../../etc/passwd",
            '+++ "b/sh\\303\\244pe.py"',
            "+++ b/one_line.py",
            "+++ b/nested.py",
            "rename from shape.py",
            "rename to moved/shape.py",
            "similarity index 90%",
            "GIT binary patch",
            "literal 10",
            "Binary files a/x.py and b/x.py differ",
            "\\ No newline at end of file",
            "deleted file mode 100644",
            "new file mode 120000",
            "+x = " + "(" * 3_000,
            "+" + "a" * 20_000,
        ]
    ),
)


def as_text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A real patch with lines changed, dropped, doubled and put in, or nothing of the kind."""
    lines = draw(st.sampled_from([PATCH.splitlines(), []]))
    lines = list(lines)
    for _ in range(draw(st.integers(0, 8))):
        place = draw(st.integers(0, len(lines)))
        action = draw(st.sampled_from(["insert", "drop", "replace", "cut"]))
        if action == "insert" or not lines:
            lines.insert(place, draw(_line))
        elif action == "drop":
            del lines[min(place, len(lines) - 1)]
        elif action == "replace":
            lines[min(place, len(lines) - 1)] = draw(_line)
        else:
            lines = lines[: place + 1]
    return draw(st.sampled_from(["\n", "\r\n", "\r"])).join(lines)


@settings(
    max_examples=CASES,
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)
@given(
    patch=st.one_of(mutated(), st.text(), st.binary().map(lambda raw: raw.decode("utf-8", "surrogateescape")))
)
def test_any_text_as_a_patch_gives_a_verdict_or_a_known_error(
    scratch: Scratch, cache: SourceCache, patch: str
) -> None:
    list(judged(scratch, cache, patch))


def test_the_patch_itself_is_found_by_every_detector(scratch: Scratch, cache: SourceCache) -> None:
    assert list(judged(scratch, cache, PATCH)) == [1.0, 1.0]


@pytest.mark.parametrize("name", sorted(HOSTILE_FILES))
def test_a_patch_of_a_hostile_file_neither_hangs_nor_crashes(
    scratch: Scratch, cache: SourceCache, name: str
) -> None:
    patch = f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1,0 +2,1 @@\n+y = 1\n"
    list(judged(scratch, cache, patch))
    gone = f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    list(judged(scratch, cache, gone))


@pytest.mark.parametrize(
    "path", ["../outside.py", "/etc/passwd.py", "a/../../b.py", "shape.py/../../x.py"], ids=str
)
def test_a_path_that_leaves_the_repository_reads_nothing(
    scratch: Scratch, cache: SourceCache, path: str, tmp_path: Path
) -> None:
    patch = f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
    assert list(judged(scratch, cache, patch)) == []
