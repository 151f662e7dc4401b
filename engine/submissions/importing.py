"""Turns submissions into facts: the tables `submission`, `submission_model`, `result`, `outside_result`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from engine.benchmarks.catalogue import Benchmark, read_catalogue
from engine.problems import BenchCheckerError, Loaded, Problem
from engine.store.changes import TableChange, compare
from engine.store.facts import Fact, read_facts
from engine.submissions.framework import read_frameworks
from engine.submissions.joining import Entry, Joiner
from engine.submissions.outcomes import Place
from engine.submissions.submission import Submission

_TABLES = ("submission", "submission_model", "result", "outside_result")

Tables = dict[str, list[dict[str, Any]]]


def benchmark_samples(data: Path, benchmark: Benchmark) -> frozenset[str]:
    """Return the canonical ids of a benchmark's samples.

    Raises:
        BenchCheckerError: If they have not all been imported: outcomes could not be told from ids outside.
    """
    rows = read_facts(data, "membership")
    samples = frozenset(row["sample"] for row in rows if row["benchmark"] == benchmark.benchmark)
    if len(samples) != benchmark.size:
        raise BenchCheckerError(
            f"{benchmark.benchmark} has {benchmark.size} samples, {len(samples)} are known: "
            "run `benchchecker import samples` first"
        )
    return samples


def plan_submissions(
    data: Path, benchmark: Benchmark, loaded: Loaded[Submission], file: str, *, replace: bool = False
) -> tuple[list[TableChange], list[Problem]]:
    """Return what importing `loaded` would change, and what stands against it.

    Args:
        data: Folder of the fact files.
        benchmark: The benchmark the submissions were run on.
        loaded: What was read.
        file: What was read from, for the problems.
        replace: Believe what was read where it contradicts what is known.
    """
    before: Tables = {name: read_facts(data, name) for name in _TABLES}
    sizes = {other.size: key for key, other in read_catalogue(data).items() if other.size != benchmark.size}
    joiner = Joiner(benchmark, read_frameworks(data), file, replace)
    entries = _entries(before, benchmark)
    tags = {_tag_key(row): row for row in before["submission_model"]}
    problems: list[Problem] = []
    for found in loaded.rows:
        total = found.results.total if found.results else None
        if total in sizes:
            message = (
                f"counts {total} samples, as many as {sizes[total]} has and {benchmark.benchmark} has not"
            )
            remedy = f"import it with --benchmark {sizes[total]}"
            problems.append(Place(file, found.submission).problem(message, remedy))
            continue
        entry, doubts = joiner.join(entries.get(found.submission), found)
        problems += doubts
        if entry is None:
            continue
        entries[found.submission] = entry
        for tag in found.model_tags:
            row = {"submission": found.submission, "tag": tag, "model": None, "evidence": "tag"}
            row["benchmark"] = benchmark.benchmark
            # A tag that is there may have been resolved to a model since: it is never written again.
            tags.setdefault(_tag_key(row), row)
    after = _rows(entries, benchmark) | {"submission_model": list(tags.values())}
    others = {
        name: [row for row in before[name] if row["benchmark"] != benchmark.benchmark] for name in after
    }
    others["submission_model"] = []
    return [compare(name, before[name], [*others[name], *after[name]]) for name in _TABLES], problems


def _entries(tables: Tables, benchmark: Benchmark) -> dict[str, Entry]:
    """Return the known submissions of a benchmark, by key."""
    outcomes: dict[str, dict[str, str]] = {}
    for row in _of(tables["result"], benchmark):
        outcomes.setdefault(row["submission"], {})[row["sample"]] = row["outcome"]
    outside: dict[str, set[str]] = {}
    for row in _of(tables["outside_result"], benchmark):
        outside.setdefault(row["submission"], set()).add(row["reported_id"])
    return {
        row["submission"]: Entry(
            row, outcomes.get(row["submission"], {}), frozenset(outside.get(row["submission"], ()))
        )
        for row in _of(tables["submission"], benchmark)
    }


def _rows(entries: dict[str, Entry], benchmark: Benchmark) -> dict[str, list[Fact]]:
    result: list[Fact] = []
    outside: list[Fact] = []
    for key, entry in entries.items():
        named = {"benchmark": benchmark.benchmark, "submission": key}
        result += [{**named, "sample": sample, "outcome": what} for sample, what in entry.outcomes.items()]
        outside += [{**named, "reported_id": text} for text in sorted(entry.outside)]
    return {
        "submission": [entry.row for entry in entries.values()],
        "result": result,
        "outside_result": outside,
    }


def _of(rows: Iterable[dict[str, Any]], benchmark: Benchmark) -> Iterable[dict[str, Any]]:
    return (row for row in rows if row["benchmark"] == benchmark.benchmark)


def _tag_key(row: Fact) -> tuple[str, str, str]:
    return row["benchmark"], row["submission"], row["tag"]
