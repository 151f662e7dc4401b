from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from engine.cli.app import build_app
from engine.store.facts import read_facts, write_facts
from engine.store.provenance import read_runs


def run(*arguments: str, data: Path) -> Result:
    return CliRunner().invoke(build_app(), ["models", *arguments, "--data", str(data)])


def test_the_list_has_every_model(tiny_data: Path) -> None:
    result = run("list", data=tiny_data)
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert lines[1] == "old\t2024-03-31\t2023-12-31\testimated\tgenerator\t"
    assert [line.split("\t")[0] for line in lines] == ["model", "old", "new"]


def test_check_names_what_has_to_be_put_right_and_fails(tiny_data: Path) -> None:
    submissions = read_facts(tiny_data, "submission")
    early = [
        {**row, "submitted_on": date(2025, 2, 1)} if row["submission"] == "sub-b" else row
        for row in submissions
    ]
    write_facts(tiny_data, "submission", early)
    result = run("check", data=tiny_data)
    assert result.exit_code == 1
    assert "2 models, 1 with an estimated cutoff:\n  old: 2023-12-31, released 2024-03-31\n" in result.stdout
    assert "mystery: no entry for this tag of sub-c" in result.stdout
    assert "sub-b: new-1 stands for new, released 2025-06-30, after 2025-02-01" in result.stdout
    assert "run benchchecker models resolve" in result.stdout


def test_check_passes_when_nothing_has_to_be_put_right(tiny_data: Path) -> None:
    text = (tiny_data / "model.toml").read_text(encoding="utf-8").replace('"new-1"', '"new-1", "mystery"')
    text = text.replace("released = 2025-06-30", "released = 2025-01-30")
    text = text.replace("cutoff = 2025-03-31", "cutoff = 2024-09-30")
    (tiny_data / "model.toml").write_text(text, encoding="utf-8")
    assert run("resolve", data=tiny_data).exit_code == 0
    result = run("check", data=tiny_data)
    assert result.stdout.splitlines()[-1].startswith("0 to put right")
    assert result.exit_code == 0


def test_check_works_before_submissions_are_imported(tiny_data: Path) -> None:
    (tiny_data / "submission.csv").unlink()
    result = run("check", data=tiny_data)
    assert "there are no submissions here" in result.stdout


def test_resolve_writes_and_records_the_run_once(tiny_data: Path) -> None:
    before = len(read_runs(tiny_data))
    first = run("resolve", data=tiny_data)
    assert first.stdout == "5 submissions, 4 with every model known, 0 that name none\n"
    assert read_facts(tiny_data, "submission_model")[0]["evidence"] == "tag, an alias"
    run("resolve", data=tiny_data)
    assert len(read_runs(tiny_data)) == before + 1
    assert read_runs(tiny_data)[-1]["command"] == "models resolve"


@pytest.mark.parametrize("command", ["list", "check", "resolve"])
def test_a_broken_registry_is_an_error_a_user_can_act_on(tiny_data: Path, command: str) -> None:
    text = (tiny_data / "model.toml").read_text(encoding="utf-8").replace('title = "Old"', "")
    (tiny_data / "model.toml").write_text(text, encoding="utf-8")
    result = run(command, data=tiny_data)
    said = result.stdout + str(result.exception)
    assert result.exit_code == 1
    assert "model.toml:2: error: old: title is missing (add it)" in said


def test_a_model_that_was_only_probed_is_used(tiny_data: Path) -> None:
    entry = '\n[[model]]\nmodel = "probed-1"\nvendor = "V"\ntitle = "Probed"\nreleased = 2024-04-01\n'
    registry = tiny_data / "model.toml"
    rest = 'cutoff = 2024-01-01\nbasis = "estimated"\nopen_weights = true\n'
    registry.write_text(registry.read_text(encoding="utf-8") + entry + rest, encoding="utf-8")
    assert "probed-1: no submission uses it" in run("check", data=tiny_data).stdout
    rate = {"model": "probed-1", "language": "python", "hits": 1, "queries": 50}
    write_facts(tiny_data, "hit_rate", [{**rate, "repositories": "a/one", "source": "a test"}])
    assert "probed-1: no submission uses it" not in run("check", data=tiny_data).stdout
