"""A control group of the kernel that holds processes and memory down, also the superuser's.

An ordinary user's are held down by the limit on processes and by whoever counts memory; neither is enough for
the superuser, who in turn may make control groups.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_PATIENCE_S = 5.0
_KERNEL_OWN = 64 << 20
"""Bytes for what the kernel keeps of processes that use little."""


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """What the processes of a sandbox are put in.

    Attributes:
        folders: One where one group controls all, one for each controller otherwise; none where no group can
            be made.
    """

    folders: tuple[Path, ...] = ()

    def join(self, process: int) -> None:
        """Put a process in, and with it all that it starts."""
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(process))

    def ran_out_of_memory(self) -> bool:
        """Return whether the kernel killed a process of the group for its memory."""
        for name in ("memory.events", "memory.oom_control"):
            for folder in self.folders:
                with contextlib.suppress(OSError):
                    counts = dict(line.split() for line in (folder / name).read_text().splitlines())
                    if int(counts.get("oom_kill", 0)):
                        return True
        return False


@contextlib.contextmanager
def control_group(threads: int, memory: int) -> Iterator[ControlGroup]:
    """Make a control group, and take it away in the end.

    Args:
        threads: The most threads.
        memory: The most memory in bytes, of processes and of the memory file systems that they write.
    """
    folders = _made(threads, memory) if os.geteuid() == 0 else ()
    try:
        yield ControlGroup(folders)
    finally:
        for folder in folders:
            _remove(folder)


def _made(threads: int, memory: int) -> tuple[Path, ...]:
    limit = str(memory + _KERNEL_OWN)
    whole = {"memory.max": limit, "memory.swap.max": "0", "memory.oom.group": "1"}
    unified = _ROOT / "cgroup.subtree_control"
    if unified.exists():
        # A group has what its parent hands down.
        handed = unified.read_text().split()
        settings = {"pids.max": str(threads)} if "pids" in handed else {}
        settings |= whole if "memory" in handed else {}
        made = [_group(_ROOT, settings)] if settings else []
    else:
        made = [
            _group(_ROOT / "pids", {"pids.max": str(threads)}),
            _group(_ROOT / "memory", {"memory.limit_in_bytes": limit}),
        ]
    return tuple(folder for folder in made if folder is not None)


def _group(base: Path, settings: dict[str, str]) -> Path | None:
    try:
        group = Path(tempfile.mkdtemp(prefix="benchchecker-", dir=base))
    except OSError:
        return None
    try:
        for name, value in settings.items():
            # A kernel without swap has no limit of it.
            if (group / name).exists():
                (group / name).write_text(value)
        # Whoever may not let a process join has a group of no use.
        if os.access(group / "cgroup.procs", os.W_OK):
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
