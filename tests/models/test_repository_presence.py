from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from tiny_facts import row

from engine.models.presence import published_presence, write_published_presence
from engine.models.registry import Model, Registry
from engine.paper.rows import PaperRow
from engine.problems import BenchCheckerError
from engine.store.facts import read_facts, write_facts

CLOSED = Model(model="closed", vendor="V", title="C", released=date(2024, 1, 1), open_weights=False)
OPEN = replace(CLOSED, model="open", open_weights=True)
ELSEWHERE = replace(CLOSED, model="elsewhere")
PAPER = PaperRow(6, "A closed", "b", "s", "Closed", "closed", 10, None, None, "")


def pairs(*rows: PaperRow) -> list[tuple[str, str]]:
    memberships = [{"benchmark": "b", "sample": "o__r-1"}, {"benchmark": "c", "sample": "o__q-1"}]
    samples = [{"sample": "o__r-1", "repository": "o/r"}, {"sample": "o__q-1", "repository": "o/q"}]
    registry = Registry([CLOSED, OPEN, ELSEWHERE])
    found = published_presence(rows, registry, memberships, samples)
    assert all((row["basis"], row["verdict"]) == ("published", "present") for row in found)
    return [(row["model"], row["repository"]) for row in found]


def test_only_closed_models_of_the_paper_and_repositories_of_its_benchmarks() -> None:
    assert pairs(PAPER, replace(PAPER, row="A open", registry_model="open")) == [("closed", "o/r")]
    assert pairs(PAPER, replace(PAPER, row="B", benchmark="c")) == [("closed", "o/q"), ("closed", "o/r")]


def test_a_row_of_an_unregistered_model_is_refused() -> None:
    with pytest.raises(BenchCheckerError, match="mystery"):
        pairs(replace(PAPER, registry_model="mystery"))


@pytest.fixture
def paper_data(tiny_data: Path) -> Path:
    folder = tiny_data / "paper"
    folder.mkdir()
    (folder / "row.csv").write_text("table,row,benchmark,submission\n6,A old,tiny,sub-a\n", encoding="utf-8")
    header = "table,row,model,registry_model,clean_total,implied_from,implied_to,note"
    (folder / "model_cutoff.csv").write_text(f"{header}\n6,A old,Old,old,3,,,\n", encoding="utf-8")
    return tiny_data


def test_probed_evidence_stays(paper_data: Path) -> None:
    probed = row(
        "repository_presence",
        model="old",
        repository="a/one",
        basis="probed",
        verdict="not shown",
        queries=50,
        hits=2,
        p_value=0.4,
    )
    write_facts(paper_data, "repository_presence", [probed])
    written = write_published_presence(paper_data)
    assert [(found["model"], found["repository"]) for found in written] == [("old", "b/two")]
    assert [
        (found["repository"], found["basis"]) for found in read_facts(paper_data, "repository_presence")
    ] == [
        ("a/one", "probed"),
        ("b/two", "published"),
    ]


def test_writing_twice_changes_nothing_and_what_no_longer_follows_goes(paper_data: Path) -> None:
    write_published_presence(paper_data)
    path = paper_data / "repository_presence.csv"
    first = path.read_bytes()
    write_published_presence(paper_data)
    assert path.read_bytes() == first
    text = (paper_data / "model.toml").read_text(encoding="utf-8")
    (paper_data / "model.toml").write_text(text.replace("open_weights = false", "open_weights = true"))
    assert write_published_presence(paper_data) == []
    assert read_facts(paper_data, "repository_presence") == []


def test_samples_are_needed(paper_data: Path) -> None:
    (paper_data / "sample.csv").unlink()
    with pytest.raises(BenchCheckerError, match="import some first"):
        write_published_presence(paper_data)
