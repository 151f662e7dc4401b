"""A control group of the kernel that holds the number of processes down, also the superuser's.

An ordinary user's are held down by the limit on processes; that does not count for the superuser, who in turn
may make control groups.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_PATIENCE_S = 5.0


@contextlib.contextmanager
def thread_group(limit: int) -> Iterator[Path | None]:
    """Make a control group for at most so many threads, and take it away in the end.

    Yields:
        The file into which a process writes its id to join; None where no such group can be made.
    """
    group = _made(limit)
    if group is None:
        yield None
        return
    try:
        yield group / "cgroup.procs"
    finally:
        _remove(group)


def _made(limit: int) -> Path | None:
    for base in (_ROOT, _ROOT / "pids"):
        with contextlib.suppress(OSError):
            # In the second version a group has what its parent hands down.
            if base == _ROOT and "pids" not in (base / "cgroup.subtree_control").read_text().split():
                continue
            group = Path(tempfile.mkdtemp(prefix="benchchecker-", dir=base))
            try:
                (group / "pids.max").write_text(str(limit))
                # Whoever may not let a process join has a group of no use.
                if os.access(group / "cgroup.procs", os.W_OK) and os.geteuid() == 0:
                    return group
            except OSError:
                pass
            group.rmdir()
    return None


def _remove(group: Path) -> None:
    """Remove a group; killed processes leave it a moment after they are gone."""
    end = time.monotonic() + _PATIENCE_S
    while True:
        try:
            group.rmdir()
            return
        except OSError:
            if time.monotonic() > end:
                return
            time.sleep(0.01)
