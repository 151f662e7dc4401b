"""Folders of the public experiments."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from small_benchmark import SAMPLES

from engine.problems import Loaded, Severity
from engine.submissions.submission import Submission

Reader = Callable[..., Loaded[Submission]]

NEW_METADATA = """
info:
  name: "Agent v2 + Model 1"
  site: https://example.org
tags:
  agent: Agent
  checked: "false (see README.md)"
  model:
    - model-1
    - model-2
  os_model: true
  os_system: false
  system:
    attempts: 1
"""


def submission(folder: Path, metadata: str | None = NEW_METADATA, **results: list[str]) -> Path:
    (folder / "results").mkdir(parents=True)
    (folder / "results" / "results.json").write_text(json.dumps(results), encoding="utf-8")
    if metadata is not None:
        (folder / "metadata.yaml").write_text(metadata, encoding="utf-8")
    return folder


def test_a_split_of_swe_bench(tmp_path: Path, read: Reader):
    split = tmp_path / "evaluation" / "verified"
    submission(split / "20250102_b", resolved=["a__x-2"])
    submission(split / "20250101_a_model", resolved=["a__x-1"], no_generation=["a__x-3"])
    (split / "README.md").write_text("about")
    loaded = read(split)
    first, second = loaded.rows
    assert (first.submission, second.submission) == ("20250101_a_model", "20250102_b")
    assert (first.title, first.framework) == ("Agent v2 + Model 1", "Agent")
    assert (first.open_weights, first.open_system, first.checked) == (True, False, False)
    assert first.model_tags == ("model-1", "model-2")
    assert first.results is not None
    assert first.results.outcomes["a__x-3"] == "no_generation"
    assert loaded.problems == ()


def test_metadata_of_2024(tmp_path: Path, read: Reader):
    metadata = "name: SWE-agent + gpt-4o\noss: true\nsite: https://example.org\nverified: false\n"
    (found,) = read(submission(tmp_path / "20240825_SWE-agent_gpt-4o", metadata, resolved=[])).rows
    assert (found.title, found.open_system, found.checked) == ("SWE-agent + gpt-4o", True, False)
    assert (found.open_weights, found.model_tags) == (None, ())


def test_one_model_as_plain_text(tmp_path: Path, read: Reader):
    (found,) = read(submission(tmp_path / "20250101_a", "tags: {model: only-one}", resolved=[])).rows
    assert found.model_tags == ("only-one",)


def test_predictions_beside_results(tmp_path: Path, read: Reader):
    folder = submission(tmp_path / "20250101_a", resolved=["a__x-1"])
    lines = [{"instance_id": sample, "model_patch": sample[:4]} for sample in SAMPLES[:3]]
    (folder / "all_preds.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (found,) = read(folder).rows
    assert found.results is not None
    assert found.patches == dict.fromkeys(SAMPLES[:3], True)


@pytest.mark.parametrize(
    "metadata",
    [
        "tags: [",
        "- a\n- list",
        "&a [*a]",
        "",
        "info: {name: [x]}\ntags: {model: {a: b}, checked: [true], os_model: maybe}",
        # A list of lists of lists … that would be gigabytes if written out.
        "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\ninfo: {name: *c}\ntags: {model: [*c], checked: *c}",
    ],
)
def test_broken_metadata_leaves_the_results(tmp_path: Path, read: Reader, metadata: str):
    loaded = read(submission(tmp_path / "20250101_a", metadata, resolved=["a__x-1"]))
    (found,) = loaded.rows
    assert found.results is not None
    assert found.title is None
    assert found.model_tags == ()
    assert loaded.problems
    assert all(problem.file.endswith("metadata.yaml") for problem in loaded.problems)


def test_a_folder_without_results_is_named(tmp_path: Path, read: Reader):
    split = tmp_path / "verified"
    submission(split / "20250101_a", resolved=[])
    (split / "20250102_b").mkdir()
    (split / "20250102_b" / "metadata.yaml").write_text(NEW_METADATA)
    (split / "20250103_c").mkdir()
    loaded = read(split)
    assert [found.submission for found in loaded.rows] == ["20250101_a"]
    assert [(problem.subject, problem.message, problem.severity) for problem in loaded.problems] == [
        ("20250102_b", "has no results", Severity.ERROR),
        ("20250103_c", "holds no results", Severity.WARNING),
    ]


def test_the_root_of_the_experiments_is_not_a_split(tmp_path: Path, read: Reader):
    submission(tmp_path / "evaluation" / "verified" / "20250101_a", resolved=[])
    loaded = read(tmp_path)
    assert loaded.rows == ()
    assert "evaluation/verified" in loaded.errors[0].remedy


def test_links_out_of_the_folder_are_refused(tmp_path: Path, read: Reader):
    outside = submission(tmp_path / "outside" / "20250101_a", resolved=["a__x-1"])
    split = tmp_path / "verified"
    split.mkdir()
    (split / "20250101_a").symlink_to(outside)
    loaded = read(split)
    assert loaded.rows == ()
    assert "leads out of the folder" in loaded.errors[0].message
    inside = split / "20250102_b"
    (inside / "results").mkdir(parents=True)
    (inside / "results" / "results.json").symlink_to(outside / "results" / "results.json")
    assert read(split).rows == ()


def test_a_path_with_dots_names_the_folder_it_leads_to(tmp_path: Path, read: Reader):
    folder = submission(tmp_path / "20250101_a", resolved=[])
    (found,) = read(folder / "results" / "..").rows
    assert found.submission == "20250101_a"


def test_names_with_line_breaks_are_refused(tmp_path: Path, read: Reader):
    submission(tmp_path / "verified" / "20250101_a\nb", resolved=[])
    loaded = read(tmp_path / "verified")
    assert loaded.rows == ()
    assert "cannot be read safely" in loaded.errors[0].message
    assert "\n" not in str(loaded.errors[0])


def test_a_flat_folder_of_reports(tmp_path: Path, read: Reader):
    for name in ("20250101_a", "20250102_b"):
        (tmp_path / f"{name}.json").write_text('{"resolved": ["a__x-1"]}')
    assert [found.submission for found in read(tmp_path).rows] == ["20250101_a", "20250102_b"]
