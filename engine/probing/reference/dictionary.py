"""The reference dictionary: hashes of words with the number of repositories that hold them.

The file is Parquet: `word`, a 64-bit hash, ascending, and `repositories`. It holds no text. Words of a single
repository are left out, which is most of them: a word that is not in the dictionary is in one repository at
most.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.paths import DATA_DIR
from engine.problems import BenchCheckerError

WORDS_FILE = "words.parquet"
REPOSITORIES_FILE = "repositories.csv"
SHIPPED = DATA_DIR / "reference"
LEAST_REPOSITORIES = 2
"""Words of fewer repositories are not kept."""


def word_hash(word: str) -> int:
    """Return the 64-bit hash of a word, equal on every machine."""
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")


def word_hashes(words: Iterable[str]) -> NDArray[np.uint64]:
    """Return the hashes of the distinct words given, ascending."""
    return np.unique(np.fromiter((word_hash(word) for word in set(words)), dtype=np.uint64))


@dataclass(frozen=True)
class WordDictionary:
    """Counts of words over reference repositories; a `Reference`.

    Attributes:
        hashes: Hashes of the words that at least `LEAST_REPOSITORIES` hold, ascending.
        counts: For each, the number of repositories.
        repositories: Canonical names of all repositories counted.
    """

    hashes: NDArray[np.uint64]
    counts: NDArray[np.uint32]
    repositories: frozenset[str]

    @cached_property
    def size(self) -> int:
        """Number of repositories counted."""
        return len(self.repositories)

    def frequency(self, word: str, repository: str) -> int:
        """Return in how many repositories a word is, `repository` being one of them; see `Reference`."""
        others = self.count(word)
        return max(1, others) if repository.lower() in self.repositories else others + 1

    def count(self, word: str) -> int:
        """Return in how many of the counted repositories a word is; 0 when in fewer than two."""
        code = np.uint64(word_hash(word))
        place = int(np.searchsorted(self.hashes, code))
        if place < len(self.hashes) and self.hashes[place] == code:
            return int(self.counts[place])
        return 0


def read_dictionary(folder: Path) -> WordDictionary:
    """Read a dictionary that `benchchecker reference build` wrote.

    Raises:
        BenchCheckerError: If a file is missing or is no dictionary.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(folder / WORDS_FILE, columns=["word", "repositories"])
        with (folder / REPOSITORIES_FILE).open(encoding="utf-8", newline="") as file:
            names = frozenset(row["repository"].lower() for row in csv.DictReader(file))
        hashes = table["word"].to_numpy().astype(np.uint64, copy=False)
        counts = table["repositories"].to_numpy().astype(np.uint32, copy=False)
    except (OSError, KeyError, pa.ArrowInvalid) as error:
        raise BenchCheckerError(
            f"{folder} holds no reference dictionary: {error}; make one with `benchchecker reference build`"
        ) from error
    if np.any(hashes[1:] <= hashes[:-1]):
        raise BenchCheckerError(f"{folder / WORDS_FILE}: words are not in ascending order; build it again")
    return WordDictionary(hashes, counts, names)


@cache
def shipped_dictionary() -> WordDictionary:
    """Return the dictionary that comes with the project."""
    return read_dictionary(SHIPPED)
