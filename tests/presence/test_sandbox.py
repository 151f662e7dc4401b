"""Commands that nobody vouches for."""

from __future__ import annotations

import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.presence.verification.sandbox import Ended, Limits, isolation, run_sandboxed
from engine.problems import BenchCheckerError

pytestmark = pytest.mark.skipif(not isolation(), reason="this machine cannot isolate a command")
Run = Callable[..., tuple[Ended, str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a Python program in the sandbox; returns how it ended and what it printed."""
    log, folder = tmp_path / "log", tmp_path / "folder"
    folder.mkdir()

    def start(program: str, **limits: float) -> tuple[Ended, str]:
        command = [sys.executable, "-c", textwrap.dedent(program)]
        ended = run_sandboxed(
            command,
            folder,
            tmp_path / "scratch",
            log,
            Limits(**limits),
            {"GIVEN": "yes"},  # type: ignore[arg-type]
        )
        return ended, log.read_text().split("$ ", 1)[1].partition(textwrap.dedent(program))[2]

    return start


def test_the_exit_status_and_the_output_are_kept(run: Run) -> None:
    ended, output = run("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert ended.status == 3
    assert "out" in output
    assert "err" in output


def test_the_environment_is_its_own(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET", "hidden")
    _, output = run(
        """
        import os, pathlib, tempfile
        print(pathlib.Path.home(), tempfile.gettempdir(), os.environ["GIVEN"], os.environ.get("A_SECRET"))
        """
    )
    scratch = tmp_path / "scratch"
    assert output.strip() == f"{scratch / 'home'} {scratch / 'tmp'} yes None"


def test_no_other_machine_can_be_reached_and_this_one_can(run: Run) -> None:
    _, output = run(
        """
        import socket
        try:
            socket.create_connection(("192.0.2.1", 80), timeout=5)
        except OSError as error:
            print("unreachable:", error.strerror)
        print([name for _, name in socket.if_nameindex()])
        """
    )
    assert "unreachable: Network is unreachable" in output
    assert "['lo']" in output


def test_everything_it_started_is_killed_when_its_time_is_up(run: Run, tmp_path: Path) -> None:
    beats = tmp_path / "beats"
    ended, _ = run(
        f"""
        import os, time
        os.fork()
        os.fork()
        while True:
            open({str(beats)!r}, "a").write(".")
            time.sleep(0.05)
        """,
        seconds=3,
    )
    assert ended.status is None
    counted = _size(beats)
    time.sleep(0.5)
    assert _size(beats) == counted > 0


def test_nothing_stays_behind_after_a_good_end_either(run: Run, tmp_path: Path) -> None:
    beats = tmp_path / "beats"
    child = f"import time\nwhile True:\n    open({str(beats)!r}, 'a').write('.')\n    time.sleep(0.05)"
    ended, _ = run(
        f"""
        import os, subprocess, sys, time
        subprocess.Popen([sys.executable, "-c", {child!r}])
        while not os.path.exists({str(beats)!r}):
            time.sleep(0.02)
        """
    )
    assert ended.status == 0
    counted = _size(beats)
    time.sleep(0.5)
    assert _size(beats) == counted > 0


def test_memory_and_file_sizes_are_limited(run: Run) -> None:
    ended, output = run("x = bytearray(1 << 30)", memory=1 << 29)
    assert ended.status != 0
    assert "MemoryError" in output
    ended, output = run(
        """
        try:
            open("big", "wb").write(bytes(1 << 20))
        except OSError as error:
            print("too large:", error.strerror)
        """,
        file_size=1 << 19,
    )
    assert "too large: File too large" in output
    assert ended.status == 0


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def test_nothing_runs_where_a_command_cannot_be_isolated(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.presence.verification.sandbox.isolation", lambda: ())
    made = tmp_path / "made"
    with pytest.raises(BenchCheckerError, match="cannot isolate"):
        run(f"open({str(made)!r}, 'w')")
    assert not made.exists()
