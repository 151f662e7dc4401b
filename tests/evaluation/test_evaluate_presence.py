"""`benchchecker evaluate presence`, as it is typed, on a repository made for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from evaluated_world import World, make_world
from typer.testing import CliRunner

from engine.cli.app import build_app


@dataclass(frozen=True)
class Outcome:
    """What a run printed and wrote."""

    text: str
    content: dict[str, Any]
    journal: dict[str, bytes]


def call(world: World, cache: Path, *arguments: str) -> tuple[int, str]:
    words = ["evaluate", "presence", "--samples", f"small={world.samples}", "--repos", str(world.repos)]
    words += ["--data", str(world.data), "--cache", str(cache), "--processes", "1", *arguments]
    done = CliRunner().invoke(build_app(), words)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


def run(world: World, cache: Path, file: Path, *arguments: str) -> Outcome:
    code, text = call(world, cache, "--json", str(file), *arguments)
    assert code == 0, text
    journal = {str(path): path.read_bytes() for path in sorted((cache / "evaluate").rglob("*.jsonl"))}
    return Outcome(text, json.loads(file.read_text()), journal)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(tmp_path_factory.mktemp("evaluated"))


@pytest.fixture(scope="module")
def everything(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Outcome, Outcome]]:
    """The same run twice, the second after the first."""
    folder = tmp_path_factory.mktemp("run")
    parts = [
        word for part in ("certain", "gold", "rewrites", "ablation", "threshold") for word in ("-p", part)
    ]
    arguments = ["--gold", str(world.gold), *parts]
    first = run(world, folder / "cache", folder / "first.json", *arguments)
    return first, run(world, folder / "cache", folder / "second.json", *arguments)


def judgements(outcome: Outcome, part: str, detector: str, sample: str) -> dict[str, dict[str, Any]]:
    return {
        entry["name"]: entry
        for entry in outcome.content["judgements"]
        if (entry["part"], entry["detector"], entry["sample"]) == (part, detector, sample)
    }


@pytest.mark.parametrize("detector", ["paper", "traced"])
@pytest.mark.parametrize("sample", ["owner__name-1", "owner__name-8"])
def test_certain_pairs(everything: tuple[Outcome, Outcome], detector: str, sample: str):
    """The base commit of the first sample lies on a branch that was never merged."""
    cases = judgements(everything[0], "certain", detector, sample)
    assert {name: (entry["present"], entry["right"]) for name, entry in cases.items()} == {
        "base": (False, True),
        "landed": (True, True),
    }
    assert "exact" in cases["landed"]["why"]


def test_a_sample_without_repository_is_listed(everything: tuple[Outcome, Outcome]):
    cases = judgements(everything[0], "certain", "paper", "no__where-3")
    assert {entry["score"] for entry in cases.values()} == {None}
    assert "there is no history of no/where" in everything[0].text


def test_hand_read_verdicts(everything: tuple[Outcome, Outcome]):
    cases = judgements(everything[0], "gold", "traced", "owner__name-8")
    assert {name: (entry["counted"], entry["right"]) for name, entry in cases.items()} == {
        "2020-12-31": (True, True),
        "2021-06-30": (True, True),
        "2022-06-30": (False, False),
        "2022-07-31": (True, False),
        "2030-01-01": (True, False),
    }
    assert "ffffffffff was read" in cases["2022-07-31"]["reason"]
    assert "the history ends" in cases["2030-01-01"]["reason"]
    assert "known: replaced (1): hard to say" in everything[0].text
    assert "someone__else-9: a verdict, but no such sample" in everything[0].text


def test_the_figures_are_those_of_the_judgements(everything: tuple[Outcome, Outcome]):
    figures = {(row["part"], row["detector"]): row for row in everything[0].content["figures"]}
    gold = figures["gold", "traced"]
    assert (gold["tpr"]["k"], gold["tpr"]["n"]) == (2, 2)
    assert (gold["fpr"]["k"], gold["fpr"]["n"]) == (0, 1)
    assert (gold["not_judged"], gold["not_counted"]) == (2, 1)
    assert gold["auc"] == 1
    assert figures["certain", "paper"]["not_judged"] == 2
    assert "2/2 = 100.0%" in everything[0].text


def test_rewrites_and_reverts(everything: tuple[Outcome, Outcome]):
    cases = judgements(everything[0], "rewrites", "traced", "owner__name-1")
    assert {"unchanged", "rename locals", "reformat", "extract function", "invert conditions"} <= cases.keys()
    assert {"move function to another file", "rename file", "to f-strings", "add type hints"} <= cases.keys()
    assert [name for name, entry in cases.items() if not entry["present"]] == [
        "reverted after 1095 days",
        "reverted after 182 days",
        "reverted after 547 days",
    ]
    assert cases["unchanged"]["score"] == 1
    assert all(entry["score"] is not None for entry in cases.values())
    exact = {
        name: entry["right"]
        for name, entry in judgements(everything[0], "rewrites", "paper", "owner__name-1").items()
    }
    assert exact["add comments"]
    assert not exact["extract function"]


def test_a_fix_that_is_gone_is_taken_back_only_while_it_stands(everything: tuple[Outcome, Outcome]):
    cases = judgements(everything[0], "rewrites", "traced", "owner__name-8")
    assert "essential hunk reverted" in cases
    assert {name for name in cases if name.startswith("kept")} == {"kept after 182 days"}


def test_the_ablation_stands_beside_the_paper(everything: tuple[Outcome, Outcome]):
    rows = {row["variant"]: row for row in everything[0].content["ablation"] if row["part"] == "certain"}
    assert rows.keys() == {"BenchChecker", "BenchChecker w/o Similarity Matching"}
    assert rows["BenchChecker"]["ours"]["auc"] is None
    assert rows["BenchChecker"]["paper"] == {"auc": 0.5, "tpr": 0.4, "fpr": 0.3}
    assert rows["BenchChecker w/o Similarity Matching"]["ours"]["tpr"]["n"] > 0


def test_the_threshold_curve(everything: tuple[Outcome, Outcome]):
    rows = [row for row in everything[0].content["threshold"] if row["detector"] == "traced"]
    assert [row["threshold"] for row in rows] == [step / 20 for step in range(21)]
    assert (rows[0]["tpr"], rows[0]["fpr"], rows[0]["auc"]) == (1, 1, 0.5)
    assert all(row["auc"] == pytest.approx((row["tpr"] + 1 - row["fpr"]) / 2) for row in rows)


def test_a_second_run_reads_what_the_first_found(everything: tuple[Outcome, Outcome]):
    first, second = everything
    assert second.content == first.content
    assert second.journal == first.journal
    assert first.journal


def test_a_cut_line_of_the_journal_is_judged_again(world: World, tmp_path: Path):
    arguments = ["-d", "paper", "-p", "certain"]
    first = run(world, tmp_path / "cache", tmp_path / "a.json", *arguments)
    (file,) = [Path(path) for path in first.journal]
    file.write_bytes(file.read_bytes()[:-200])
    second = run(world, tmp_path / "cache", tmp_path / "b.json", *arguments)
    assert second.content == first.content
    assert second.journal != first.journal


def test_calibration_measures_on_other_samples(world: World, tmp_path: Path):
    """The eighth sample validates, the first and the one without a repository test."""
    outcome = run(world, tmp_path / "cache", tmp_path / "a.json", "-d", "paper", "--calibrate")
    (figures,) = outcome.content["figures"]
    assert (figures["tpr"]["n"], figures["fpr"]["n"], figures["not_judged"]) == (1, 1, 2)
    scores = {
        entry["name"]: entry["score"]
        for entry in outcome.content["judgements"]
        if entry["sample"].endswith("8")
    }
    assert figures["threshold"] == pytest.approx((scores["base"] + scores["landed"]) / 2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-d", "nobody"], "nobody is not one of paper"),
        (["-p", "everything"], "everything is not one of certain, gold, rewrites"),
        (["--only", "owner__name-77"], "no such sample"),
    ],
)
def test_what_is_not_known_is_refused(world: World, tmp_path: Path, arguments: list[str], words: str):
    code, text = call(world, tmp_path / "cache", *arguments)
    assert code != 0
    assert words in " ".join(text.replace("│", " ").split())


def test_a_data_set_without_samples_is_refused(world: World, tmp_path: Path):
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    code, text = call(replace(world, samples=empty), tmp_path / "cache")
    assert code == 2
    assert "hold no sample that can be read" in " ".join(text.replace("│", " ").split())
