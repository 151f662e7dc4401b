"""Runs commands that nobody vouches for, behind bubblewrap.

They see the system's programs and libraries, what a caller names, and a memory file system of fixed size that
holds a copy of a tree; all but the last is read-only. They have no network but their own loopback, no other
process to look at or to signal, no capability and no way to a new namespace. What is left is the kernel they
share with everyone: a virtual machine is the stronger wall.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import BinaryIO

from engine.presence.verification.control_group import ControlGroup, control_group
from engine.presence.verification.system_calls import call_filter
from engine.presence.verification.watching import Use, too_much_memory, watch
from engine.problems import BenchCheckerError

SCRATCH = "/tmp"
"""Where the sandbox can be written: the only such place."""
TREE, REPORT = f"{SCRATCH}/tree", f"{SCRATCH}/report"
_INPUT = "/input"
_MIB = 1 << 20
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt")
_SETTINGS = (
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "passwd", "group", "nsswitch.conf"),
    *("hosts", "localtime", "ssl/certs", "ssl/openssl.cnf", "mime.types", "fonts", "maven"),
)
"""Of /etc, what programs need to run; its keys and passwords stay out."""
_WALLS = ("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session")
_NO_BUBBLEWRAP = (
    "this machine cannot isolate a command: it needs bubblewrap (`apt-get install bubblewrap`) and user "
    "namespaces; or use a harness with containers instead"
)


@dataclass(frozen=True, slots=True)
class Limits:
    """What the commands may use, all of them together unless said otherwise.

    Attributes:
        seconds: Wall time.
        memory: Memory of their own, in bytes; also the address space of each process.
        scratch: Size of the file system they can write, in bytes.
        file_size: Largest file, their output included, in bytes.
        open_files: Open files of each process.
        threads: Threads of all processes; a process has at least one.
    """

    seconds: float = 900
    memory: int = 8192 * _MIB
    scratch: int = 2048 * _MIB
    file_size: int = 512 * _MIB
    open_files: int = 1024
    threads: int = 512


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be run.

    Attributes:
        commands: Programs with their arguments, run one after the other whatever becomes of the one before.
        tree: Folder of which they get a copy as `TREE`, their working directory.
        readable: Further places that they may read, such as an interpreter's.
        variables: Environment beside HOME, TMPDIR, PATH and a fixed locale; nothing else is inherited.
    """

    commands: Sequence[Sequence[str]]
    tree: Path
    readable: tuple[Path, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ended:
    """How the commands ended.

    Attributes:
        status: Exit status of the last one, 128 and the number for a signal; None if they were stopped.
        stopped: Why they were stopped, None if they were not.
    """

    status: int | None
    stopped: str | None = None


@cache
def can_isolate() -> bool:
    """Return whether this machine can run a sandbox."""
    if shutil.which("bwrap") is None:
        return False
    done = subprocess.run([*_sandbox(Path("/usr"), (), Limits()), "true"], capture_output=True, check=False)
    return done.returncode == 0


def places_of(python: Path) -> tuple[Path, ...]:
    """Return what an interpreter needs to read: its environment, and the installation behind that.

    Raises:
        BenchCheckerError: If it does not run.
    """
    program = "import sys; print(sys.prefix, sys.base_prefix, sep='\\0', end='')"
    try:
        done = subprocess.run([python, "-I", "-c", program], capture_output=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        raise BenchCheckerError(f"{python} is no Python interpreter that runs here: {error}") from error
    return tuple(map(Path, dict.fromkeys(os.fsdecode(done.stdout).split("\0"))))


def run_sandboxed(job: Job, log: Path, report: Path, limits: Limits) -> Ended:
    """Run commands and wait for their end; then nothing that they started is left.

    Args:
        job: The commands.
        log: Where their standard output and error are appended.
        report: Where what they wrote to `REPORT` is kept; empty if that is nothing.
        limits: What they may use.

    Raises:
        BenchCheckerError: If this machine cannot isolate them: nothing is run then.
    """
    if not can_isolate():
        raise BenchCheckerError(_NO_BUBBLEWRAP)
    for place in (job.tree, *job.readable):
        if not place.exists():
            raise BenchCheckerError(f"{place} is to be read by a sandboxed command, but is not there")
    with log.open("ab") as output, report.open("wb") as kept:
        for command in job.commands:
            output.write(f"$ {shlex.join(command)}\n".encode("utf-8", "surrogateescape"))
        output.flush()
        with _started(job, output, kept, limits) as (process, namespace, group):
            if namespace is None:
                raise BenchCheckerError(f"the sandbox did not start; {log} says why")
            stopped = watch(process, namespace, Use(limits.seconds, limits.memory, limits.threads))
            if group.ran_out_of_memory():
                stopped = too_much_memory(limits.memory)
        return Ended(None if stopped else process.wait(), stopped)


@contextlib.contextmanager
def _started(
    job: Job, output: BinaryIO, report: BinaryIO, limits: Limits
) -> Iterator[tuple[subprocess.Popen[bytes], int | None, ControlGroup]]:
    """Start the sandbox; yield it, its process namespace's number and its control group, and kill it."""
    reading, writing = os.pipe()
    told = ("--json-status-fd", str(writing))
    script = _script(job.commands, report.fileno(), limits)
    memory = limits.memory + limits.scratch
    with (
        control_group(limits.threads, memory) as group,
        os.fdopen(reading, "rb") as status,
        _filter() as (calls, passed),
    ):
        process = subprocess.Popen(
            [*_sandbox(job.tree, job.readable, limits, (*told, *calls)), "bash", "-c", script],
            env=_environment(job.variables),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=(writing, report.fileno(), *passed),
            start_new_session=True,
            preexec_fn=lambda: _limit(limits, group),
        )
        os.close(writing)
        try:
            yield process, _namespace(status), group
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextlib.contextmanager
def _filter() -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
    """Yield the option that names the filter of system calls, and the descriptor where it is read."""
    program = call_filter()
    if not program:
        yield (), ()
        return
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb"):
        with os.fdopen(writing, "wb") as stream:
            stream.write(program)
        yield ("--seccomp", str(reading)), (reading,)


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    own = {"HOME": f"{SCRATCH}/home", "TMPDIR": SCRATCH, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
    return {"PATH": os.defpath, **own, **variables}


def _sandbox(
    tree: Path, readable: tuple[Path, ...], limits: Limits, further: tuple[str, ...] = ()
) -> list[str]:
    """Return the command line of bubblewrap; later mounts lie over earlier ones."""
    system = [*_SYSTEM, *(f"/etc/{name}" for name in _SETTINGS)]
    return [
        *(shutil.which("bwrap") or "bwrap", *_WALLS, "--cap-drop", "ALL", *further),
        *(word for place in system for word in ("--ro-bind-try", place, place)),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--size", str(limits.scratch), "--tmpfs", SCRATCH),
        *("--size", str(min(limits.scratch, 64 * _MIB)), "--tmpfs", "/dev/shm"),
        *(word for place in readable for word in ("--ro-bind", str(place), str(place))),
        *("--ro-bind", str(tree.resolve()), _INPUT),
        # The file systems that bubblewrap mounts these on are memory without a limit.
        # What /proc/sys offers to write is the whole machine's, and asks for no capability, only for uid 0.
        *("--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"),
        "--",
    ]


def _script(commands: Sequence[Sequence[str]], report: int, limits: Limits) -> str:
    """Return the program of bash: unlike others' its descriptors have two digits as well."""
    lines = [
        # Counted in the sandbox alone; the superuser is held by the control group.
        f"ulimit -u {limits.threads} || exit",
        f"mkdir {SCRATCH}/home {TREE} && cp -a {_INPUT}/. {TREE} && cd {TREE} || exit",
        *(f"{shlex.join(command)} {report}>&-; status=$?" for command in commands),
        f"[ ! -f {REPORT} ] || cat {REPORT} >&{report}",
        "exit $status",
    ]
    return "\n".join(lines)


def _namespace(status: BinaryIO) -> int | None:
    """Read the process namespace's number from what bubblewrap tells; None if it started none."""
    line = status.readline()
    return int(json.loads(line)["pid-namespace"]) if line else None


def _limit(limits: Limits, group: ControlGroup) -> None:
    group.join(os.getpid())
    for kind, value in (
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_FSIZE, limits.file_size),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard),) * 2)
