"""A small world of facts that the tests of the store, the leaderboard and the export share."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from engine.store.facts import column_types, table, write_facts
from engine.store.provenance import record_run

BENCHMARK = """
[[benchmark]]
benchmark = "tiny"
title = "Tiny"
language = "python"
size = 6
difficulties = [
    { difficulty = "easy", title = "Easy" },
    { difficulty = "hard", title = "Hard" },
]
"""

MODELS = """
[[model]]
model = "old"
vendor = "Vendor"
title = "Old"
released = 2024-03-31
cutoff = 2023-12-31
basis = "estimated"
open_weights = false
aliases = ["old-1", "old-1-preview"]

[[model]]
model = "new"
vendor = "Vendor"
title = "New"
released = 2025-06-30
cutoff = 2025-03-31
basis = "published"
source = "https://example.org/new"
open_weights = true
aliases = ["new-1"]
"""

DETECTORS = """
[[detector]]
detector = "paper"
title = "As published"
description = "Line by line."
embedder = "lexical"
version = 1
threshold = 0.7

[[detector]]
detector = "traced"
title = "Traced"
description = "Follows the fix."
embedder = "lexical"
version = 1
threshold = 0.5
is_default = true
"""

HEAD = date(2025, 6, 30)
SAMPLES = ("a__one-1", "a__one-2", "a__one-3", "b__two-1", "b__two-2", "b__two-3")
LANDED = {
    "a__one-1": date(2020, 5, 1),
    "a__one-2": date(2021, 1, 1),
    "a__one-3": date(2024, 2, 1),
    "b__two-1": date(2020, 1, 1),
    "b__two-2": date(2020, 1, 1),
    "b__two-3": date(2019, 1, 1),
}
# What each submission resolved; sub-c names a model that nobody knows, sub-d's results are not to be used.
RESOLVED = {
    "sub-a": ("a__one-1", "a__one-2", "b__two-2"),
    "sub-b": ("a__one-1", "a__one-2", "a__one-3", "b__two-1", "b__two-2"),
    "sub-c": ("a__one-1",),
    "sub-d": (),
    "sub-e": ("a__one-1", "a__one-2"),
}
MODELS_OF = {
    "sub-a": {"old-1": "old"},
    "sub-b": {"new-1": "new"},
    "sub-c": {"mystery": None},
    "sub-d": {"old-1": "old"},
    "sub-e": {"old-1": "old", "new-1": "new"},
}


def row(name: str, **values: Any) -> dict[str, Any]:
    """A row of table `name` with every column that is not given left empty."""
    return dict.fromkeys(column_types(table(name))) | values


def _presence() -> Iterable[dict[str, Any]]:
    def judged(sample: str, start: date, end: date, score: float | None, reason: str) -> dict[str, Any]:
        return row(
            "presence",
            detector="paper",
            sample=sample,
            valid_from=start,
            valid_to=end,
            state="unknown" if score is None else "judged",
            score=score,
            method="lines",
            reason=reason,
            commit="c" * 40,
            path="src/module.py",
            line=7,
        )

    yield judged("a__one-1", LANDED["a__one-1"], HEAD, 1.0, "verbatim")
    yield judged("a__one-2", LANDED["a__one-2"], date(2024, 5, 31), 0.95, "reformatted")
    yield judged("a__one-2", date(2024, 6, 1), HEAD, 0.2, "replaced")
    yield judged("a__one-3", LANDED["a__one-3"], HEAD, 0.9, "renamed")
    yield judged("b__two-1", LANDED["b__two-1"], HEAD, None, "patch not parsable")
    yield judged("b__two-2", LANDED["b__two-2"], HEAD, 0.65, "refactored")


def write_tiny_facts(data: Path) -> None:
    """Two repositories, six samples, two models, five submissions; `paper` judged five of the samples."""
    data.mkdir(parents=True, exist_ok=True)
    for name, text in (("benchmark", BENCHMARK), ("model", MODELS), ("detector", DETECTORS)):
        (data / f"{name}.toml").write_text(text, encoding="utf-8")
    repositories = [
        row(
            "repository",
            repository=repository,
            source="https://example.org",
            language="python",
            first_day=date(2015, 1, 1),
            head_commit="f" * 40,
            head_day=HEAD,
        )
        for repository in ("a/one", "b/two")
    ]
    samples = [
        row(
            "sample",
            sample=sample,
            repository=sample.rsplit("-", 1)[0].replace("__", "/"),
            number=int(sample[-1]),
            created_at=datetime(2018, 1, 1, tzinfo=UTC),
        )
        for sample in SAMPLES
    ]
    memberships = [
        row("membership", benchmark="tiny", sample=sample, difficulty="hard" if sample[-1] == "3" else "easy")
        for sample in SAMPLES
    ]
    landings = [
        row(
            "landing",
            sample=sample,
            landed_commit="d" * 40,
            landed_at=datetime(day.year, day.month, day.day, 12, tzinfo=UTC),
            state="exact",
            evidence="patch applies",
        )
        for sample, day in LANDED.items()
    ]
    submissions = [
        row(
            "submission",
            benchmark="tiny",
            submission=submission,
            title=f"{submission} (title)",
            framework="Agent & Co_1" if submission == "sub-a" else "Other",
            submitted_on=date(2026, 1 + position, 1),
            open_weights=submission == "sub-b",
            source="made in a test",
            reported_rate=len(resolved) / 6,
            quality="per-sample data do not match the board" if submission == "sub-d" else None,
            use_results=submission != "sub-d",
        )
        for position, (submission, resolved) in enumerate(RESOLVED.items())
    ]
    tags = [
        row(
            "submission_model",
            benchmark="tiny",
            submission=submission,
            tag=tag,
            model=model,
            evidence="tag",
        )
        for submission, models in MODELS_OF.items()
        for tag, model in models.items()
    ]
    results = [
        row(
            "result",
            benchmark="tiny",
            submission=submission,
            sample=sample,
            outcome="resolved" if sample in resolved else "unresolved",
        )
        for submission, resolved in RESOLVED.items()
        for sample in SAMPLES
    ]
    written = [
        write_facts(data, name, rows)
        for name, rows in (
            ("repository", repositories),
            ("sample", samples),
            ("membership", memberships),
            ("landing", landings),
            ("submission", submissions),
            ("submission_model", tags),
            ("result", results),
            ("presence", _presence()),
        )
    ]
    record_run(data, "made in a test", {}, {}, written)
