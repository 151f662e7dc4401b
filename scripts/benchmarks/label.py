"""Labelling over whole histories, cold and warm, beside `git show` and judging anew at each cutoff.

Cold is `benchchecker label` with nothing remembered; warm is the same command again when nothing changed. The
plain way takes, for each sample and each of twelve cutoffs, the snapshot's commit, reads every file that the
fix touches with `git show` and judges it with the same detector; it knows those twelve days only, where
labelling knows every day. Both use the same number of processes, and the scores are compared. The facts are
written to a copy that is thrown away.

Run it when the machine is quiet: times are by the wall clock, beside the processor time of all processes.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path

from engine.benchmarks.sample import Sample
from engine.cli.label import find_repositories, read_labelled_samples
from engine.cli.options import read_day
from engine.history.errors import DayOutsideHistory, HistoryError
from engine.history.git_command import environment
from engine.history.repository import RepositoryHistory
from engine.patches.diff import PatchError
from engine.patches.syntax import SourceFile, parse_source
from engine.paths import DATA_DIR
from engine.presence.snapshot import Snapshot, SourceCache
from engine.presence.verdicts import Method
from engine.presence.workers import DETECTORS, sample_blocks
from engine.store.facts import fact_path, read_facts

QUARTERS = tuple(f"{year}-{month}" for year in range(2022, 2026) for month in ("03", "06", "09", "12"))[1:13]
"""The last months of the twelve quarters up to March 2025, the latest cutoff in the paper."""
CHUNK = 20
DIGITS = 4

Scores = dict[tuple[str, date], float]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Samples of one repository that the plain way judges in one process."""

    repository: Path
    detector: str
    samples: tuple[Sample, ...]
    cutoffs: tuple[date, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """What one way of labelling cost, in seconds."""

    wall: float
    processor: float


class ShownSnapshot(Snapshot):
    """A snapshot whose files are read one by one, each time anew."""

    def source(self, path: str) -> SourceFile | None:
        """Return the parsed file at `path`, None if `git show` has none."""
        commit = self.history.chain[self.position].sha
        command = ["git", f"--git-dir={self.history.path}", "show", f"{commit}:{path}"]
        shown = subprocess.run(command, capture_output=True, check=False, env={**os.environ, **environment()})
        return parse_source(shown.stdout, path) if shown.returncode == 0 else None


def main() -> None:
    """Label cold, warm and the plain way, and print times, ratios and how many scores agree."""
    arguments = read_arguments()
    samples = read_labelled_samples(arguments.samples, arguments.only, arguments.data)
    cutoffs = tuple(read_day(text) for text in arguments.cutoff or QUARTERS)
    repositories = {sample.repository for sample in samples}
    print(f"{len(samples)} samples of {len(repositories)} repositories, {arguments.processes} processes")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_facts(arguments.data, folder / "data")
        command = label_command(arguments, folder)
        cold = measure("cold", lambda: subprocess.run(command, check=True))
        warm = measure("warm", lambda: subprocess.run(command, check=True))
        stored = stored_scores(folder / "data", arguments.detector, cutoffs)
        found: Scores = {}
        chunks = plan_chunks(samples, arguments, folder / "cache", cutoffs)
        plain = measure(
            f"plain way, {len(cutoffs)} cutoffs", lambda: judge_chunks(chunks, arguments.processes, found)
        )
    print_ratios({"cold": cold, "warm": warm}, plain)
    print_agreement(stored, found)


def read_arguments() -> argparse.Namespace:
    """Return the arguments of the command line, named as those of `benchchecker label`."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", action="append", required=True, metavar="BENCHMARK=FILE")
    parser.add_argument("--repos", type=Path, required=True, help="folder of local repositories")
    parser.add_argument("--mapping", type=Path, help="TSV of repository and the name of its local history")
    parser.add_argument("--only", action="append", help="only this sample; repeatable")
    parser.add_argument("--cutoff", action="append", help="day or month of the plain way; repeatable")
    parser.add_argument("--detector", default="paper", choices=sorted(DETECTORS))
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--data", type=Path, default=DATA_DIR, help="folder of the fact files")
    return parser.parse_args()


def copy_facts(data: Path, copy: Path) -> None:
    """Copy the fact files, without what labelling found out before."""
    shutil.copytree(data, copy)
    for table in ("landing", "presence", "block_presence"):
        fact_path(copy, table).unlink(missing_ok=True)


def label_command(arguments: argparse.Namespace, folder: Path) -> list[str]:
    """Return the command that labels into `folder`."""
    named = {
        "samples": arguments.samples,
        "only": arguments.only or [],
        "repos": [arguments.repos],
        "mapping": [arguments.mapping] if arguments.mapping else [],
        "detector": [arguments.detector],
        "processes": [arguments.processes],
        "data": [folder / "data"],
        "cache": [folder / "cache"],
    }
    options = [f"--{name}={value}" for name, values in named.items() for value in values]
    return [sys.executable, "-m", "engine", "label", *options]


def measure(title: str, run: Callable[[], object]) -> Measured:
    """Run once; print and return its time and that of the processes it started."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run()
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{title}: {wall:.1f} s, {processor:.1f} s of processor time", flush=True)
    return Measured(wall, processor)


def stored_scores(data: Path, detector: str, cutoffs: Sequence[date]) -> Scores:
    """Return the scores that labelling stored for the cutoffs at which the fix had landed."""
    return {
        (row["sample"], cutoff): row["score"]
        for row in read_facts(data, "presence")
        if row["detector"] == detector and row["state"] == "judged" and row["method"] != Method.NOT_LANDED
        for cutoff in cutoffs
        if row["valid_from"] <= cutoff <= row["valid_to"]
    }


def plan_chunks(
    samples: Sequence[Sample], arguments: argparse.Namespace, cache: Path, cutoffs: tuple[date, ...]
) -> list[Chunk]:
    """Return the work of the plain way; samples without a local history are left out."""
    repositories = find_repositories(arguments.repos, arguments.mapping, cache, arguments.data)
    groups: Mapping[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        groups[sample.repository].append(sample)
    return [
        Chunk(path, arguments.detector, tuple(group[start : start + CHUNK]), cutoffs)
        for repository, group in groups.items()
        if (path := repositories.path(repository)) is not None
        for start in range(0, len(group), CHUNK)
    ]


def judge_chunks(chunks: Sequence[Chunk], processes: int, found: Scores) -> None:
    """Judge all chunks in `processes` worker processes and add the scores to `found`."""
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for scores in pool.map(judge_chunk, chunks):
            found.update(scores)


def judge_chunk(chunk: Chunk) -> Scores:
    """Return the score of each sample at each cutoff within the history, judged each time anew."""
    history = open_history(chunk.repository)
    return {
        (sample.sample, cutoff): score
        for sample in chunk.samples
        for cutoff, score in judge_sample(sample, chunk.detector, history, chunk.cutoffs)
    }


def judge_sample(
    sample: Sample, detector_key: str, history: RepositoryHistory, cutoffs: Sequence[date]
) -> Iterator[tuple[date, float]]:
    """Yield the cutoffs within the history with the score of the weakest block."""
    try:
        blocks = sample_blocks(sample, history)
    except (PatchError, HistoryError):
        return
    for cutoff in cutoffs:
        try:
            position = history.chain.snapshot_at(cutoff).position
        except DayOutsideHistory:
            continue
        detector, snapshot = DETECTORS[detector_key](), ShownSnapshot(SourceCache(history), position)
        yield (
            cutoff,
            min(detector.judge(block, snapshot, None).score for block in detector.select(blocks)),
        )


@lru_cache(maxsize=1)
def open_history(repository: Path) -> RepositoryHistory:
    """Open a repository, once for the chunks that follow one another."""
    return RepositoryHistory.open(repository)


def print_ratios(measured: Mapping[str, Measured], plain: Measured) -> None:
    """Print how each way compares with the plain one."""
    for name, time_taken in measured.items():
        wall, processor = plain.wall / time_taken.wall, plain.processor / time_taken.processor
        print(f"{name} is {wall:.1f} times as fast as the plain way ({processor:.1f} by processor time)")


def print_agreement(stored: Scores, found: Scores) -> None:
    """Print how many scores of the plain way are those that labelling stored."""
    common = stored.keys() & found.keys()
    differing = sorted(key for key in common if round(found[key], DIGITS) != stored[key])
    print(f"{len(common) - len(differing)} of {len(common)} scores are the same")
    for sample, cutoff in differing[:20]:
        key = (sample, cutoff)
        print(f"  {sample} at {cutoff}: {stored[key]} stored, {found[key]:.4f} the plain way")


if __name__ == "__main__":
    main()
