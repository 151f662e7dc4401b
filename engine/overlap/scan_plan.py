"""What a scan compares and how, which shards belong to it, and which of them are still to be read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.overlap.corpus import CorpusOptions, Shard
from engine.overlap.evaluation_set import CANONICAL_VERSION, EvaluationSet
from engine.overlap.result_tables import DATABASE_NAME
from engine.overlap.rules import Rules
from engine.overlap.shard_scan import ShardFiles
from engine.problems import BenchCheckerError
from engine.store.facts import replacing

SCAN_FORMAT = 2


@dataclass(frozen=True, slots=True)
class Scan:
    """A scan to be made or continued.

    Attributes:
        evaluation: The evaluation set.
        sources: The corpus, as given by the user.
        folder: Where the scan lies.
        rules: Measures and thresholds.
        corpus: How documents are read.
    """

    evaluation: EvaluationSet
    sources: tuple[str, ...]
    folder: Path
    rules: Rules = Rules()  # noqa: RUF009 -- frozen
    corpus: CorpusOptions = CorpusOptions()  # noqa: RUF009 -- frozen

    @property
    def shards(self) -> Path:
        """Folder of the shards' results."""
        return self.folder / "shards"

    @property
    def database(self) -> Path:
        """The result."""
        return self.folder / DATABASE_NAME


def plan(scan: Scan, given: list[Shard], *, append: bool, fresh: bool) -> list[Shard]:
    """Return all shards of the scan, after writing or checking `scan.json`."""
    path = scan.folder / "scan.json"
    settings = _settings(scan)
    planned = given
    if fresh:
        for old in scan.shards.glob("*"):
            old.unlink()
    elif path.exists():
        before = read_json(path)
        if before.get("settings") != settings:
            difference = _difference(before.get("settings"), settings)
            raise BenchCheckerError(
                f"{scan.folder} holds a scan made otherwise ({difference}); "
                "give another --out, or --fresh to forget it"
            )
        known = {row["name"]: Shard(**row) for row in before["shards"]}
        new = [shard for shard in given if shard.name not in known]
        if new and not append:
            raise BenchCheckerError(
                f"{scan.folder}: {len(new)} shards are not part of this scan (first: {new[0].name}); "
                "add them with --append"
            )
        planned = [*known.values(), *new]
    elif append:
        raise BenchCheckerError(f"{scan.folder}: no scan to append to; scan without --append first")
    scan.shards.mkdir(parents=True, exist_ok=True)
    content = {
        "settings": settings,
        "shards": [asdict(shard) for shard in planned],
        "items": [item.item for item in scan.evaluation.items],
    }
    write_json(path, content)
    return planned


def _settings(scan: Scan) -> dict[str, Any]:
    corpus = asdict(scan.corpus)
    return {
        "format": SCAN_FORMAT,
        "canonical": CANONICAL_VERSION,
        "evaluation": scan.evaluation.sha256,
        "rules": scan.rules.scanned(),
        "corpus": {**corpus, "fields": list(corpus["fields"])},
    }


def _difference(before: Any, now: dict[str, Any]) -> str:
    if not isinstance(before, dict):
        return "unreadable settings"
    parts = []
    for name, value in now.items():
        old = before.get(name)
        if isinstance(value, dict) and isinstance(old, dict):
            parts += [
                f"{key}: {old.get(key)} then, {new} now" for key, new in value.items() if old.get(key) != new
            ]
        elif old != value:
            parts.append(
                "another evaluation set" if name == "evaluation" else f"{name}: {old} then, {value} now"
            )
    return "; ".join(parts)


def state_of(scan: Scan, shard: Shard, given: Sequence[Shard]) -> str:
    """Return whether a shard is "done", "changed" since, or "new"."""
    marker = ShardFiles(scan.shards, shard.key).marker
    if not marker.exists():
        return "new"
    content = read_json(marker)
    if "error" in content:
        return "new"
    # Shards of earlier runs that are not given now may lie elsewhere by now: they count as they were.
    if shard not in given or content["signature"] == shard.signature():
        return "done"
    return "changed"


def read_json(path: Path) -> dict[str, Any]:
    """Read a file that a scan wrote.

    Raises:
        BenchCheckerError: If it cannot be read.
    """
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BenchCheckerError(f"{path}: cannot be read ({error}); scan again with --fresh") from error
    return content


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a file of a scan, atomically."""
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
