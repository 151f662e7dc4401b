"""Plans a scan, runs its shards in several processes, and resumes or appends.

A scan is a folder. `scan.json` says what is compared and how; each shard leaves its rows, its coverage and,
last of all, a marker. What has a marker and has not changed since is not read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from engine.overlap.corpus import CorpusOptions, Shard, discover
from engine.overlap.evaluation_set import EvaluationSet, ItemOptions, make_item
from engine.overlap.index import EvaluationIndex, build_index
from engine.overlap.matcher import Matcher
from engine.overlap.result import ScanResult
from engine.overlap.result_build import build_results
from engine.overlap.scan_plan import Scan, check_apart, one_scan, plan, read_json, state_of, write_json
from engine.overlap.shard_scan import ShardFiles, ShardScan
from engine.overlap.streams import Limits, ShardError, storable
from engine.parent_process import end_with_parent
from engine.problems import BenchCheckerError

Progress = Callable[[str], None]


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
        BenchCheckerError: If the folder holds another scan, is being written by one or lies in the corpus, or
            a corpus source does not exist.
    """
    given = discover(scan.sources, scan.corpus)
    check_apart(scan)
    with one_scan(scan):
        return _run(scan, given, append, fresh, processes, progress)


def _run(
    scan: Scan, given: list[Shard], append: bool, fresh: bool, processes: int, progress: Progress
) -> Outcome:
    planned = plan(scan, given, append=append, fresh=fresh)
    pending, kept, changed = [], [], []
    for shard in planned:
        state = state_of(scan, shard, given)
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
            write_json(ShardFiles(scan.shards, shard.key).marker, {**asdict(shard), "error": error})
            progress(f"failed: {error}")
            continue
        scanned.append(shard.name)
        documents += marker["documents"]
        text_bytes += marker["text_bytes"]
        progress(
            f"{shard.name}: {marker['documents']} documents, {marker['pairs']} pairs kept" + _left_out(marker)
        )
    _rebuild(scan, planned, index)
    return Outcome(tuple(scanned), tuple(kept), tuple(changed), tuple(failed), documents, text_bytes)


def _left_out(marker: dict[str, Any]) -> str:
    counts = "; ".join(f"{count} × {reason}" for reason, count in marker["skipped"].items())
    repaired = f"; {marker['repaired']} with bytes that are no UTF-8" if marker["repaired"] else ""
    return (f"; left out: {counts}" if counts else "") + repaired


def rebuild(scan: Scan, shards: Sequence[Shard]) -> None:
    """Build the result anew from what the shards left, after a semantic pass or with other thresholds.

    Raises:
        BenchCheckerError: If a scan is writing to the folder, or what a shard left is damaged.
    """
    with one_scan(scan):
        _rebuild(scan, shards, build_index(scan.evaluation.items, scan.rules))


def _rebuild(scan: Scan, shards: Sequence[Shard], index: EvaluationIndex) -> None:
    build_results(scan.evaluation, index, scan.rules, scan.folder, [shard.key for shard in shards])


def load_scan(folder: Path, similarity: float) -> tuple[Scan, list[Shard]]:
    """Read a finished scan back: what it compared, how, and its shards.

    Raises:
        BenchCheckerError: If the folder holds no finished scan.
    """
    result = ScanResult(folder)
    content = read_json(folder / "scan.json")
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
        finally:
            # Whoever stops the scan does not wait for the shards that are left.
            pool.shutdown(wait=False, cancel_futures=True)


_worker: tuple[Matcher, CorpusOptions, Path] | None = None


def _start_worker(index: EvaluationIndex, corpus: CorpusOptions, folder: Path) -> None:
    global _worker
    end_with_parent()
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
        return None, storable(str(error))
    except MemoryError:
        message = "not enough memory for it; scan again with a lower --max-document or fewer --processes"
        return None, f"{shard.name}: {message}"
