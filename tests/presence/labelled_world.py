"""Small repositories with a fix in each of many files, the samples of these fixes, and their facts."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from scratch_repository import Scratch, new_scratch
from tiny_facts import DETECTORS, row

from engine.benchmarks.sample import Sample
from engine.store.facts import write_facts

BENCHMARK = """
[[benchmark]]
benchmark = "small"
title = "Small"
language = "python"
size = {size}
difficulties = [{{ difficulty = "easy", title = "Easy" }}]
"""


def buggy(number: int) -> str:
    return f"def f{number}(a):\n    return a\n"


def fixed(number: int) -> str:
    return f"def f{number}(a):\n    check{number}(a)\n    return a + {number}\n"


def patch(number: int) -> str:
    name = f"m{number}.py"
    before, after = (text.splitlines(keepends=True) for text in (buggy(number), fixed(number)))
    return "".join(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"))


def make_repository(path: Path, count: int) -> tuple[Scratch, list[str]]:
    """A history that fixes file after file, reverting every third one later; returns the base of each fix."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = new_scratch(path)
    commits: list[tuple[str, dict[str, bytes | None]]] = [
        ("2020-01-01", {f"m{number}.py": buggy(number).encode() for number in range(count)})
    ]
    commits += [
        (f"2020-02-{number % 28 + 1:02}", {f"m{number}.py": fixed(number).encode()})
        for number in range(count)
    ]
    commits += [
        (f"2020-03-{number % 28 + 1:02}", {f"m{number}.py": buggy(number).encode()})
        for number in range(0, count, 3)
    ]
    scratch.chain(*sorted(commits, key=lambda commit: commit[0]))
    return scratch, [scratch.names["c0"]] * count


def make_samples(repos: Path, names: Sequence[str], count: int) -> list[Sample]:
    """Make `owner/name` repositories under `repos`, and `count` samples of each."""
    samples = []
    for name in names:
        _, bases = make_repository(repos / f"owner__{name}.git", count)
        samples += [
            Sample(
                sample=f"owner__{name}-{number + 1}",
                repository=f"owner/{name}",
                number=number + 1,
                base_commit=base,
                created_at=datetime(2020, 1, 2, tzinfo=UTC),
                patch=patch(number),
            )
            for number, base in enumerate(bases)
        ]
    return samples


def write_world(data: Path, samples: Sequence[Sample]) -> None:
    """Write the facts that labelling needs: benchmark, detectors, samples and their membership."""
    data.mkdir(parents=True)
    (data / "benchmark.toml").write_text(BENCHMARK.format(size=len(samples)), encoding="utf-8")
    (data / "detector.toml").write_text(DETECTORS, encoding="utf-8")
    rows = [
        row("sample", sample=each.sample, repository=each.repository, number=each.number) for each in samples
    ]
    write_facts(data, "sample", rows)
    write_facts(
        data, "membership", [row("membership", benchmark="small", sample=each.sample) for each in samples]
    )


def write_data_set(file: Path, samples: Sequence[Sample]) -> Path:
    """Write the samples as SWE-bench publishes its own."""
    records = [
        {
            "instance_id": each.sample,
            "repo": each.repository,
            "base_commit": each.base_commit,
            "patch": each.patch,
            "created_at": each.created_at.isoformat() if each.created_at else None,
        }
        for each in samples
    ]
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return file
