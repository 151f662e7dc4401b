"""What an issue and a gold patch give away is counted; the texts themselves are not kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.benchmarks.catalogue import Benchmark
from engine.benchmarks.features import has_reproducing_example, new_identifiers, sample_features
from engine.benchmarks.importing import plan_samples
from engine.benchmarks.sample import Sample
from engine.patches.diff import parse_diff
from engine.problems import Loaded
from engine.store.changes import apply
from engine.store.facts import read_facts

PATCH = """diff --git a/core/rounding.py b/core/rounding.py
--- a/core/rounding.py
+++ b/core/rounding.py
@@ -1,2 +1,4 @@
 def half_even(value):
-    return old_step(value)
+    # the comment_name is no code
+    raise RoundingError(value, half_even, clip)
+    return fresh_step(value)
"""


def features(issue: str, patch: str = PATCH) -> dict[str, Any]:
    row = sample_features(Sample("o__n-1", "o/n", 1, patch=patch, problem_statement=issue))
    assert row is not None
    return dict(row)


@pytest.mark.parametrize(
    ("issue", "expected"),
    [
        ("It fails:\n```python\nx = f(1)\n```", True),
        ("It fails:\n>>> f(1)\n2", True),
        ("It fails:\n\n    import kepler\n", True),
        ("In [3]: f(1)", True),
        ("```java\nMapper m = new Mapper();\n```", True),
        ("{code:java}\nm.read();\n{code}", True),
        ("It fails when f(1) is called in prose, and x = 2.", False),
        ("```\nall is lost\n```", False),
        ('```\nTraceback (most recent call last):\n  File "a.py", line 1, in f\n    x = f(1)\n```', False),
        ("```\njava.io.IOException: no\n\tat a.B.c(B.java:12)\n```", False),
        ("```diff\n-x = f(1)\n+x = g(1)\n```", False),
    ],
)
def test_an_example_is_code_that_runs(issue: str, expected: bool) -> None:
    assert has_reproducing_example(issue) is expected


@pytest.mark.parametrize(
    ("issue", "expected"),
    [
        ("Traceback (most recent call last):", True),
        ('  File "/a/b.py", line 12, in f', True),
        ("\tat a.b.C$D.run(C.java:12)", True),
        ("Look at a.b (C.java) and the file b.py on line 12", False),
    ],
)
def test_a_traceback_is_told_from_prose(issue: str, expected: bool) -> None:
    assert features(issue)["traceback"] is expected


@pytest.mark.parametrize(
    ("issue", "expected"),
    [
        ("see core/rounding.py", True),
        ("see https://example.org/x/core/rounding.py#L4", True),
        ("rounding.py is wrong", True),
        ("core.rounding is wrong", True),
        ("rounding is wrong", False),
        ("myrounding.py is wrong", False),
        ("rounding.pyx is wrong", False),
    ],
)
def test_whether_the_issue_names_a_changed_file(issue: str, expected: bool) -> None:
    assert features(issue)["names_file"] is expected


def test_a_java_file_is_named_by_its_class() -> None:
    patch = PATCH.replace("core/rounding.py", "core/HalfEven.java")
    assert features("HalfEven rounds badly", patch)["names_file"] is True
    assert features("MyHalfEven rounds badly", patch)["names_file"] is False


def test_new_identifiers_are_those_that_only_the_fix_has() -> None:
    assert new_identifiers(parse_diff(PATCH)) == {"RoundingError", "clip", "fresh_step"}


@pytest.mark.parametrize(
    ("issue", "hints"),
    [
        ("half_even should be used with old_step", 0),
        ("please raise RoundingError", 1),
        ("please raise RoundingError from fresh_step", 2),
        ("it should clip the value", 0),
        ("it should call clip(value)", 1),
        ("my_fresh_step is no hint", 0),
    ],
)
def test_hints_are_new_identifiers_that_the_issue_names(issue: str, hints: int) -> None:
    row = features(issue)
    assert (row["hinted_identifiers"], row["new_identifiers"]) == (hints, 3)


def test_without_an_issue_or_a_patch_nothing_is_said() -> None:
    assert sample_features(Sample("o__n-1", "o/n", 1, patch=PATCH)) is None
    assert sample_features(Sample("o__n-1", "o/n", 1, problem_statement="x")) is None


@given(st.text(min_size=1).filter(str.strip))
def test_any_issue_can_be_read(issue: str) -> None:
    row = sample_features(Sample("o__n-1", "o/n", 1, patch=PATCH, problem_statement=issue))
    assert row is not None
    assert 0 <= row["hinted_identifiers"] <= row["new_identifiers"]


def test_an_import_keeps_features_that_a_poorer_data_set_does_not_have(tmp_path: Path) -> None:
    benchmark = Benchmark("tiny", "Tiny", "python", 1, ())
    full = Sample("o__n-1", "o/n", 1, patch=PATCH, problem_statement="raise RoundingError")
    for sample in (full, Sample("o__n-1", "o/n", 1)):
        changes, problems = plan_samples(tmp_path, benchmark, Loaded((sample,)), "file")
        assert not problems
        apply(tmp_path, changes)
    (row,) = read_facts(tmp_path, "sample_feature")
    assert (row["sample"], row["issue_words"], row["hinted_identifiers"]) == ("o__n-1", 2, 1)
