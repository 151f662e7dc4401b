"""Stage I's evidence that the paper published: which repositories its closed models had seen.

Section 6 reports that Stage I finds the repositories of both benchmarks present for every closed model it
analysed, at p < 0.05. It prints neither hits nor p-values, so there are none here. Every other pair of model
and repository has no row, which labels treat as assumed.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from engine.models.registry import Registry, read_registry
from engine.paper.rows import PaperRow, read_rows
from engine.paths import DATA_DIR
from engine.problems import BenchCheckerError
from engine.store.facts import Fact, read_facts, write_facts

PUBLISHED_SOURCE = "paper, Section 6: present at p < 0.05 for every closed model analysed"


def published_presence(
    rows: Iterable[PaperRow], registry: Registry, memberships: Iterable[Fact], samples: Iterable[Fact]
) -> list[dict[str, Any]]:
    """Return the rows of `repository_presence` that follow from the paper, by model and repository.

    Args:
        rows: The rows of Tables 6 to 9: their closed models are those that the paper is known to analyse.
        registry: The models, which says whose weights are closed.
        memberships: Rows of `membership`.
        samples: Rows of `sample`.

    Raises:
        BenchCheckerError: If a row of the paper names a model that the registry does not have.
    """
    paper = tuple(rows)
    missing = sorted({row.registry_model for row in paper} - registry.models.keys())
    if missing:
        raise BenchCheckerError(f"model_cutoff.csv: {', '.join(missing)} are not in the registry (add them)")
    closed = {row.registry_model for row in paper if not registry.models[row.registry_model].open_weights}
    benchmarks = {row.benchmark for row in paper}
    chosen = {row["sample"] for row in memberships if row["benchmark"] in benchmarks}
    repositories = {row["repository"] for row in samples if row["sample"] in chosen}
    return [
        {
            "model": model,
            "repository": repository,
            "basis": "published",
            "verdict": "present",
            "source": PUBLISHED_SOURCE,
        }
        for model in sorted(closed)
        for repository in sorted(repositories)
    ]


def write_published_presence(data: Path = DATA_DIR) -> list[dict[str, Any]]:
    """Write the published evidence to `data/repository_presence.csv`, and return it.

    Evidence that was probed stays, and stands in place of the published row for the same pair.

    Raises:
        BenchCheckerError: If samples, the paper's rows or the registry are missing.
    """
    samples = read_facts(data, "sample")
    if not samples:
        raise BenchCheckerError("there are no samples here: import some first, or check --data")
    published = published_presence(
        read_rows(data), read_registry(data), read_facts(data, "membership"), samples
    )
    probed = [row for row in read_facts(data, "repository_presence") if row["basis"] == "probed"]
    pairs = {(row["model"], row["repository"]) for row in probed}
    kept = [row for row in published if (row["model"], row["repository"]) not in pairs]
    write_facts(data, "repository_presence", [*probed, *kept])
    return kept
