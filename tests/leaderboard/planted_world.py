"""A benchmark whose contamination effect is known, as fact files: the engine must find it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit

from engine.store.facts import column_types, table, write_facts

HEAD = date(2025, 12, 31)
FIRST_CUTOFF = date(2022, 1, 31)
THRESHOLDS = {"strict": 0.7, "loose": 0.4}


def row(name: str, **values: Any) -> dict[str, Any]:
    return dict.fromkeys(column_types(table(name))) | values


def write_planted(
    folder: Path, effect: float, *, seed: int = 1, samples: int = 120, submissions: int = 48
) -> Path:
    """Write facts in which contamination raises the odds of a fix by `effect` logits.

    Small patches live longer and are easier, so that the plain gap is wrong. Half the samples land after the
    first cutoffs. For the detector `loose` a fix that was rewritten is still there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    chance = np.random.default_rng(seed)
    cutoffs = [FIRST_CUTOFF + timedelta(days=int(day)) for day in np.linspace(0, 1200, submissions)]
    landed = [date(2020, 1, 1) + timedelta(days=int(day)) for day in chance.uniform(0, 1300, samples)]
    life = chance.uniform(200, 2200, samples)
    gone = [day + timedelta(days=int(days)) for day, days in zip(landed, life, strict=True)]
    lines = (80 - life / 30 + chance.uniform(0, 5, samples)).astype(int)
    difficulty = chance.normal(0, 1, samples) - (life - 1200) / 700
    there = np.array([[on <= cut < off for on, off in zip(landed, gone, strict=True)] for cut in cutoffs])
    ability = np.linspace(-0.5, 0.8, submissions)[:, None] + chance.normal(0, 0.4, (submissions, 1))
    resolved = chance.random(there.shape) < expit(ability - difficulty[None, :] + effect * there)
    _write_tables(folder, samples, cutoffs)
    names = [f"made__up-{number + 1}" for number in range(samples)]
    repositories = ["made/up", "made/other"]
    write_facts(folder, "repository", [_repository(name) for name in repositories])
    write_facts(
        folder,
        "sample",
        [
            row(
                "sample",
                sample=name,
                repository=repositories[place % 2],
                number=place + 1,
                created_at=datetime(2019, 1, 1, tzinfo=UTC),
                added_lines=int(lines[place]),
                removed_lines=1,
            )
            for place, name in enumerate(names)
        ],
    )
    levels = ["easy" if value < 0 else "hard" for value in difficulty]
    write_facts(
        folder,
        "membership",
        [
            row("membership", benchmark="planted", sample=name, difficulty=level)
            for name, level in zip(names, levels, strict=True)
        ],
    )
    write_facts(folder, "landing", [_landing(name, day) for name, day in zip(names, landed, strict=True)])
    write_facts(
        folder,
        "presence",
        [
            interval
            for name, on, off in zip(names, landed, gone, strict=True)
            for detector in THRESHOLDS
            for interval in _lives(detector, name, on, off)
        ],
    )
    keys = [f"s{number:03}" for number in range(submissions)]
    write_facts(folder, "submission", [_submission(key) for key in keys])
    write_facts(
        folder,
        "submission_model",
        [
            row(
                "submission_model",
                benchmark="planted",
                submission=key,
                tag=f"m{place}",
                model=f"m{place}",
                evidence="tag",
            )
            for place, key in enumerate(keys)
        ],
    )
    outcomes = [
        row(
            "result",
            benchmark="planted",
            submission=key,
            sample=name,
            outcome="resolved" if resolved[place, column] else "unresolved",
        )
        for place, key in enumerate(keys)
        for column, name in enumerate(names)
    ]
    write_facts(folder, "result", outcomes)
    return folder


def _lives(detector: str, name: str, on: date, off: date) -> list[dict[str, Any]]:
    spans = [(on, min(off - timedelta(days=1), HEAD), 0.9)]
    if off <= HEAD:
        spans.append((off, HEAD, 0.5))
    return [
        row(
            "presence",
            detector=detector,
            sample=name,
            valid_from=first,
            valid_to=last,
            state="judged",
            score=score,
            method="lines",
            reason="made up",
        )
        for first, last, score in spans
    ]


def _repository(name: str) -> dict[str, Any]:
    return row(
        "repository",
        repository=name,
        source="https://example.org",
        language="python",
        first_day=date(2015, 1, 1),
        head_commit="f" * 40,
        head_day=HEAD,
    )


def _landing(name: str, day: date) -> dict[str, Any]:
    return row(
        "landing",
        sample=name,
        landed_commit="d" * 40,
        landed_at=datetime(day.year, day.month, day.day, 12, tzinfo=UTC),
        state="exact",
        evidence="made up",
    )


def _submission(key: str) -> dict[str, Any]:
    return row(
        "submission",
        benchmark="planted",
        submission=key,
        title=key,
        source="made in a test",
        use_results=True,
    )


def _write_tables(folder: Path, samples: int, cutoffs: list[date]) -> None:
    (folder / "benchmark.toml").write_text(
        f'[[benchmark]]\nbenchmark = "planted"\ntitle = "Planted"\nlanguage = "python"\nsize = {samples}\n'
        'difficulties = [{ difficulty = "easy", title = "Easy" }, { difficulty = "hard", title = "Hard" }]\n',
        encoding="utf-8",
    )
    (folder / "detector.toml").write_text(
        "".join(
            f'[[detector]]\ndetector = "{key}"\ntitle = "{key}"\ndescription = "{key}"\n'
            f'embedder = "lexical"\nversion = 1\nthreshold = {threshold}\n'
            f"is_default = {str(key == 'strict').lower()}\n"
            for key, threshold in THRESHOLDS.items()
        ),
        encoding="utf-8",
    )
    (folder / "model.toml").write_text(
        "".join(
            f'[[model]]\nmodel = "m{place}"\nvendor = "V"\ntitle = "M{place}"\n'
            f"released = {cutoff + timedelta(days=92)}\ncutoff = {cutoff}\n"
            + ('basis = "estimated"\n' if place % 2 else 'basis = "published"\nsource = "V, a page"\n')
            for place, cutoff in enumerate(cutoffs)
        ),
        encoding="utf-8",
    )
