"""The facts about each repository that go into `data/repository.csv`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.benchmarks.catalogue import read_catalogue
from engine.history.clones import locate
from engine.history.errors import HistoryUnavailable
from engine.history.repository import RepositoryHistory
from engine.problems import Loaded, Problem, Severity
from engine.store.facts import fact_path, read_facts, write_facts

TABLE = "repository"


def known_sources(data: Path) -> dict[str, str]:
    """Return the source of each repository in `data`, by canonical name."""
    return {row["repository"]: row["source"] for row in read_facts(data, TABLE)}


def update_repository_facts(
    data: Path, repos_dir: Path, sources: Mapping[str, str] | None = None
) -> Loaded[dict[str, Any]]:
    """Write the `repository` table: a row for each repository that a sample in `data` comes from.

    Days and head are those of the default branch's first-parent chain. A repository whose history is not at
    hand keeps the row it had; without one its days are empty, and a warning says why.

    Args:
        data: Folder of the fact files; `sample` and `membership` must be there.
        repos_dir: Folder of bare repositories.
        sources: Source of each canonical name; missing ones are taken from the table, else the name itself.
    """
    before = {row["repository"]: row for row in read_facts(data, TABLE)}
    chosen = {name: row["source"] for name, row in before.items()} | dict(sources or {})
    rows, problems = [], []
    for repository, language in _languages(data).items():
        source = chosen.get(repository, repository)
        row = {"repository": repository, "source": source, "language": language}
        try:
            rows.append(row | _read_days(repos_dir, repository, chosen))
        except HistoryUnavailable as error:
            rows.append(before.get(repository, row))
            place, remedy = str(fact_path(data, TABLE)), "clone it, then label again"
            problems.append(Problem(place, None, repository, error.reason, remedy, Severity.WARNING))
    write_facts(data, TABLE, rows)
    return Loaded(tuple(rows), tuple(problems))


def _read_days(repos_dir: Path, repository: str, sources: Mapping[str, str]) -> dict[str, Any]:
    path = locate(repos_dir, repository, sources)
    if path is None:
        raise HistoryUnavailable(f"there is no copy of {repository} under {repos_dir}")
    chain = RepositoryHistory.open(path).chain
    return {"first_day": chain.first_day, "head_commit": chain.head.sha, "head_day": chain.last_day}


def _languages(data: Path) -> dict[str, str]:
    """Return the language of each repository: that of the benchmark its samples belong to."""
    benchmarks = read_catalogue(data)
    of_sample = {row["sample"]: row["repository"] for row in read_facts(data, "sample")}
    languages: dict[str, str] = {}
    for row in read_facts(data, "membership"):
        languages.setdefault(of_sample[row["sample"]], benchmarks[row["benchmark"]].language)
    return languages
