"""`benchchecker verify` as a reader runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from scratch_repository import Scratch, new_scratch
from typer.testing import CliRunner

from engine.cli.label import read_labelled_samples
from engine.cli.verify import register
from engine.paths import DATA_DIR
from engine.presence.verification.diffs import file_diff

BUGGY = "def area(width):\n    return width\n"
FIXED = "def area(width):\n    if width < 0:\n        raise ValueError(width)\n    return width\n"


@pytest.fixture
def world(tmp_path: Path) -> Scratch:
    """A repository with a fix that is taken out again, and a data set with it."""
    (tmp_path / "repos").mkdir()
    scratch = new_scratch(tmp_path / "repos" / "django__django")
    scratch.chain(
        ("2024-01-01", {"shape.py": BUGGY.encode()}),
        ("2024-02-01", {"shape.py": FIXED.encode()}),
        ("2024-03-01", {"shape.py": BUGGY.encode()}),
        ("2024-04-01", {"other.py": b""}),
    )
    record = {
        "repo": "django/django",
        "instance_id": "django__django-1",
        "base_commit": scratch.names["c0"],
        "patch": file_diff("shape.py", BUGGY, "shape.py", FIXED),
        "test_patch": "",
        "problem_statement": "",
        "created_at": "2024-01-15T00:00:00Z",
        "version": "1.0",
        "difficulty": "<15 min fix",
    }
    (tmp_path / "samples.jsonl").write_text(json.dumps(record) + "\n")
    return scratch


def run(tmp_path: Path, *arguments: str) -> tuple[int, str]:
    common = ["--samples", f"swe-bench-verified={tmp_path / 'samples.jsonl'}"]
    common += ["--repos", str(tmp_path / "repos"), "--cache", str(tmp_path / "cache")]
    app = typer.Typer()
    register(app)
    done = CliRunner().invoke(app, [*arguments, *common])
    return done.exit_code, " ".join(done.output.split())


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize(
    ("cutoff", "said"),
    [
        ("2024-02", "present at 2024-02-29"),
        ("2024-03-31", "absent at 2024-03-31"),
        ("2024-01-20", "absent at 2024-01-20"),
    ],
)
def test_a_sample_is_judged_at_its_cutoff(tmp_path: Path, cutoff: str, said: str) -> None:
    status, output = run(tmp_path, "django__django-1", "--cutoff", cutoff)
    assert status == 0
    assert f"django__django-1: {said}" in output
    assert "tests not run" in output
    (result,) = (tmp_path / "cache" / "verify").glob("*/verification.json")
    assert json.loads(result.read_text())["runner"] == "none"


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--cutoff", "2024-02", "--runner", "local"], "needs --python"),
        (["--cutoff", "2024-02", "--runner", "swebench"], "needs --dataset"),
        (["--cutoff", "soon"], "neither a day"),
        (["--cutoff", "2024-02", "--detector", "none such"], "no detector"),
    ],
)
def test_what_is_missing_is_said(tmp_path: Path, arguments: list[str], said: str) -> None:
    status, output = run(tmp_path, "django__django-1", *arguments)
    assert status == 2
    assert said in output


@pytest.mark.usefixtures("world")
def test_a_day_that_the_history_does_not_reach_is_unknown(tmp_path: Path) -> None:
    status, output = run(tmp_path, "django__django-1", "--cutoff", "2030-01")
    assert "django__django-1: unknown:" in output
    assert status == 1


def test_a_data_set_without_a_sample_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "samples.jsonl").write_text("")
    data_set = f"swe-bench-verified={tmp_path / 'samples.jsonl'}"
    with pytest.raises(typer.BadParameter, match="hold no sample that can be read: swe-bench-verified="):
        read_labelled_samples([data_set], None, DATA_DIR)
