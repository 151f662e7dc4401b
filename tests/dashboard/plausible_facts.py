"""A plausible folder of facts, made up for the tests and written the way the engine writes real ones.

Everything in it is invented and follows from one seed. It has what makes real data awkward: submissions
without a known cutoff, patches that cannot be judged, a landing only estimated, and names meant to do harm.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from engine.store.facts import write_facts

HOSTILE_TITLE = '<script>window.hacked=1</script><img src=x onerror="window.hacked=1">'
HOSTILE_MARKDOWN = "**bold** [click](javascript:window.hacked=1) :red[x] $x$ `a|b` #1"
HOSTILE_FORMULA = '=HYPERLINK("http://localhost/","a")&50%_of\\it'

REPOSITORIES = ("orbit-lab/kepler", "acme/widgets", "quiet/solver")
LEVELS = {
    "tiny-verified": (
        ("lt15m", "< 15 min"),
        ("15m_1h", "15 min – 1 h"),
        ("1h_4h", "1 – 4 h"),
        ("gt4h", "> 4 h"),
    ),
    "tiny-java": (("easy", "Easy"), ("medium", "Medium"), ("hard", "Hard")),
}
MODELS = (
    ("alpha-1", "Alpha 1", date(2023, 4, 30), "published", False),
    ("alpha-2", "Alpha 2", date(2024, 4, 30), "published", False),
    ("beta-70b", "Beta 70B", date(2023, 12, 31), "estimated", True),
    ("beta-400b", "Beta 400B", date(2025, 3, 31), "published", True),
    ("gamma", "Gamma <b>bold</b>", date(2024, 9, 30), "estimated", False),
    ("delta", "Delta", None, None, None),
)
FRAMEWORKS = ("OpenFix", "mini-agent", "Patchwork_50%", HOSTILE_MARKDOWN)


@dataclass(frozen=True, slots=True)
class Size:
    """How much to make; `times` multiplies samples and submissions."""

    samples: int = 90
    submissions: int = 16
    times: int = 1


def write_folder(folder: Path, size: Size | None = None, *, seed: int = 1) -> Path:
    """Write a folder of facts that `build_database` accepts, and return it."""
    asked = size or Size()
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    samples = _samples(asked.samples * asked.times, chance)
    sizes = {name: sum(name == row["benchmark"] for row in samples) for name in LEVELS}
    _write_benchmarks(folder, sizes)
    _write_detectors(folder)
    _write_models(folder)
    _write_run(folder)
    write_facts(folder, "repository", [_repository(name) for name in REPOSITORIES])
    write_facts(folder, "sample", [_sample(row) for row in samples])
    write_facts(folder, "sample_feature", [_features(row) for row in samples if row["number"] % 31])
    write_facts(folder, "membership", [_only(row, "benchmark", "sample", "difficulty") for row in samples])
    write_facts(folder, "landing", [_landing(row) for row in samples])
    presence, blocks = [], []
    for row in samples:
        for detector in ("paper", "traced"):
            for interval in _lifecycle(row, detector, chance):
                presence.append(interval)
                blocks += _blocks(interval)
    write_facts(folder, "presence", presence)
    write_facts(folder, "block_presence", blocks)
    submissions = [_submission(number, chance) for number in range(asked.submissions * asked.times)]
    write_facts(folder, "submission", [_only_submission(row) for row in submissions])
    write_facts(folder, "submission_model", [tag for row in submissions for tag in _tags(row)])
    write_facts(folder, "result", [r for row in submissions for r in _results(row, samples, chance)])
    write_facts(
        folder,
        "outside_result",
        [
            {
                "benchmark": "tiny-verified",
                "submission": "s000",
                "reported_id": '<img src=x onerror="window.hacked=1">',
            }
        ],
    )
    write_facts(folder, "repository_presence", _repository_presence())
    return folder


def _samples(number: int, chance: random.Random) -> list[dict[str, Any]]:
    rows = []
    for index in range(number):
        benchmark = "tiny-verified" if index < 0.75 * number else "tiny-java"
        repository = REPOSITORIES[index % 3]
        levels = [key for key, _ in LEVELS[benchmark]]
        ease = chance.random()
        created = datetime(2019, 1, 1, tzinfo=UTC) + timedelta(days=chance.randrange(1600), hours=7)
        rows.append(
            {
                "sample": f"{repository.replace('/', '__')}-{100 + index}",
                "repository": repository,
                "number": 100 + index,
                "benchmark": benchmark,
                "difficulty": levels[min(int(ease * len(levels)), len(levels) - 1)],
                "ease": 1 - ease,
                "created": created,
                "landed": created + timedelta(days=chance.randrange(2, 40)),
                # The day on which a refactoring moves the fix out of reach of line matching.
                "rewritten": created + timedelta(days=chance.randrange(200, 3500)),
            }
        )
    return rows


def _sample(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "sample": row["sample"],
        "repository": row["repository"],
        "number": row["number"],
        "title": HOSTILE_TITLE if row["number"] == 101 else f"Fix rounding in step {row['number']}",
        "base_commit": f"{row['number']:040x}",
        "created_at": row["created"],
        "patch_sha256": f"{row['number']:064x}",
        "files": 1 + row["number"] % 3,
        "added_lines": row["number"] % 17,
        "removed_lines": row["number"] % 5,
        "duplicate_group": None,
        "gold_fails_own_tests": row["number"] % 40 == 0,
    }


def _features(row: dict[str, Any]) -> dict[str, Any]:
    number = row["number"]
    return {
        "sample": row["sample"],
        "issue_words": 20 + number,
        "reproducing_example": number % 3 != 0,
        "traceback": number % 5 == 0,
        "names_file": number % 4 == 0,
        "new_identifiers": number % 6,
        "hinted_identifiers": min(number % 6, number % 2),
    }


def _landing(row: dict[str, Any]) -> dict[str, Any]:
    estimated = row["number"] == 105
    return {
        "sample": row["sample"],
        "landed_commit": f"{row['number'] + 7:040x}",
        "landed_at": row["landed"],
        "state": "estimated" if estimated else "exact",
        "evidence": "no commit holds the fix" if estimated else "the commit named by the pull request",
    }


def _lifecycle(row: dict[str, Any], detector: str, chance: random.Random) -> list[dict[str, Any]]:
    if row["number"] % 23 == 0:
        return []
    first, end = row["created"].date(), date(2025, 6, 30)
    common = {"detector": detector, "sample": row["sample"], "commit": f"{row['number'] + 9:040x}"}
    if row["number"] % 29 == 0:
        unread = {"valid_from": first, "valid_to": end, "state": "unknown", "score": None, "commit": None}
        return [common | unread | {"method": "not parsed", "reason": "the gold patch has no statement"}]
    place = {"path": f"src/módulo {row['number'] % 7}/core.py", "line": 10 + row["number"]}
    landed, rewritten = row["landed"].date(), row["rewritten"].date()
    later = 0.45 if detector == "paper" else 0.86
    changed = max(rewritten, landed + timedelta(days=30))
    days = [(first, landed - timedelta(days=1), 0.2 + 0.2 * chance.random())]
    if changed >= end:
        days.append((landed, end, 1.0))
    else:
        days += [(landed, changed - timedelta(days=1), 1.0), (changed, end, later)]
    return [
        common
        | place
        | {"valid_from": start, "valid_to": stop, "state": "judged", "score": round(score, 4)}
        | {"method": "lines", "reason": f"its weakest block scores {score:.2f}"}
        for start, stop, score in days
    ]


def _blocks(interval: dict[str, Any]) -> list[dict[str, Any]]:
    if interval["score"] is None:
        return []
    key = _only(interval, "detector", "sample", "valid_from", "path")
    weakest = {"block": 0, "scope": "Kernel.step", "score": interval["score"], "method": "lines"}
    other = {"block": 1, "scope": "<module>", "score": 1.0, "method": "lines"}
    return [
        key | weakest | {"line_start": 40, "line_end": 44, "line_scores": [1.0, interval["score"], 1.0]},
        key | other | {"line_start": 3, "line_end": 3, "line_scores": [1.0]},
    ]


def _submission(number: int, chance: random.Random) -> dict[str, Any]:
    benchmark = "tiny-java" if number % 5 == 4 else "tiny-verified"
    titles = {0: HOSTILE_TITLE, 1: HOSTILE_MARKDOWN, 2: HOSTILE_FORMULA}
    model = MODELS[number % len(MODELS)]
    return {
        "benchmark": benchmark,
        "submission": f"s{number:03}",
        "title": titles.get(number, f"{FRAMEWORKS[number % 3]} + {model[1]} #{number}"),
        "framework": None if number % 7 == 6 else FRAMEWORKS[number % len(FRAMEWORKS)],
        "submitted_on": date(2024, 1, 15) + timedelta(days=23 * (number % 24)),
        "open_weights": model[4],
        "open_system": bool(number % 2),
        "checked": number % 3 == 0,
        "source": "made up for a test",
        "quality": "its per-sample results do not match the reported figure" if number == 8 else None,
        "use_results": number != 8,
        "model": None if number % 11 == 10 else model[0],
        "skill": 0.2 + 0.6 * chance.random(),
        "memory": 0.35 if number % 3 == 0 else 0.0,
    }


def _only_submission(row: dict[str, Any]) -> dict[str, Any]:
    hidden = {"model", "skill", "memory"}
    return {key: value for key, value in row.items() if key not in hidden}


def _tags(row: dict[str, Any]) -> list[dict[str, Any]]:
    key = _only(row, "benchmark", "submission")
    tags = [
        key | {"tag": row["model"] or "omega-9", "model": row["model"], "evidence": "tag of the submission"}
    ]
    if row["submission"] == "s003":
        tags.append(key | {"tag": "alpha-1", "model": "alpha-1", "evidence": "named in the title"})
    return tags


def _results(
    row: dict[str, Any], samples: list[dict[str, Any]], chance: random.Random
) -> list[dict[str, Any]]:
    rows = []
    for sample in samples:
        if sample["benchmark"] != row["benchmark"]:
            continue
        kept = sample["rewritten"].date() > date(2024, 6, 1)
        odds = row["skill"] * (0.5 + sample["ease"]) + (row["memory"] if kept else 0)
        failed = chance.choice(("unresolved", "unresolved", "empty_patch", "no_generation"))
        outcome = "resolved" if chance.random() < odds else failed
        rows.append({**_only(row, "benchmark", "submission"), "sample": sample["sample"], "outcome": outcome})
    return rows


def _repository(name: str) -> dict[str, Any]:
    return {
        "repository": name,
        "source": f"https://github.com/{name}",
        "language": "java" if name.startswith("acme") else "python",
        "first_day": date(2015, 1, 1),
        "head_commit": "ab" * 20,
        "head_day": date(2025, 6, 30),
    }


def _repository_presence() -> list[dict[str, Any]]:
    published = {"basis": "published", "verdict": "present", "source": "a paper"}
    rows = [{"model": "alpha-1", "repository": name, **published} for name in REPOSITORIES]
    probed = {
        "basis": "probed",
        "hits": 9,
        "queries": 40,
        "weighted_hits": 7.5,
        "p0": 0.13,
        "p_value": 0.0677,
    }
    rows.append({"model": "alpha-2", "repository": "quiet/solver", "verdict": "not shown", **probed})
    return rows


def _write_benchmarks(folder: Path, sizes: dict[str, int]) -> None:
    entries = []
    for benchmark, levels in LEVELS.items():
        lines = ",\n".join(f'    {{ difficulty = "{key}", title = "{title}" }}' for key, title in levels)
        title = "Tiny Verified" if benchmark == "tiny-verified" else "Tiny Java"
        entries.append(
            f'[[benchmark]]\nbenchmark = "{benchmark}"\ntitle = "{title}"\nlanguage = "python"\n'
            f"size = {max(1, sizes[benchmark])}\ndifficulties = [\n{lines},\n]\n"
        )
    (folder / "benchmark.toml").write_text("\n".join(entries), encoding="utf-8")


def _write_detectors(folder: Path) -> None:
    (folder / "detector.toml").write_text(
        """
[[detector]]
detector = "paper"
title = "As published"
description = "Every added line must be there."
embedder = "lexical"
version = 1
threshold = 0.7

[[detector]]
detector = "traced"
title = "Traced"
description = "Follows renames and moves."
embedder = "lexical"
version = 1
threshold = 0.8
is_default = true
""",
        encoding="utf-8",
    )


def _write_models(folder: Path) -> None:
    entries = []
    for model, title, cutoff, basis, open_weights in MODELS:
        lines = [f'model = "{model}"', f'title = "{title}"', f'vendor = "{title.split()[0]} Labs"']
        released = date(2025, 6, 1) if cutoff is None else cutoff + timedelta(days=60 + 7 * len(model))
        lines.append(f"released = {released}")
        if cutoff is not None:
            lines += [
                f"cutoff = {cutoff.isoformat()}",
                f'basis = "{basis}"',
                'source = "Alpha Labs, model card, https://example.org/card"',
            ]
        if open_weights is not None:
            lines.append(f"open_weights = {str(open_weights).lower()}")
        entries.append("[[model]]\n" + "\n".join(lines) + "\n")
    (folder / "model.toml").write_text("\n".join(entries), encoding="utf-8")


def _write_run(folder: Path) -> None:
    run = {
        "run": "0123456789abcdef",
        "command": "benchchecker label --detector paper",
        "started_at": "2025-07-01T08:00:00+00:00",
        "finished_at": "2025-07-01T08:09:30+00:00",
        "versions": {"duckdb": "2.0.1"},
        "configuration": {"detector": "paper"},
        "inputs": {"samples": "ab" * 32},
        "outputs": {"presence.parquet": "cd" * 32},
    }
    (folder / "run.jsonl").write_text(json.dumps(run) + "\n", encoding="utf-8")


def _only(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: row[name] for name in names}
