"""What a scan compares and how, which shards belong to it, and which of them are still to be read."""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.overlap.corpus import HUB_PREFIX, TREE_PREFIX, CorpusOptions, Shard
from engine.overlap.evaluation_set import CANONICAL_VERSION, EvaluationSet
from engine.overlap.result_tables import DATABASE_NAME
from engine.overlap.rules import Rules
from engine.overlap.shard_scan import ShardFiles
from engine.problems import BenchCheckerError
from engine.store.facts import replacing

SCAN_FORMAT = 2
_OWN_FILE = re.compile(r"\.?[0-9a-f]{20}\.(json|pairs\.parquet|coverage\.npz)(\.\d+\.tmp)?")


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
            # The folder may be one that held something else before.
            if _OWN_FILE.fullmatch(old.name):
                old.unlink()
    elif path.exists():
        before = read_json(path)
        if before.get("settings") != settings:
            difference = _difference(before.get("settings"), settings)
            raise BenchCheckerError(
                f"{scan.folder} holds a scan made otherwise ({difference}); "
                "give another --out, or --fresh to forget it"
            )
        known = _known_shards(path, before)
        _refuse_second_names(scan, known.values(), given)
        new = [shard for shard in given if shard.name not in known]
        if new and not append:
            raise BenchCheckerError(
                f"{scan.folder}: {len(new)} shards are not part of this scan (first: {new[0].name}); "
                "add them with --append"
            )
        planned = [*_still_there(known, given), *new]
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


def _known_shards(path: Path, before: dict[str, Any]) -> dict[str, Shard]:
    try:
        return {row["name"]: Shard(**row) for row in before["shards"]}
    except (KeyError, TypeError) as error:
        raise BenchCheckerError(f"{path}: lists no shards ({error}); scan again with --fresh") from error


def _refuse_second_names(scan: Scan, known: Iterable[Shard], given: Sequence[Shard]) -> None:
    """Refuse a file under another name than it had before: what it holds would count twice."""
    names = {Path(shard.path).absolute(): shard for shard in known if shard.kind != "hub"}
    for shard in given:
        before = None if shard.kind == "hub" else names.get(Path(shard.path).absolute())
        if before is not None and before.path != shard.path:
            raise BenchCheckerError(
                f"{shard.name} is part of {scan.folder} as {before.name}: give it under that name, or scan "
                "again with --fresh"
            )


def _still_there(known: dict[str, Shard], given: Sequence[Shard]) -> list[Shard]:
    """Return the shards of earlier runs but those of files that are cut otherwise by now.

    What a file holds would count twice where it has grown, and for ever where it has shrunk.
    """
    names, files = {shard.name for shard in given}, {(shard.kind, shard.path) for shard in given}
    return [shard for shard in known.values() if shard.name in names or (shard.kind, shard.path) not in files]


def check_apart(scan: Scan) -> None:
    """Refuse a folder inside its own corpus: what a scan writes would be documents of the next.

    Raises:
        BenchCheckerError: If the folder lies in a directory that is scanned.
    """
    for source in scan.sources:
        root = Path(source.removeprefix(TREE_PREFIX))
        inside = scan.folder.resolve().is_relative_to(root.resolve())
        if inside and not source.startswith(HUB_PREFIX) and root.is_dir():
            raise BenchCheckerError(
                f"{scan.folder} lies in the corpus {source}, so that its own files would be scanned; "
                "give an --out elsewhere"
            )


@contextmanager
def one_scan(scan: Scan) -> Iterator[None]:
    """Keep every other scan out of the folder; the kernel lets it in again when this process is gone.

    Raises:
        BenchCheckerError: If another one is at work there: each would count shards that the other replaces.
    """
    scan.shards.mkdir(parents=True, exist_ok=True)
    handle = os.open(scan.shards, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BenchCheckerError(
                f"{scan.folder}: another scan is writing there; run the command again when it has ended"
            ) from error
        yield
    finally:
        os.close(handle)


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
    files = ShardFiles(scan.shards, shard.key)
    marker = files.marker
    if not marker.exists():
        return "new"
    content = read_json(marker)
    if "error" in content or not (files.pairs.exists() and files.coverage.exists()):
        return "new"
    # Shards of earlier runs that are not given now may lie elsewhere by now: they count as they were.
    if shard not in given or content.get("signature") == shard.signature():
        return "done"
    return "changed"


def read_json(path: Path) -> dict[str, Any]:
    """Read a file that a scan wrote.

    Raises:
        BenchCheckerError: If it cannot be read.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BenchCheckerError(f"{path}: cannot be read ({error}); scan again with --fresh") from error
    if not isinstance(content, dict):
        raise BenchCheckerError(f"{path}: was not written by a scan; scan again with --fresh")
    return content


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a file of a scan, atomically."""
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
