"""Turns samples into the facts kept about them: ids, dates, sizes and hashes, never their texts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from engine.benchmarks.catalogue import Benchmark
from engine.benchmarks.features import sample_features
from engine.benchmarks.sample import Sample
from engine.patches.diff import PatchError, parse_diff
from engine.problems import BenchCheckerError, Loaded, Problem
from engine.store.changes import TableChange, compare
from engine.store.facts import Fact, read_facts


def sample_row(sample: Sample) -> dict[str, Any]:
    """Return the row of the table `sample`.

    Raises:
        PatchError: If the gold patch cannot be read.
    """
    row: dict[str, Any] = {
        "sample": sample.sample,
        "repository": sample.repository,
        "number": sample.number,
        "base_commit": sample.base_commit,
        # The fact files keep whole seconds.
        "created_at": sample.created_at and sample.created_at.replace(microsecond=0),
        "duplicate_group": sample.duplicate_group,
        "gold_fails_own_tests": sample.gold_fails_own_tests,
    }
    if sample.patch is not None:
        patch = parse_diff(sample.patch)
        row |= {
            "patch_sha256": hashlib.sha256(sample.patch.encode("utf-8")).hexdigest(),
            "files": len(patch.files),
            "added_lines": patch.added_count,
            "removed_lines": patch.removed_count,
        }
    return row


def plan_samples(
    data: Path, benchmark: Benchmark, loaded: Loaded[Sample], source: str
) -> tuple[list[TableChange], list[Problem]]:
    """Return what importing `loaded` as samples of `benchmark` would change, and what stands against it.

    A record with a patch says more of a sample than one without: it replaces what is known, while a record
    without only fills what is empty. So the order of imports does not matter.

    Raises:
        BenchCheckerError: If the benchmark would have more samples than its size.
    """
    problems: list[Problem] = []
    rows: dict[str, Fact] = {row["sample"]: row for row in read_facts(data, "sample")}
    members: dict[tuple[str, str], Fact] = {
        (row["benchmark"], row["sample"]): row for row in read_facts(data, "membership")
    }
    features: dict[str, Fact] = {row["sample"]: row for row in read_facts(data, "sample_feature")}
    before = list(rows.values()), list(members.values()), list(features.values())
    for sample in loaded.rows:
        try:
            row, flags = sample_row(sample), sample_features(sample)
        except PatchError as error:
            problems.append(Problem(source, None, sample.sample, str(error), "fetch the data set again"))
            continue
        rows[sample.sample] = _merge(rows.get(sample.sample), row)
        if flags is not None:
            features[sample.sample] = flags
        key = (benchmark.benchmark, sample.sample)
        known = members.get(key, {}).get("difficulty")
        members[key] = dict(zip(("benchmark", "sample"), key, strict=True)) | {
            "difficulty": sample.difficulty or known
        }
    _check_size(benchmark, members)
    return [
        compare("sample", before[0], rows.values()),
        compare("membership", before[1], members.values()),
        compare("sample_feature", before[2], features.values()),
    ], problems


def _merge(known: Fact | None, found: Fact) -> Fact:
    if known is None:
        return found
    first, second = (found, known) if found.get("patch_sha256") else (known, found)
    return {
        column: second.get(column) if first.get(column) is None else first[column]
        for column in {**first, **second}
    }


def _check_size(benchmark: Benchmark, members: Iterable[tuple[str, str]]) -> None:
    count = sum(key == benchmark.benchmark for key, _ in members)
    if count > benchmark.size:
        raise BenchCheckerError(
            f"{benchmark.benchmark} has {benchmark.size} samples, but this would make {count}: "
            "check --benchmark, or give the data set its own entry in benchmark.toml"
        )
