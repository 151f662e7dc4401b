"""The overlap gate's speed beside `wc -w`, a Python set of tuples and datatrove's n-gram filter.

One text of made-up words, 5,000 evaluation items, one in a thousand documents holding an item; every program
reads the same documents in the same run. The slow ones read the first few megabytes only: a rate needs no
more. What each counts is printed too: the gate and the set must find the same documents.

Run it when the machine is quiet. datatrove is optional (`pip install datatrove spacy "xxhash<4"`).
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from engine.overlap.corpus import CorpusOptions, discover
from engine.overlap.evaluation_set import EvaluationSet, make_item
from engine.overlap.index import build_index
from engine.overlap.matcher import Matcher
from engine.overlap.rules import Rules
from engine.overlap.scan import run_scan
from engine.overlap.scan_plan import Scan
from engine.overlap.shard_reader import Document, ShardReader
from engine.overlap.shard_scan import batches

N = 13
ITEMS = 5000
VOCABULARY = 50_000
LEAKED_DOCUMENTS = 0.001
SEED = 13


def main() -> None:
    """Make the data, time every program, print the rates and their ratios."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=int, default=256, help="size of the text [256]")
    parser.add_argument("--tuples-megabytes", type=int, default=16, help="read by the set of tuples [16]")
    parser.add_argument("--datatrove-megabytes", type=int, default=2, help="read by datatrove [2]")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        items = make_data(text, arguments.megabytes * 1_000_000)
        size = text.stat().st_size
        print(f"{size / 1e6:.0f} MB of text, {len(items)} items, n = {N}, {os.cpu_count()} cores")
        rates: dict[str, float] = {}
        if shutil.which("wc"):
            rates["wc -w"] = report("wc -w", size, lambda: word_count(text))
        started = time.perf_counter()
        matcher = gate(items)
        print(f"index of the items, once for a scan: {time.perf_counter() - started:.1f} s")
        rates["gate"] = report("gate, one core: read and match", size, lambda: gate_documents(text, matcher))
        for processes in sorted({1, arguments.processes}):
            name = f"whole scan, {processes} process{'es' if processes > 1 else ''}"
            rates[name] = report(name, size, partial(whole_scan, text, items, Path(folder), processes))
        part = head(text, arguments.tuples_megabytes * 1_000_000)
        rates["set of tuples"] = report(
            "Python set of tuples", part.stat().st_size, lambda: tuple_documents(part, items)
        )
        print(f"  the gate on the same part: {gate_documents(part, matcher)}")
        part = head(text, arguments.datatrove_megabytes * 1_000_000)
        try:
            import datatrove  # noqa: F401
        except ImportError:
            print("datatrove is not installed: not measured")
        else:
            keep = datatrove_filter(items, Path(folder) / "index")
            rates["datatrove"] = report(
                "datatrove n-gram filter", part.stat().st_size, lambda: datatrove_documents(part, keep)
            )
            print(f"  the gate on the same part: {gate_documents(part, matcher)}")
        print_ratios(rates, arguments.processes)


def print_ratios(rates: dict[str, float], processes: int) -> None:
    """Print how the gate compares with each other program."""
    whole = next(rate for name, rate in rates.items() if name.startswith(f"whole scan, {processes} "))
    if "wc -w" in rates:
        print(f"wc -w is {rates['wc -w'] / rates['gate']:.1f} times as fast as the gate on one core")
        print(f"wc -w is {rates['wc -w'] / whole:.1f} times as fast as the scan with {processes} processes")
    for name in ("set of tuples", "datatrove"):
        if name in rates:
            print(f"the gate on one core is {rates['gate'] / rates[name]:.0f} times as fast as {name}")


def report(name: str, size: int, run: Callable[[], int]) -> float:
    """Run once, print the rate by wall clock and by processor time of this process, return the former."""
    wall, processor = time.perf_counter(), time.process_time()
    found = run()
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    by_processor = (
        f", {size / processor / 1e6:.1f} MB/s of its processor time" if processor > wall / 4 else ""
    )
    print(f"{name}: {size / wall / 1e6:.1f} MB/s{by_processor} ({found} found)", flush=True)
    return size / wall / 1e6


def make_data(path: Path, size: int) -> list[str]:
    """Write a document a line to `path`, and return the evaluation items."""
    random_numbers = np.random.default_rng(SEED)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    lengths = np.clip(random_numbers.gamma(4, 1.4, VOCABULARY), 1, 14).astype(int)
    words = np.array(["".join(random_numbers.choice(letters, length)) for length in lengths])
    # Zipf's law with Mandelbrot's correction: without it the first words crowd out all others.
    weights = 1 / (np.arange(1, VOCABULARY + 1) + 2.7) ** 1.05
    weights /= weights.sum()

    def text(length: int) -> str:
        return " ".join(words[random_numbers.choice(VOCABULARY, length, p=weights)]).capitalize() + "."

    items = [text(int(length)) for length in random_numbers.integers(30, 200, ITEMS)]
    draw = random.Random(SEED)
    written = 0
    with path.open("w", encoding="ascii") as stream:
        while written < size:
            line = text(draw.randrange(50, 600))
            if draw.random() < LEAKED_DOCUMENTS:
                line = f"{line} {draw.choice(items)}"
            written += stream.write(line + "\n")
    return items


def head(path: Path, size: int) -> Path:
    """Return a file with the first whole lines of `path`, about `size` bytes."""
    part = path.with_name(f"head-{size}.txt")
    with path.open("rb") as source, part.open("wb") as target:
        target.write(source.read(size))
        target.write(source.readline())
    return part


def word_count(path: Path) -> int:
    """Count words as the shell does."""
    answer = subprocess.run(
        ["wc", "-w", str(path)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    return int(answer.stdout.split()[0])


def documents(path: Path) -> Iterator[Document]:
    """Yield a document a line, as the scanner reads them."""
    options = CorpusOptions(unit="line")
    for shard in discover([str(path)], options):
        yield from ShardReader(shard, options)


def gate(items: list[str]) -> Matcher:
    """Return the gate with all its rules."""
    return Matcher(build_index([make_item(str(at), item) for at, item in enumerate(items)], Rules(n=N)))


def gate_documents(path: Path, matcher: Matcher) -> int:
    """Count documents that share an n-gram with an item: all rules of the gate, one process."""
    found = 0
    for batch in batches(documents(path)):
        _, matches = matcher.match_texts([document.text for document in batch])
        found += len(np.unique(matches.ngram_document))
    return found


def whole_scan(path: Path, items: list[str], folder: Path, processes: int) -> int:
    """Scan with rows, hashes and markers, and return the flagged items."""
    evaluation = EvaluationSet("items", tuple(make_item(str(at), item) for at, item in enumerate(items)))
    out = folder / f"scan-{processes}"
    options = CorpusOptions(unit="line", split_bytes=max(path.stat().st_size // (4 * processes), 1 << 20))
    scan = Scan(evaluation, (str(path),), out, Rules(n=N), options)
    run_scan(scan, processes=processes)
    import duckdb

    with duckdb.connect(str(scan.database), read_only=True) as connection:
        count: int = connection.execute("SELECT count(*) FROM item WHERE flagged").fetchall()[0][0]
    return count


def tuple_documents(path: Path, items: list[str]) -> int:
    """Count documents that share an n-gram, with a set of tuples of the items' n-grams."""

    def ngrams(text: str) -> Iterator[tuple[str, ...]]:
        tokens = re.findall(r"[a-z0-9]+", text.lower())
        return (tuple(tokens[at : at + N]) for at in range(len(tokens) - N + 1))

    wanted = {ngram for item in items for ngram in ngrams(item)}
    with path.open(encoding="ascii") as stream:
        # Every n-gram is looked up, as the share of matched n-grams needs.
        return sum(sum(ngram in wanted for ngram in ngrams(line)) > 0 for line in stream)


def datatrove_filter(items: list[str], folder: Path) -> Callable[[str], bool]:
    """Return datatrove's filter over an index of the items' n-grams."""
    from datatrove.data import Document as DatatroveDocument
    from datatrove.pipeline.decont.n_grams import NGramsDecontConfig, NGramsDecontFilter
    from datatrove.utils.text import ngrams, simplify_text

    folder.mkdir(exist_ok=True)
    step = NGramsDecontFilter(str(folder), config=NGramsDecontConfig(n_grams=N))
    hashes: set[int] = set()
    for item in items:
        tokens = step.tokenizer.word_tokenize(simplify_text(item, step.config.norm_config))
        hashes.update(map(step.hash_func, map(" ".join, ngrams(tokens, N))))
    np.array(list(hashes), dtype=step.config.hash_config.np_descr).tofile(folder / "items.index.hashes")
    step.filter(DatatroveDocument(text="loads the index", id="0"))
    return lambda text: step.filter(DatatroveDocument(text=text, id="0")) is True


def datatrove_documents(path: Path, keep: Callable[[str], bool]) -> int:
    """Count documents that datatrove's filter removes; it stops at a document's first match."""
    with path.open(encoding="ascii") as stream:
        return sum(not keep(line.rstrip("\n")) for line in stream)


if __name__ == "__main__":
    main()
