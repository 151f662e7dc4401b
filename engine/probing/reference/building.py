"""Builds shards, one for each repository or for so many rows of a data set; those that exist are kept."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.history.clones import is_repository_name
from engine.history.repository import RepositoryHistory
from engine.probing.mining.sources import folder_texts, iterate_texts
from engine.probing.reference.corpus import Located
from engine.probing.reference.dictionary import word_hashes
from engine.probing.reference.shards import Counted, write_shard
from engine.probing.words import words

ROWS_PER_SHARD = 50_000

Progress = Callable[[str], None]
"""Called with the name of each shard when it is there."""


def repository_shard(located: Located, work: Path) -> Path:
    """Return the shard of a repository's newest snapshot, made unless it exists.

    Raises:
        HistoryUnavailable: If the repository cannot be read.
    """
    if not located.is_git:
        texts = folder_texts(located.path)
        content = hashlib.sha256("\0".join(f"{name}\0{text}" for name, text in texts.items()).encode())
        path = _shard_path(work, located.repository, content.hexdigest()[:12])
        if not path.exists():
            write_shard(path, [_counted(located.repository, "", "", texts.items())])
        return path
    history = RepositoryHistory.open(located.path)
    try:
        head = history.chain.head
        path = _shard_path(work, located.repository, head.sha[:12])
        if not path.exists():
            texts_read = iterate_texts(history, head.position)
            entry = _counted(located.repository, head.sha, head.day.isoformat(), texts_read)
            write_shard(path, [entry])
    finally:
        history.close()
    return path


def dataset_shards(
    rows: Iterable[Mapping[str, Any]], key: str, text_field: str, repository_field: str, work: Path
) -> Iterator[Path]:
    """Yield the shards of a data set, each of `ROWS_PER_SHARD` rows; rows of shards that exist are skipped.

    Args:
        rows: Its rows, always in the same order.
        key: Name and revision: what the shards are called after.
        text_field: Field with the source text.
        repository_field: Field with the repository's name, or several with commas between them.
        work: Folder of the shards.
    """
    digest = hashlib.sha256(key.encode()).hexdigest()[:12]
    batch: list[Mapping[str, Any]] = []
    number = 0
    for row in rows:
        batch.append(row)
        if len(batch) == ROWS_PER_SHARD:
            path = work / f"rows-{digest}-{number:05}.parquet"
            yield _dataset_shard(batch, path, text_field, repository_field)
            batch, number = [], number + 1
    if batch:
        # The last shard is smaller: a longer data set has another one in its place.
        name = f"rows-{digest}-{number:05}-{len(batch)}.parquet"
        yield _dataset_shard(batch, work / name, text_field, repository_field)


def _dataset_shard(
    rows: Iterable[Mapping[str, Any]], path: Path, text_field: str, repository_field: str
) -> Path:
    if path.exists():
        return path
    texts: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in rows:
        for name in str(row[repository_field]).split(","):
            if is_repository_name(name.strip()):
                texts[name.strip().lower()].append(("", str(row[text_field])))
    write_shard(path, [_counted(name, "", "", found) for name, found in sorted(texts.items())])
    return path


def _counted(
    repository: str, commit: str, day: str, texts: Iterable[tuple[str, str]]
) -> tuple[Counted, NDArray[np.uint64]]:
    found: set[str] = set()
    files = 0
    for _, text in texts:
        found.update(words(text))
        files += 1
    hashes = word_hashes(found)
    return Counted(repository, commit, day, files, len(hashes)), hashes


def _shard_path(work: Path, repository: str, version: str) -> Path:
    return work / f"{repository.replace('/', '+')}-{version}.parquet"
