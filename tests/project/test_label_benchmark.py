"""`scripts/bench label` on a small repository: what labelling stores is what each snapshot shows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.cli.app import build_app
from engine.paths import PROJECT_ROOT

CATALOGUE = (
    '[[benchmark]]\nbenchmark = "small"\ntitle = "Small"\nlanguage = "python"\nsize = 1\ndifficulties = []\n'
)
BEFORE = "def area(width, height):\n    return width + height\n"
FIXED = BEFORE.replace(
    "    return width +", "    if width < 0:\n        raise ValueError(width)\n    return width *"
)
SIMILAR = FIXED.replace("raise ValueError(width)", "raise ValueError(height)")
REWRITTEN = "def area(*sides):\n    return product(map(abs, sides))\n"
VERSIONS = (
    ("2024-01-10", BEFORE),
    ("2024-02-10", FIXED),
    ("2024-04-10", SIMILAR),
    ("2024-06-10", REWRITTEN),
    ("2024-08-10", REWRITTEN),
)
CUTOFFS = ("2023-12", "2024-01", "2024-02", "2024-03", "2024-05", "2024-07", "2025-01")
LANDED_AND_KNOWN = 4
"""Cutoffs from the fix to the end of the history: February, March, May and July."""


def git(folder: Path, *arguments: str, day: str = "2024-01-01") -> str:
    moment = f"{day}T12:00:00+0000"
    done = subprocess.run(
        ["git", "-c", "user.name=n", "-c", "user.email=e", "-C", str(folder), *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "GIT_COMMITTER_DATE": moment, "GIT_AUTHOR_DATE": moment},
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repos" / "o" / "n"
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    for number, (day, text) in enumerate(VERSIONS):
        (folder / "m.py").write_text(text)
        (folder / "other.txt").write_text(str(number))
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", str(number), day=day)
    return folder


@pytest.fixture
def samples(tmp_path: Path, repository: Path) -> Path:
    base, fix = git(repository, "rev-list", "--reverse", "HEAD").split()[:2]
    record = {
        "instance_id": "o__n-1",
        "repo": "o/n",
        "base_commit": base,
        "patch": git(repository, "diff", base, fix, "--", "m.py") + "\n",
        "created_at": "2024-02-01T00:00:00Z",
    }
    path = tmp_path / "samples.jsonl"
    path.write_text(json.dumps(record) + "\n")
    return path


@pytest.fixture
def data(tmp_path: Path, samples: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "benchmark.toml").write_text(CATALOGUE)
    words = ["import", "samples", str(samples), "--benchmark", "small", "--data", str(folder)]
    imported = CliRunner().invoke(build_app(), words)
    assert imported.exit_code == 0, imported.output
    return folder


def test_the_plain_way_finds_the_scores_that_labelling_stores(
    data: Path, samples: Path, repository: Path
) -> None:
    program = PROJECT_ROOT / "scripts" / "benchmarks" / "label.py"
    options = [f"--samples=small={samples}", f"--repos={repository.parents[1]}", f"--data={data}"]
    options += ["--processes=1", *(f"--cutoff={cutoff}" for cutoff in CUTOFFS)]
    before = {path.name: path.read_bytes() for path in data.iterdir()}
    done = subprocess.run(
        [sys.executable, str(program), *options],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(PROJECT_ROOT)},
    )
    assert done.returncode == 0, done.stderr
    assert f"{LANDED_AND_KNOWN} of {LANDED_AND_KNOWN} scores are the same" in done.stdout
    for title in ("cold", "warm", f"plain way, {len(CUTOFFS)} cutoffs"):
        assert re.search(rf"^{title}: \d+\.\d s, \d+\.\d s of processor time$", done.stdout, re.MULTILINE)
    assert {path.name: path.read_bytes() for path in data.iterdir()} == before
