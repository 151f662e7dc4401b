"""Runs a command that nobody vouches for: no network, limits, its whole process group killed at the end.

What it does not do: hide the file system. The command can read, and as far as its user may, write files
outside its folders; a container is the stronger wall.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.problems import BenchCheckerError

_GIB = 1 << 30
_NAMESPACES = ("unshare", "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc")
"""Without a process namespace of its own, a command could kill every process of its user."""
_LOOPBACK = ("sh", "-c", 'ip link set lo up 2>/dev/null; exec "$@"', "sh")
"""A new network namespace has its loopback interface down; tests that talk to themselves need it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a command may use.

    Attributes:
        seconds: Wall time; then everything it started is killed.
        memory: Address space of each process, in bytes.
        file_size: Largest file it may write, its output included, in bytes.
        open_files: Open files of each process.
    """

    seconds: float = 900
    memory: int = 8 * _GIB
    file_size: int = _GIB // 2
    open_files: int = 1024


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended.

    Attributes:
        status: Exit status, negative for a signal; None when its time ran out.
    """

    status: int | None


@cache
def isolation() -> tuple[str, ...]:
    """Return the command prefix that takes network and other processes away, none if it fails here."""
    if shutil.which("unshare") is None:
        return ()
    done = subprocess.run([*_NAMESPACES, "true"], capture_output=True, check=False)
    return _NAMESPACES if done.returncode == 0 else ()


def run_sandboxed(
    command: Sequence[str],
    folder: Path,
    scratch: Path,
    log: Path,
    limits: Limits,
    variables: Mapping[str, str],
) -> Ended:
    """Run a command and wait for its end.

    Args:
        command: Program and arguments; no shell reads them.
        folder: Working directory.
        scratch: Folder in which its HOME and TMPDIR are made.
        log: Where standard output and error are appended.
        limits: What it may use.
        variables: Environment beside HOME, TMPDIR, PATH and a fixed locale; nothing else is inherited.

    Raises:
        BenchCheckerError: If this machine cannot isolate it: nothing is run then.
    """
    prefix = isolation()
    if not prefix:
        raise BenchCheckerError(
            "this machine cannot isolate a command (it needs `unshare` with namespaces for processes and "
            "network): use a harness with containers instead"
        )
    home, temporary = scratch / "home", scratch / "tmp"
    for place in (home, temporary):
        place.mkdir(parents=True, exist_ok=True)
    environment = {
        "PATH": os.defpath,
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        **variables,
    }
    with log.open("ab") as stream:
        stream.write(f"$ {' '.join(command)}\n".encode("utf-8", "surrogateescape"))
        stream.flush()
        process = subprocess.Popen(
            [*prefix, *_LOOPBACK, *command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=lambda: _limit(limits),
        )
        try:
            status: int | None = process.wait(limits.seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _kill_group(process)
    return Ended(status)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the command's process group; its leader's id names the group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _limit(limits: Limits) -> None:
    for kind, value in (
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_FSIZE, limits.file_size),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard),) * 2)
