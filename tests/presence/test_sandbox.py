"""Commands that nobody vouches for, and what they try.

No test here signals a process that is not its own: a sandbox that failed would let it.
"""

from __future__ import annotations

import ast
import os
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.presence.verification import sandbox
from engine.presence.verification.control_group import control_group
from engine.presence.verification.sandbox import Ended, Job, Limits, can_isolate, places_of, run_sandboxed
from engine.problems import BenchCheckerError

pytestmark = pytest.mark.skipif(not can_isolate(), reason="this machine cannot isolate a command: no bwrap")
Run = Callable[..., tuple[Ended, str]]
MIB = 1 << 20
LIMITS_OF_MEMORY = ("memory.max", "memory.limit_in_bytes")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """What the program gets a copy of."""
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "given.txt").write_text("given")
    return tree


@pytest.fixture
def run(tmp_path: Path, tree: Path) -> Run:
    """Runs Python programs in the sandbox; returns how they ended and what they printed."""

    def start(*programs: str, **limits: float) -> tuple[Ended, str]:
        commands = [[sys.executable, "-c", textwrap.dedent(program)] for program in programs]
        job = Job(commands, tree, places_of(Path(sys.executable)), {"GIVEN": "yes"})
        log = tmp_path / "log"
        ended = run_sandboxed(job, log, tmp_path / "report", Limits(**limits))  # type: ignore[arg-type]
        return ended, log.read_text().rpartition("'\n")[2]

    return start


def test_the_exit_status_and_the_output_are_kept(run: Run) -> None:
    ended, output = run("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert ended == Ended(3)
    assert set(output.split()) == {"out", "err"}


def test_commands_follow_each_other_in_one_tree_and_the_report_comes_out(run: Run, tmp_path: Path) -> None:
    ended, output = run(
        "import sys; open('made', 'w').write('by the first'); sys.exit(1)",
        f"open({sandbox.REPORT!r}, 'w').write(open('given.txt').read() + ' and ' + open('made').read())",
    )
    assert ended == Ended(0)
    assert output == ""
    assert (tmp_path / "report").read_text() == "given and by the first"


def test_the_environment_is_its_own(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET", "hidden")
    _, output = run(
        """
        import os, pathlib, tempfile
        print(pathlib.Path.home(), tempfile.gettempdir(), os.environ["GIVEN"], os.environ.get("A_SECRET"))
        """
    )
    assert output.split() == [f"{sandbox.SCRATCH}/home", sandbox.SCRATCH, "yes", "None"]


def test_no_other_machine_can_be_reached_and_this_one_can(run: Run) -> None:
    _, output = run(
        """
        import socket
        try:
            socket.create_connection(("192.0.2.1", 80), timeout=5)
        except OSError as error:
            print("unreachable:", error.strerror)
        server = socket.create_server(("127.0.0.1", 0))
        socket.create_connection(server.getsockname(), timeout=5)
        print([name for _, name in socket.if_nameindex()])
        """
    )
    assert "unreachable: Network is unreachable" in output
    assert "['lo']" in output


def test_files_of_the_machine_are_out_of_sight_and_nothing_outside_the_scratch_can_be_written(
    run: Run, tmp_path: Path, tree: Path
) -> None:
    (tmp_path / "secret").write_text("secret")
    _, output = run(
        f"""
        import os, pathlib
        for place in ({str(tmp_path / "secret")!r}, "/etc/shadow", "/var/log", "/run"):
            print("seen" if os.path.exists(place) else "hidden")
        places = ("/usr", "/etc", "/", "/dev", "/input", "/input/given.txt", {sys.prefix!r}, "/proc/sys/vm")
        for place in places:
            try:
                path = pathlib.Path(place)
                (path / "made" if path.is_dir() else path).write_text("made")
                print("written", place)
            except OSError:
                print("refused")
        pathlib.Path("given.txt").write_text("changed in the copy")
        """
    )
    assert output.split() == ["hidden"] * 4 + ["refused"] * 8
    assert (tree / "given.txt").read_text() == "given"


def test_no_other_process_can_be_seen(run: Run) -> None:
    _, output = run(
        f"""
        import os
        print(os.path.exists("/proc/{os.getpid()}/environ") and os.getpid() != {os.getpid()})
        print(sum(name.isdigit() for name in os.listdir("/proc")) < 10)
        """
    )
    assert output.split()[1] == "True"
    assert output.split()[0] == "False" or os.getpid() < 10


def test_it_has_no_capability_and_cannot_get_one_in_a_namespace_of_its_own(run: Run) -> None:
    _, output = run(
        """
        import ctypes, os
        print([line.split()[1] for line in open("/proc/self/status") if line.startswith("Cap")])
        libc = ctypes.CDLL(None, use_errno=True)
        print(libc.unshare(0x10000000), libc.umount2(b"/proc", 2))
        print(libc.mount(b"x", b"/tmp", b"tmpfs", 0, None))
        """
    )
    capabilities, *calls = output.strip().splitlines()
    assert set(ast.literal_eval(capabilities)) == {"0" * 16}
    assert calls == ["-1 -1", "-1"]


def test_everything_it_started_is_killed_when_its_time_is_up(run: Run) -> None:
    before = time.monotonic()
    ended, output = run(
        """
        import os, time
        os.fork()
        os.fork()
        if os.fork() == 0:
            os.setsid()
        print(os.readlink("/proc/self/ns/pid"), flush=True)
        while True:
            time.sleep(0.05)
        """,
        seconds=2,
    )
    assert ended == Ended(None, "not at an end after 2 s")
    assert time.monotonic() - before < 30
    _expect_empty(output.split()[0])


def test_nothing_stays_behind_after_a_good_end_either(run: Run) -> None:
    ended, output = run(
        """
        import os, subprocess, sys
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
        print(os.readlink("/proc/self/ns/pid"))
        """
    )
    assert ended == Ended(0)
    _expect_empty(output.split()[0])


def _expect_empty(namespace: str) -> None:
    """Hold a process namespace, named as in /proc, to have no process (the kernel takes a moment)."""
    for _ in range(100):
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                found += [process] if str((process / "ns" / "pid").readlink()) == namespace else []
            except OSError:
                continue
        if not found:
            return
        time.sleep(0.1)
    raise AssertionError(f"still there: {found}")


@pytest.mark.parametrize(
    "one_more", ["os.fork() or time.sleep(60)", "threading.Thread(target=time.sleep, args=(60,)).start()"]
)
def test_processes_and_threads_are_limited(run: Run, one_more: str) -> None:
    program = f"""
        import os, sys, threading, time
        for number in range(200):
            try:
                {one_more}
            except (OSError, RuntimeError):
                print("refused after", number, flush=True)
                os._exit(3)
        time.sleep(60)
        """
    ended, output = run(program, threads=50, seconds=60)
    if ended.status is None:  # Neither limit of the kernel holds for this user; they were counted.
        assert ended.stopped == "more than 50 threads"
    else:
        assert ended.status == 3
        assert 30 < int(output.split()[-1]) < 50


def test_memory_is_limited_for_one_process_and_for_all_together(run: Run) -> None:
    ended, output = run("x = bytearray(1 << 30)", memory=512 * MIB)
    assert ended == Ended(1)
    assert "MemoryError" in output
    ended, _ = run(
        """
        import os, time
        [os.fork() for _ in range(3)]
        x = b"x" * (100 << 20)
        time.sleep(60)
        """,
        memory=400 * MIB,
    )
    assert ended == Ended(None, "more than 419 MB of memory")


def test_memory_that_processes_share_is_limited_too(run: Run) -> None:
    ended, output = run(
        """
        import mmap, os, time
        for _ in range(3):
            if os.fork() == 0:
                shared = mmap.mmap(-1, 100 << 20)
                for place in range(0, len(shared), 4096):
                    shared[place] = 1
                time.sleep(20)
                os._exit(0)
        time.sleep(20)
        print("still here")
        """,
        memory=200 * MIB,
        scratch=16 * MIB,
    )
    assert ended == Ended(None, "more than 210 MB of memory")
    assert "still here" not in output


def test_memory_that_no_process_has_cannot_be_made(run: Run) -> None:
    _, output = run(
        """
        import ctypes, os
        try:
            os.memfd_create("hidden")
        except OSError as error:
            print("memory file:", error.strerror)
        libc = ctypes.CDLL(None, use_errno=True)
        print("System V:", libc.shmget(0, 1 << 20, 0o1600), os.strerror(ctypes.get_errno()))
        """
    )
    refused = "Function not implemented"
    assert output.splitlines() == [f"memory file: {refused}", f"System V: -1 {refused}"]


def test_memory_of_the_kernel_is_limited_where_a_control_group_counts_it(run: Run) -> None:
    with control_group(10, MIB) as group:
        counted = [
            folder for folder in group.folders for file in LIMITS_OF_MEMORY if (folder / file).exists()
        ]
    if not counted:
        pytest.skip("no control group of memory can be made here")
    ended, _ = run(
        """
        import socket
        pairs = []
        try:
            while len(pairs) < 400:
                pairs.append(socket.socketpair())
                pairs[-1][0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
                pairs[-1][0].setblocking(False)
                try:
                    while True:
                        pairs[-1][0].send(b"x" * 65536)
                except BlockingIOError:
                    pass
        finally:
            print("pairs", len(pairs))
        """,
        memory=256 * MIB,
        scratch=16 * MIB,
    )
    assert ended == Ended(None, "more than 268 MB of memory")


def test_the_machines_settings_cannot_be_changed(run: Run) -> None:
    # What is written is what is there: a sandbox that failed would change nothing.
    _, output = run(
        """
        for name in ("kernel/core_pattern", "kernel/modprobe", "vm/overcommit_memory"):
            try:
                text = open(f"/proc/sys/{name}").read()
                with open(f"/proc/sys/{name}", "w") as file:
                    file.write(text)
                print(name, "WRITTEN")
            except OSError:
                print(name, "refused")
        """
    )
    assert [line.split()[1] for line in output.splitlines()] == ["refused"] * 3


def test_what_it_writes_is_limited_file_by_file_and_in_all(run: Run) -> None:
    program = """
        import sys
        written = 0
        try:
            for number in range(100):
                with open(f"{sys.argv[0]}big{number}", "wb") as file:
                    file.write(bytes(1 << 20))
                written += 1
        except OSError as error:
            print(error.strerror, written)
        """
    _, output = run(program.replace("{sys.argv[0]}", ""), file_size=MIB // 2)
    assert output == "File too large 0\n"
    for place in ("", "/dev/shm/"):
        _, output = run(program.replace("{sys.argv[0]}", place), scratch=20 * MIB)
        assert output in ("No space left on device 19\n", "No space left on device 20\n")


def test_its_output_and_its_report_are_limited(run: Run, tmp_path: Path) -> None:
    ended, _ = run(
        f"""
        import sys
        open({sandbox.REPORT!r}, "w").write("x" * 1000)
        while True:
            print("x" * 1000)
        """,
        file_size=MIB,
    )
    assert ended.status not in (0, None)
    assert (tmp_path / "log").stat().st_size <= MIB
    assert (tmp_path / "report").read_text() == "x" * 1000


def test_a_report_that_is_no_file_is_no_report(run: Run, tmp_path: Path) -> None:
    for made in ("os.mkfifo", "os.mkdir"):
        ended, _ = run(f"import os; {made}({sandbox.REPORT!r})")
        assert ended == Ended(0)
        assert (tmp_path / "report").read_bytes() == b""


def test_what_is_not_there_is_said(tree: Path, tmp_path: Path) -> None:
    job = Job([["true"]], tree, (tmp_path / "nowhere",))
    with pytest.raises(BenchCheckerError, match="nowhere is to be read"):
        run_sandboxed(job, tmp_path / "log", tmp_path / "report", Limits())
    with pytest.raises(BenchCheckerError, match="no Python interpreter"):
        places_of(tmp_path / "python")


def test_nothing_runs_where_a_command_cannot_be_isolated(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.presence.verification.sandbox.can_isolate", lambda: False)
    with pytest.raises(BenchCheckerError, match="bubblewrap"):
        run("print('run')")
    assert not (tmp_path / "log").exists()
