"""A small repository with a fix that stays, one that is taken back, and what a person would say of them."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from pathlib import Path

from scratch_repository import new_scratch
from tiny_facts import DETECTORS

from engine.evaluation.gold import COLUMNS

BENCHMARK = """
[[benchmark]]
benchmark = "small"
title = "Small"
language = "python"
size = 3
difficulties = []
"""

STAYS = """\
import os

SCALE = 3


def scale(length):
    return SCALE * length


def area(width, height, unit=None):
    # The area of a rectangle.
    total = width + height
    if unit:
        label = "%s %s" % ( total,unit )
    else:
        label = "%s" % (total,)
    return label


def unrelated(a):
    first = a
    return os.fspath(first)
"""
STAYS_FIXED = STAYS.replace("    total = width + height\n", "    total = scale(width) * scale(height)\n")
RETURNS = """\
def parse(text):
    parts = text.split(",")
    return [part for part in parts]


def join(parts):
    return ",".join(parts)
"""
RETURNS_FIXED = RETURNS.replace(
    "    return [part for part in parts]\n",
    "    return [part.strip() for part in parts if part.strip()]\n",
).replace('return ",".join(parts)', 'return ",".join(sorted(parts))')


@dataclass(frozen=True)
class World:
    """Paths of everything that `benchchecker evaluate presence` reads."""

    repos: Path
    data: Path
    samples: Path
    gold: Path


def make_world(folder: Path) -> World:
    data, repos = folder / "data", folder / "repos"
    data.mkdir(parents=True)
    repos.mkdir()
    (data / "benchmark.toml").write_text(BENCHMARK, encoding="utf-8")
    (data / "detector.toml").write_text(DETECTORS, encoding="utf-8")
    (data / "paper").mkdir()
    (data / "paper" / "table5.csv").write_text(
        "stage,variant,auc,tpr,fpr\nI,BenchChecker,1,1,0\nII,BenchChecker,0.5,0.4,0.3\n"
        "II,BenchChecker w/o Similarity Matching,0.25,0.2,0.1\n",
        encoding="utf-8",
    )
    base, branch = _make_repository(repos / "owner__name.git")
    samples = [
        _record(1, branch, "p/stays.py", STAYS, STAYS_FIXED),
        _record(8, base, "p/returns.py", RETURNS, RETURNS_FIXED),
        _record(3, base, "p/returns.py", RETURNS, RETURNS_FIXED)
        | {"instance_id": "no__where-3", "repo": "no/where"},
    ]
    (folder / "samples.jsonl").write_text("".join(json.dumps(each) + "\n" for each in samples))
    (folder / "gold.tsv").write_text(_gold(), encoding="utf-8")
    return World(repos, data, folder / "samples.jsonl", folder / "gold.tsv")


def _make_repository(path: Path) -> tuple[str, str]:
    """Make the history; return the base commit of the second fix, and that of the first, off the chain."""
    scratch = new_scratch(path)
    start = {"p/__init__.py": b"", "p/stays.py": STAYS.encode(), "p/returns.py": RETURNS.encode()}
    scratch.commit("base", "2020-01-01", start)
    scratch.commit("branch", "2020-01-10", {"p/other.py": b"x = 1\n"}, parents=["base"], branch="side")
    scratch.commit("fixed", "2020-02-01", {"p/stays.py": STAYS_FIXED.encode()}, parents=["base"])
    scratch.commit("second", "2020-02-10", {"p/returns.py": RETURNS_FIXED.encode()}, parents=["fixed"])
    scratch.commit("reverted", "2021-03-01", {"p/returns.py": RETURNS.encode()}, parents=["second"])
    scratch.commit("head", "2024-01-01", {"p/late.py": b"y = 1\n"}, parents=["reverted"])
    return scratch.names["base"], scratch.names["branch"]


def _record(number: int, base: str, path: str, before: str, after: str) -> dict[str, object]:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{path}", f"b/{path}", n=1
    )
    return {
        "instance_id": f"owner__name-{number}",
        "repo": "owner/name",
        "base_commit": base,
        "patch": "".join(lines),
        "created_at": "2020-01-15T00:00:00Z",
    }


def _gold() -> str:
    rows = [
        ("owner__name-1", "2023-12-31", "", "present", "3", "verbatim", "all there"),
        ("owner__name-8", "2020-12-31", "", "present", "3", "verbatim", "all there"),
        ("owner__name-8", "2021-06-30", "", "absent", "3", "removed", "taken back"),
        ("owner__name-8", "2022-06-30", "", "present", "1", "replaced", "hard to say"),
        ("owner__name-8", "2022-07-31", "f" * 40, "absent", "3", "removed", "another tree"),
        ("owner__name-8", "2030-01-01", "", "absent", "3", "removed", "after the history"),
        ("someone__else-9", "2021-06-30", "", "absent", "3", "removed", "not in the data set"),
    ]
    return "".join("\t".join(row) + "\n" for row in (COLUMNS, *rows))
