"""A benchmark of four samples, and another of three, in a data folder."""

from __future__ import annotations

from pathlib import Path

from engine.store.facts import write_facts

CATALOGUE = """
[[benchmark]]
benchmark = "small"
title = "Small"
language = "python"
size = 4
boards = [{ name = "Verified" }, { name = "bash-only", framework = "mini-SWE-agent" }]
difficulties = [{ difficulty = "easy", title = "Easy", labels = ["<15 min fix"] }]

[[benchmark]]
benchmark = "other"
title = "Other"
language = "java"
size = 3
difficulties = [{ difficulty = "easy", title = "Easy" }]
"""

SAMPLES = ("a__x-1", "a__x-2", "a__x-3", "b__y-4")
OTHER_SAMPLES = ("a__x-1", "c__z-8", "c__z-9")


def write_small_benchmark(data: Path) -> Path:
    """Write the catalogue and the samples into `data`."""
    data.mkdir(parents=True, exist_ok=True)
    (data / "benchmark.toml").write_text(CATALOGUE, encoding="utf-8")
    samples = sorted({*SAMPLES, *OTHER_SAMPLES})
    repositories = {sample: sample.rsplit("-", 1)[0].replace("__", "/") for sample in samples}
    write_facts(
        data,
        "repository",
        [
            {"repository": name, "source": name, "language": "python"}
            for name in sorted(set(repositories.values()))
        ],
    )
    write_facts(
        data,
        "sample",
        [
            {"sample": sample, "repository": repositories[sample], "number": int(sample.rsplit("-", 1)[1])}
            for sample in samples
        ],
    )
    write_facts(
        data,
        "membership",
        [{"benchmark": "small", "sample": sample, "difficulty": "easy"} for sample in SAMPLES]
        + [{"benchmark": "other", "sample": sample, "difficulty": None} for sample in OTHER_SAMPLES],
    )
    return data
