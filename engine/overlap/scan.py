"""Plans a scan, runs its shards in several processes, and resumes or appends.

A scan is a folder. `scan.json` says what is compared and how; each shard leaves its rows, its coverage and,
last of all, a marker. What has a marker and has not changed since is not read again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from engine.overlap.corpus import CorpusOptions, Shard, discover
from engine.overlap.evaluation_set import CANONICAL_VERSION, EvaluationSet, ItemOptions, make_item
from engine.overlap.index import EvaluationIndex, build_index
from engine.overlap.matcher import Matcher
from engine.overlap.result import ScanResult
from engine.overlap.result_build import build_results
from engine.overlap.result_tables import DATABASE_NAME
from engine.overlap.rules import Rules
from engine.overlap.shard_scan import ShardFiles, ShardScan
from engine.overlap.streams import Limits, ShardError
from engine.problems import BenchCheckerError
from engine.store.facts import replacing

SCAN_FORMAT = 2

Progress = Callable[[str], None]


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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run of a scan did.

    Attributes:
        scanned: Shards read now.
        kept: Shards that had been read before and have not changed.
        changed: Those read now that had been read before, but have changed.
        failed: What was wrong with each shard that could not be read; it stays to be scanned.
        documents: Documents read now.
        text_bytes: Canonical text read now.
    """

    scanned: tuple[str, ...]
    kept: tuple[str, ...]
    changed: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]
    documents: int
    text_bytes: int


def run_scan(
    scan: Scan,
    *,
    append: bool = False,
    fresh: bool = False,
    processes: int = 1,
    progress: Progress = lambda message: None,
) -> Outcome:
    """Scan what is to be scanned and build the result from all shards.

    Args:
        scan: What to compare.
        append: Add the shards of `scan.sources` to an existing scan and read only those that are new.
        fresh: Forget what was scanned before. Verdicts are kept elsewhere and stay.
        processes: Shards read at the same time.
        progress: Told of each finished shard.

    Raises:
        BenchCheckerError: If the folder holds another scan, or a corpus source does not exist.
    """
    given = discover(scan.sources, scan.corpus)
    planned = _plan(scan, given, append=append, fresh=fresh)
    pending, kept, changed = [], [], []
    for shard in planned:
        state = _state(scan, shard, given)
        if state == "done":
            kept.append(shard.name)
            continue
        pending.append(shard)
        if state == "changed":
            changed.append(shard.name)
    progress(f"{len(pending)} shards to scan, {len(kept)} already scanned, {len(changed)} changed since")
    scanned, failed, documents, text_bytes = [], [], 0, 0
    index = build_index(scan.evaluation.items, scan.rules)
    for shard, marker, error in _scan_shards(scan, index, pending, processes):
        if marker is None:
            failed.append((shard.name, error))
            _write_json(ShardFiles(scan.shards, shard.key).marker, {**asdict(shard), "error": error})
            progress(f"failed: {error}")
            continue
        scanned.append(shard.name)
        documents += marker["documents"]
        text_bytes += marker["text_bytes"]
        progress(f"{shard.name}: {marker['documents']} documents, {marker['pairs']} pairs kept")
    rebuild(scan, planned, index)
    return Outcome(tuple(scanned), tuple(kept), tuple(changed), tuple(failed), documents, text_bytes)


def rebuild(scan: Scan, shards: Sequence[Shard], index: EvaluationIndex | None = None) -> None:
    """Build the result anew from what the shards left, after a semantic pass or with other thresholds."""
    index = index or build_index(scan.evaluation.items, scan.rules)
    build_results(scan.evaluation, index, scan.rules, scan.folder, [shard.key for shard in shards])


def load_scan(folder: Path, similarity: float) -> tuple[Scan, list[Shard]]:
    """Read a finished scan back: what it compared, how, and its shards.

    Raises:
        BenchCheckerError: If the folder holds no finished scan.
    """
    result = ScanResult(folder)
    content = _read_json(folder / "scan.json")
    row, corpus = result.table("scan")[0], content["settings"]["corpus"]
    items = tuple(make_item(item["item"], item["text"]) for item in result.table("item"))
    scan = Scan(
        evaluation=EvaluationSet(row["evaluation"], items, ItemOptions(tuple(row["fields"]))),
        sources=(),
        folder=folder,
        rules=replace(result.rules(), similarity=similarity),
        corpus=CorpusOptions(
            **corpus | {"fields": tuple(corpus["fields"]), "limits": Limits(**corpus["limits"])}
        ),
    )
    # The database orders items by name; positions must be those of the scan.
    order = {item: at for at, item in enumerate(content["items"])}
    ordered = tuple(sorted(items, key=lambda item: order[item.item]))
    scan = replace(scan, evaluation=replace(scan.evaluation, items=ordered))
    return scan, [Shard(**shard) for shard in content["shards"]]


def _plan(scan: Scan, given: list[Shard], *, append: bool, fresh: bool) -> list[Shard]:
    """Return all shards of the scan, after writing or checking `scan.json`."""
    path = scan.folder / "scan.json"
    settings = _settings(scan)
    planned = given
    if fresh:
        for old in scan.shards.glob("*"):
            old.unlink()
    elif path.exists():
        before = _read_json(path)
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
    _write_json(path, content)
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


def _state(scan: Scan, shard: Shard, given: Sequence[Shard]) -> str:
    """Return whether a shard is "done", "changed" since, or "new"."""
    marker = ShardFiles(scan.shards, shard.key).marker
    if not marker.exists():
        return "new"
    content = _read_json(marker)
    if "error" in content:
        return "new"
    # Shards of earlier runs that are not given now may lie elsewhere by now: they count as they were.
    if shard not in given or content["signature"] == shard.signature():
        return "done"
    return "changed"


def _scan_shards(
    scan: Scan, index: EvaluationIndex, shards: Sequence[Shard], processes: int
) -> Iterator[tuple[Shard, dict[str, Any] | None, str]]:
    if min(processes, len(shards)) <= 1:
        matcher = Matcher(index)
        for shard in shards:
            yield shard, *_scan_shard(shard, matcher, scan.corpus, scan.shards)
        return
    # Spawned and not forked: a fork of a process with threads (pyarrow has some) can hang.
    context = get_context("spawn")
    with ProcessPoolExecutor(
        min(processes, len(shards)), context, _start_worker, (index, scan.corpus, scan.shards)
    ) as pool:
        futures = {pool.submit(_scan_in_worker, shard): shard for shard in shards}
        try:
            for future in as_completed(futures):
                yield futures[future], *future.result()
        except BrokenProcessPool as error:
            raise BenchCheckerError(
                "a worker was killed (out of memory?); run the same command again to go on, "
                "with fewer --processes"
            ) from error


_worker: tuple[Matcher, CorpusOptions, Path] | None = None


def _start_worker(index: EvaluationIndex, corpus: CorpusOptions, folder: Path) -> None:
    global _worker
    _worker = Matcher(index), corpus, folder


def _scan_in_worker(shard: Shard) -> tuple[dict[str, Any] | None, str]:
    assert _worker is not None
    return _scan_shard(shard, *_worker)


def _scan_shard(
    shard: Shard, matcher: Matcher, corpus: CorpusOptions, folder: Path
) -> tuple[dict[str, Any] | None, str]:
    files = ShardFiles(folder, shard.key)
    # Gone before the rows are replaced: an interrupted rescan must not pass for the old one.
    files.marker.unlink(missing_ok=True)
    try:
        return ShardScan(matcher, shard, corpus).run(files), ""
    except ShardError as error:
        return None, str(error)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BenchCheckerError(f"{path}: cannot be read ({error}); scan again with --fresh") from error
    return content


def _write_json(path: Path, content: dict[str, Any]) -> None:
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
