"""One writer at a time, and nothing left behind by a writer that was killed."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def exclusive(directory: Path) -> Iterator[None]:
    """Hold the writers' lock of `directory`, waiting for it if another process has it.

    The lock is on the directory itself: no lock file stays behind, and the kernel drops it when its holder
    dies. Readers do not take it.
    """
    directory.mkdir(parents=True, exist_ok=True)
    handle = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def flush_to_disk(path: Path) -> None:
    """Make the contents of a file, or the names in a directory, survive a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
