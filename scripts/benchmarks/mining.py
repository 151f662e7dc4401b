"""Mining's speed beside the packages `simhash` and `prefixspan`, on the same input in the same run.

Texts and sequences are those of a repository at hand: its comments, docstrings and imports are clustered, and
the sequences of its distinctive words searched for patterns. Both programs get the same features and the
same sequences. Whether both find the same is printed too: the package hashes with another function, so its
clusters differ a little; patterns must be the same.

Run it when the machine is quiet, with both packages installed (`pip install simhash; pip install --no-deps
prefixspan extratools; pip install toolz`).
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from engine.history.repository import RepositoryHistory
from engine.probing.mining import snapshot_texts
from engine.probing.mining.cooccurrence import first_places
from engine.probing.mining.duplication import DISTANCE, auxiliary_texts
from engine.probing.mining.prefixspan import frequent_patterns
from engine.probing.mining.simhash import cluster, features, fingerprints
from engine.probing.reference.dictionary import shipped_dictionary

Value = TypeVar("Value")


def main() -> None:
    """Time both tasks with both programs, print seconds and ratios."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repository", type=Path, help="a clone")
    parser.add_argument("--texts", type=int, default=3000, help="texts to cluster [3000]")
    parser.add_argument("--support", type=int, default=6, help="least files of a pattern [6]")
    parser.add_argument("--longest", type=int, default=3, help="most words of a pattern [3]")
    parser.add_argument("--files", type=int, default=400, help="files to search for patterns [400]")
    arguments = parser.parse_args()
    texts = snapshot_texts(RepositoryHistory.open(arguments.repository))
    passages = [passage.text for path, text in texts.items() for passage in auxiliary_texts(path, text)]
    compare_clustering(passages[: arguments.texts])
    compare_patterns(
        sequences_of(dict(list(texts.items())[: arguments.files])), arguments.support, arguments.longest
    )


def compare_clustering(texts: list[str]) -> None:
    """Cluster texts by fingerprint, the package in the loop of the paper's Algorithm 1."""
    from simhash import Simhash

    def theirs() -> int:
        founders: list[Simhash] = []
        for text in texts:
            code = Simhash(features(text))
            if not any(founder.distance(code) <= DISTANCE for founder in founders):
                founders.append(code)
        return len(founders)

    ours, our_count = timed(lambda: len(cluster(fingerprints(texts), DISTANCE)))
    others, their_count = timed(theirs)
    print(
        f"{len(texts)} texts: {ours:.2f} s, {our_count} clusters; "
        f"simhash {others:.2f} s, {their_count} clusters; {others / ours:.1f} times"
    )


def compare_patterns(sequences: list[list[int]], support: int, longest: int) -> None:
    """Search sequences for frequent patterns, without the reach that mining adds."""
    from prefixspan import PrefixSpan

    def theirs() -> set[tuple[int, ...]]:
        miner = PrefixSpan(sequences)
        miner.maxlen = longest
        return {tuple(items) for _, items in miner.frequent(support)}

    ours, our_patterns = timed(
        lambda: {pattern.items for pattern in frequent_patterns(sequences, support, longest)}
    )
    others, their_patterns = timed(theirs)
    same = "the same" if our_patterns == their_patterns else "OTHER PATTERNS"
    print(
        f"{len(sequences)} sequences: {ours:.2f} s, {len(our_patterns)} patterns; "
        f"prefixspan {others:.2f} s, {same}; {others / ours:.1f} times"
    )


def sequences_of(texts: dict[str, str]) -> list[list[int]]:
    """Return the distinctive words of each file, as mining has them."""
    reference = shipped_dictionary()
    places = [first_places(text) for text in texts.values()]
    files = Counter(word for found in places for word in found)
    kept = sorted(word for word, count in files.items() if count > 1 and reference.count(word) <= 10)
    numbers = {word: number for number, word in enumerate(kept)}
    return [[numbers[word] for word in found if word in numbers] for found in places]


def timed(work: Callable[[], Value]) -> tuple[float, Value]:
    """Return the seconds that work took, and its result."""
    start = time.perf_counter()
    value = work()
    return time.perf_counter() - start, value


if __name__ == "__main__":
    main()
