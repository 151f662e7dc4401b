"""Counts what the processes of one process namespace use, and says when that is too much.

The kernel's own limits do not do: they hold for one process, and the number of processes is not limited for
the superuser.
"""

from __future__ import annotations

import contextlib
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

_INTERVAL_S = 0.1
_OWN = ("Pss_Anon:", "Pss_Shmem:")


@dataclass(frozen=True, slots=True)
class Use:
    """What is used, or may be.

    Attributes:
        seconds: Wall time.
        memory: Memory of their own, in bytes.
        threads: Threads.
    """

    seconds: float
    memory: int
    threads: int


def watch(process: subprocess.Popen[bytes], namespace: int, limit: Use) -> str | None:
    """Wait for the end of a process, as long as its namespace stays within its limits.

    Args:
        process: The one to wait for.
        namespace: Number (inode) of the process namespace that is counted.
        limit: What it may use.

    Returns:
        Why it is to be stopped; None when it has ended.
    """
    begun = time.monotonic()
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_INTERVAL_S)
            return None
        used = _use_of(namespace, time.monotonic() - begun)
        if used.seconds > limit.seconds:
            return f"not at an end after {limit.seconds:,.0f} s"
        if used.threads > limit.threads:
            return f"more than {limit.threads:,} threads"
        if used.memory > limit.memory:
            return too_much_memory(limit.memory)


def too_much_memory(limit: int) -> str:
    """Return why processes are stopped that use more than `limit` bytes."""
    return f"more than {limit / 1e6:,.0f} MB of memory"


def _use_of(namespace: int, seconds: float) -> Use:
    threads = memory = 0
    for process in Path("/proc").glob("[0-9]*"):
        # A process may end while it is counted.
        with contextlib.suppress(OSError):
            if (process / "ns" / "pid").stat().st_ino != namespace:
                continue
            threads += (process / "task").stat().st_nlink - 2
            memory += _memory_of(process)
    return Use(seconds, memory, threads)


def _memory_of(process: Path) -> int:
    """Return a process's share of what it and others have in memory and no file on a disk holds, in bytes."""
    shares = (line.split() for line in (process / "smaps_rollup").read_text().splitlines()[1:])
    return 1024 * sum(int(words[1]) for words in shares if words[0] in _OWN)
