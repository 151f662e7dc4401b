"""What is committed works on any machine and stays readable."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from engine.paths import PROJECT_ROOT

TEXT = (".css", ".csv", ".js", ".jsonl", ".md", ".py", ".sh", ".svg", ".toml", ".txt", ".yaml", ".yml")
MACHINE_PATH = re.compile(r"(?<![\w.~])/(work|root|home|opt|tmp|Users|private|mnt)/\w")
REGISTRY = re.compile(
    r"pypi\.org|pythonhosted|registry\.npmjs|debian\.org|download\.pytorch|anaconda\.org"
    r"|--(extra-)?index-url|--find-links",
)
CONFLICT = re.compile(r"^(<{7}|>{7}) ", re.MULTILINE)
MAX_LINES = 350


@cache
def tracked() -> tuple[Path, ...]:
    """Return the files under version control that are there."""
    if shutil.which("git") is None or not (PROJECT_ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "-C", str(PROJECT_ROOT), "ls-files", "-z"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return tuple(path for name in listed.split("\0") if name and (path := PROJECT_ROOT / name).is_file())


@cache
def texts() -> tuple[tuple[str, str], ...]:
    """Return name and text of the tracked text files, this one left out: it holds what it looks for."""
    files = [path for path in tracked() if path.suffix in TEXT or not path.suffix]
    return tuple(
        (path.relative_to(PROJECT_ROOT).as_posix(), path.read_bytes().decode("utf-8"))
        for path in files
        if path != Path(__file__).resolve()
    )


def found(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for name, text in texts()
        for match in pattern.finditer(text)
    ]


def test_no_file_names_a_path_of_somebody_s_machine() -> None:
    assert found(MACHINE_PATH) == []


def test_no_file_names_a_package_registry() -> None:
    assert found(REGISTRY) == []


def test_the_patterns_find_what_they_look_for() -> None:
    assert MACHINE_PATH.search('open("/home/someone/x")')
    assert not MACHINE_PATH.search("https://example.org/home/x and ~/work/x and a/tmp/b")
    assert REGISTRY.search("pip install --index-url X")
    assert CONFLICT.search("a\n<<<<<<< HEAD\nb")


def test_texts_end_with_one_line_feed_and_have_no_trailing_blanks() -> None:
    written = [(name, text) for name, text in texts() if not name.startswith("data/") and text]
    assert [name for name, text in written if not text.endswith("\n") or text.endswith("\n\n")] == []
    assert [name for name, text in written if re.search(r"[ \t\r]$", text, re.MULTILINE)] == []
    assert found(CONFLICT) == []


def test_no_module_is_too_long_to_read() -> None:
    modules = [(name, text) for name, text in texts() if re.match(r"(engine|dashboard)/.*\.py$", name)]
    lengths = {name: text.count("\n") for name, text in modules}
    assert {name: count for name, count in lengths.items() if count > MAX_LINES} == {}


def test_every_package_folder_says_what_it_is_for() -> None:
    packages = [
        (name, text) for name, text in texts() if re.match(r"(engine|dashboard)/.*__init__\.py$", name)
    ]
    assert [name for name, text in packages if not text.startswith('"""')] == []
    folders = {Path(name).parent for name, _ in texts() if re.match(r"(engine|dashboard)/.*\.py$", name)}
    assert folders == {Path(name).parent for name, _ in packages} | {Path("engine"), Path("dashboard")}


def test_scripts_can_be_executed() -> None:
    scripts = [path for path in tracked() if path.parent.name in ("scripts", ".ci") and not path.suffix]
    assert {path.name for path in scripts} >= {"run", "test", "bench"}
    for script in scripts:
        assert script.stat().st_mode & 0o100, f"{script.name} is not executable"
        assert script.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n"), script.name
