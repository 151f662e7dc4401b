"""The scripts in `scripts/`, as somebody who has just cloned the project runs them."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from engine.paths import PROJECT_ROOT

SCRIPTS = ("scripts/run", "scripts/test", "scripts/bench", "scripts/environment.sh", ".ci/run")
IN_OWN_ENVIRONMENT = Path(sys.prefix) == PROJECT_ROOT / ".venv"
PATIENCE_S = 120
BASH = shutil.which("bash") or "bash"

PRETENDING_PYTHON = """#!{bash}
exec {python} -c 'import sys; {pretence}; exec(sys.argv[1])' "$2"
"""


def script(
    name: str, *arguments: str, root: Path = PROJECT_ROOT, path: str | None = None
) -> tuple[int, str, str]:
    environment: Mapping[str, str] | None = None if path is None else {"PATH": path}
    done = subprocess.run(
        [BASH, str(root / name), *arguments],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env=environment,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What the scripts need of a fresh clone."""
    folder = tmp_path / "clone with a blank"
    shutil.copytree(PROJECT_ROOT / "scripts", folder / "scripts")
    shutil.copy(PROJECT_ROOT / "pyproject.toml", folder)
    return folder


@pytest.fixture
def bare_path(tmp_path: Path) -> Path:
    """A folder to search for programs that has what the scripts call, and no Python."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for program in ("dirname", "grep", "sed", "basename", "seq"):
        found = shutil.which(program)
        assert found is not None
        (folder / program).symlink_to(found)
    return folder


def put_python(folder: Path, name: str, pretence: str) -> None:
    """Put a Python into `folder` that believes what `pretence` says."""
    program = folder / name
    program.write_text(PRETENDING_PYTHON.format(bash=BASH, python=sys.executable, pretence=pretence))
    program.chmod(0o755)


@pytest.mark.parametrize("name", SCRIPTS)
def test_bash_can_read_it(name: str) -> None:
    checked = subprocess.run([BASH, "-n", str(PROJECT_ROOT / name)], capture_output=True, check=False)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--port"],
        ["--port", "many"],
        ["--port=0"],
        ["--port", "65536"],
        ["--port", "8501; id"],
        ["--prot", "1"],
    ],
)
def test_run_refuses_what_it_does_not_understand_before_it_installs(
    clone: Path, arguments: list[str]
) -> None:
    status, _, error = script("scripts/run", *arguments, root=clone)
    assert status == 2
    assert error.startswith("scripts/run: ")
    assert "Usage: scripts/run [--port N] [--headless]" in error
    assert not (clone / ".venv").exists()


@pytest.mark.parametrize(("name", "told"), [("scripts/run", "--headless"), ("scripts/test", "go to pytest")])
def test_a_script_explains_itself_without_installing(clone: Path, name: str, told: str) -> None:
    status, output, _ = script(name, "--help", root=clone)
    assert status == 0
    assert told in output
    assert not (clone / ".venv").exists()


def test_a_machine_without_python_is_told_what_to_install(clone: Path, bare_path: Path) -> None:
    for name in ("scripts/run", "scripts/test"):
        status, _, error = script(name, root=clone, path=str(bare_path))
        assert status == 1
        assert "needs Python 3.11 or newer: there is no Python on PATH" in error
    assert not (clone / ".venv").exists()


@pytest.mark.parametrize(
    ("pretence", "message"),
    [
        ("sys.version_info = (3, 8, 10)", "python3 is Python 3.8.10, which is too old"),
        ('sys.modules["ensurepip"] = None', "python3 lacks the venv module"),
    ],
)
def test_a_python_that_will_not_do_is_named(
    clone: Path, bare_path: Path, pretence: str, message: str
) -> None:
    put_python(bare_path, "python3", pretence)
    status, _, error = script("scripts/run", root=clone, path=str(bare_path))
    assert status == 1
    assert message in error
    assert not (clone / ".venv").exists()


def test_a_newer_python_is_found_behind_an_old_one(clone: Path, bare_path: Path) -> None:
    put_python(bare_path, "python3", "sys.version_info = (3, 8, 10)")
    put_python(bare_path, "python3.12", "sys.version_info = (3, 12, 1)")
    found = subprocess.run(
        [BASH, "-c", 'source "$0" && find_python', str(clone / "scripts" / "environment.sh")],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": str(bare_path)},
    )
    assert found.stdout == "python3.12\n"


def test_bench_lists_what_there_is() -> None:
    status, output, _ = script("scripts/bench")
    assert status == 0
    for program in (PROJECT_ROOT / "scripts" / "benchmarks").glob("*.py"):
        assert f"  {program.stem} " in output
    for wrong in ("no-such", "../benchmarks/label", "label.py"):
        status, _, error = script("scripts/bench", wrong)
        assert status == 2
        assert f"there is no benchmark named {wrong}" in error


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    server = socket.create_server(("localhost", 0))
    yield server
    server.close()


needs_own_environment = pytest.mark.skipif(
    not IN_OWN_ENVIRONMENT, reason="would make an environment: run by scripts/test, which has made it"
)


@needs_own_environment
def test_run_says_when_the_port_is_taken(listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    status, _, error = script("scripts/run", "--headless", "--port", str(port))
    assert status == 1
    assert f"port {port} is in use" in error


@needs_own_environment
def test_run_serves_the_dashboard(tmp_path: Path) -> None:
    with socket.create_server(("localhost", 0)) as free:
        port = free.getsockname()[1]
    log = tmp_path / "log"
    with log.open("wb") as stream:
        command = [BASH, str(PROJECT_ROOT / "scripts" / "run"), "--headless", f"--port={port}"]
        process = subprocess.Popen(command, stdout=stream, stderr=subprocess.STDOUT, cwd=tmp_path)
    try:
        assert b"ok" in wait_for(f"http://localhost:{port}/_stcore/health", process, log)
        assert b"<title>" in urllib.request.urlopen(f"http://localhost:{port}/").read()
        assert f"BenchChecker opens at http://localhost:{port}" in log.read_text(encoding="utf-8")
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> bytes:
    for _ in range(PATIENCE_S * 5):
        if process.poll() is not None:
            pytest.fail(f"ended with {process.returncode}: {log.read_text(encoding='utf-8')}")
        try:
            with urllib.request.urlopen(address) as answer:
                return bytes(answer.read())
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
    pytest.fail(f"no answer at {address}: {log.read_text(encoding='utf-8')}")
