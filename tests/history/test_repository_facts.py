from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from scratch_repository import new_scratch

from engine.history.summary import known_sources, update_repository_facts
from engine.problems import Severity
from engine.store.facts import column_types, read_facts, table, write_facts

_CATALOGUE = """
[[benchmark]]
benchmark = "{key}"
title = "T"
language = "{language}"
size = 1
url = "https://example.org"
difficulties = [{{ difficulty = "easy", title = "Easy" }}]
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    catalogue = _CATALOGUE.format(key="p", language="python") + _CATALOGUE.format(key="j", language="java")
    (folder / "benchmark.toml").write_text(catalogue)
    samples = {"o__n-1": ("o/n", "p"), "o__n-2": ("o/n", "p"), "o__gone-3": ("o/gone", "j")}
    write_facts(
        folder, "sample", [_row("sample", sample=s, repository=r, number=1) for s, (r, _) in samples.items()]
    )
    write_facts(
        folder, "membership", [_row("membership", sample=s, benchmark=b) for s, (_, b) in samples.items()]
    )
    return folder


def _row(name: str, **values: Any) -> dict[str, Any]:
    return {column: values.get(column) for column in column_types(table(name))}


def test_days_and_head_come_from_the_first_parent_chain(data: Path, tmp_path: Path) -> None:
    repos = tmp_path / "repos"
    scratch = new_scratch(repos / "Fork__N.git")
    scratch.chain(("2019-05-01", {"a.py": b"1\n"}), ("2020-01-02", {"a.py": b"2\n"}))
    loaded = update_repository_facts(data, repos, {"o/n": "Fork/N"})

    found = {
        "repository": "o/n",
        "source": "Fork/N",
        "language": "python",
        "first_day": date(2019, 5, 1),
        "head_commit": scratch.names["c1"],
        "head_day": date(2020, 1, 2),
    }
    nothing = {"first_day": None, "head_commit": None, "head_day": None}
    gone = {"repository": "o/gone", "source": "o/gone", "language": "java", **nothing}
    assert read_facts(data, "repository") == [gone, found]
    (problem,) = loaded.problems
    assert (problem.subject, problem.severity) == ("o/gone", Severity.WARNING)
    assert "no copy of o/gone" in problem.message
    assert known_sources(data) == {"o/n": "Fork/N", "o/gone": "o/gone"}

    before = (data / "repository.csv").read_bytes()
    update_repository_facts(data, repos)
    assert (data / "repository.csv").read_bytes() == before

    shutil.rmtree(repos)
    again = update_repository_facts(data, repos)
    assert (data / "repository.csv").read_bytes() == before
    assert {problem.subject for problem in again.problems} == {"o/n", "o/gone"}
