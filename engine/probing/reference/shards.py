"""Shards: which words which repositories hold, as pairs of hashes, and their merge into a dictionary.

A shard is a Parquet file of distinct (word, repository) pairs beside a list of its repositories. Shards made
on different machines, or of overlapping corpora, merge exactly: a pair counts once. DuckDB counts them within
a memory limit and spills to disk.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.probing.reference.dictionary import (
    LEAST_REPOSITORIES,
    REPOSITORIES_FILE,
    WORDS_FILE,
    word_hash,
)
from engine.problems import BenchCheckerError
from engine.store.facts import replacing

_MEMORY_LIMIT = "1GB"


@dataclass(frozen=True, slots=True)
class Counted:
    """A repository in a shard.

    Attributes:
        repository: Canonical name.
        commit: Commit whose tree was read; empty where there was none.
        day: Its day, ISO; empty where unknown.
        files: Source files read.
        words: Distinct words in this shard.
    """

    repository: str
    commit: str
    day: str
    files: int
    words: int


def write_shard(path: Path, contents: Sequence[tuple[Counted, NDArray[np.uint64]]]) -> None:
    """Write the words of repositories; the shard is there when its Parquet file is.

    Args:
        path: Its Parquet file; the list of repositories gets the suffix `.json`.
        contents: Repositories with the hashes of their distinct words.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    words = np.concatenate([hashes for _, hashes in contents] or [np.empty(0, np.uint64)])
    owners = np.concatenate(
        [np.full(len(hashes), word_hash(entry.repository), np.uint64) for entry, hashes in contents]
        or [np.empty(0, np.uint64)]
    )
    with replacing(path.with_suffix(".json")) as temporary:
        temporary.write_text(json.dumps([asdict(entry) for entry, _ in contents]), encoding="utf-8")
    with replacing(path) as temporary:
        pq.write_table(pa.table({"word": words, "repository": owners}), temporary)


def merge_shards(shards: Iterable[Path], folder: Path) -> int:
    """Merge shards into a dictionary in `folder`; return the number of words kept.

    Raises:
        BenchCheckerError: If there is no shard, or one is damaged.
    """
    import duckdb

    paths = sorted(shards)
    if not paths:
        raise BenchCheckerError("there is no shard to merge: nothing was read")
    folder.mkdir(parents=True, exist_ok=True)
    scratch = folder / ".merging"
    with duckdb.connect(config={"memory_limit": _MEMORY_LIMIT, "temp_directory": str(scratch)}) as database:
        try:
            counted = database.sql(
                "SELECT word, CAST(count(DISTINCT repository) AS UINTEGER) AS repositories "
                "FROM read_parquet($shards) GROUP BY word HAVING count(DISTINCT repository) >= $least "
                "ORDER BY word",
                params={"shards": [str(path) for path in paths], "least": LEAST_REPOSITORIES},
            ).to_arrow_table()
        except duckdb.Error as error:
            raise BenchCheckerError(f"the shards cannot be merged: {error}") from error
    _write_words(folder / WORDS_FILE, counted)
    _write_repositories(folder / REPOSITORIES_FILE, paths)
    return int(counted.num_rows)


def _write_words(path: Path, counted: Any) -> None:
    import pyarrow.parquet as pq

    with replacing(path) as temporary:
        # Ascending hashes have small differences; nothing else about them can be compressed.
        pq.write_table(
            counted,
            temporary,
            compression="zstd",
            use_dictionary=["repositories"],
            column_encoding={"word": "DELTA_BINARY_PACKED"},
        )


def _write_repositories(path: Path, shards: Iterable[Path]) -> None:
    found: dict[str, Counted] = {}
    for shard in shards:
        for record in json.loads(shard.with_suffix(".json").read_text(encoding="utf-8")):
            entry = Counted(**record)
            known = found.get(entry.repository)
            if known is not None and not entry.commit:
                # Rows of a data set: the repository's files are spread over several shards.
                words = max(entry.words, known.words)
                entry = Counted(entry.repository, "", "", entry.files + known.files, words)
            found[entry.repository] = entry
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(Counted.__dataclass_fields__), lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(found[name]) for name in sorted(found))
