"""Reads which tests passed from a report in JUnit's XML form, which most test tools can write."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

MAX_BYTES = 100_000_000


def passed_tests(report: Path) -> frozenset[str]:
    """Return the names of the tests that passed, `classname::name`.

    A test that is reported several times counts as passed only if it always did. A missing or unreadable
    report, which is what a crash leaves, has no passed test.
    """
    if not report.is_file() or report.stat().st_size > MAX_BYTES:
        return frozenset()
    passed: set[str] = set()
    others: set[str] = set()
    try:
        for _, element in ElementTree.iterparse(report):
            if element.tag != "testcase":
                continue
            name = f"{element.get('classname', '')}::{element.get('name', '')}"
            is_bad = any(child.tag in ("failure", "error", "skipped") for child in element)
            (others if is_bad else passed).add(name)
            element.clear()
    except ElementTree.ParseError:
        return frozenset()
    return frozenset(passed - others)
