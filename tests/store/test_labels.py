from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_facts import HEAD, LANDED, SAMPLES, row

from engine.problems import BenchCheckerError
from engine.store.build import build_database
from engine.store.connection import Reader, Snapshot
from engine.store.facts import read_facts, write_facts
from engine.store.labels import Exposure, label_matrix
from engine.store.schema import LABELS

OLD, NEW = date(2023, 12, 31), date(2025, 3, 31)


def labels_at(reader: Reader | Snapshot, cutoff: date, **options: Any) -> dict[str, str]:
    database = reader.snapshot() if isinstance(reader, Reader) else reader
    named = "".join(f", {name} := ${name}" for name in options)
    rows = database.rows(
        f"SELECT sample, label FROM label_at('paper', $cutoff{named}) ORDER BY sample",
        {"cutoff": cutoff, **options},
    )
    return {found["sample"]: found["label"] for found in rows}


def test_labels_at_an_old_and_a_new_cutoff(tiny_reader: Reader) -> None:
    assert labels_at(tiny_reader, OLD) == {
        "a__one-1": "contaminated",
        "a__one-2": "contaminated",
        "a__one-3": "clean",  # landed later
        "b__two-1": "unknown",  # could not be judged
        "b__two-2": "clean",  # 0.65 is below 0.7
        "b__two-3": "unknown",  # never judged
    }
    assert labels_at(tiny_reader, NEW) | {"a__one-2": "", "a__one-3": ""} == labels_at(tiny_reader, OLD) | {
        "a__one-2": "",
        "a__one-3": "",
    }
    assert labels_at(tiny_reader, NEW)["a__one-2"] == "clean"  # replaced in 2024
    assert labels_at(tiny_reader, NEW)["a__one-3"] == "contaminated"


def test_a_threshold_moves_without_recomputing(tiny_reader: Reader) -> None:
    assert labels_at(tiny_reader, NEW, minimum_score=0.6)["b__two-2"] == "contaminated"
    assert labels_at(tiny_reader, NEW, minimum_score=0.65)["b__two-2"] == "contaminated"
    assert labels_at(tiny_reader, NEW, minimum_score=0.951)["a__one-3"] == "clean"


@pytest.mark.parametrize(
    ("day", "label"),
    [
        (LANDED["a__one-2"] - timedelta(days=1), "clean"),
        (LANDED["a__one-2"], "contaminated"),
        (date(2024, 5, 31), "contaminated"),
        (date(2024, 6, 1), "clean"),
        (HEAD, "clean"),
        (HEAD + timedelta(days=1), "unknown"),
    ],
)
def test_days_are_inclusive_at_every_border(tiny_reader: Reader, day: date, label: str) -> None:
    assert labels_at(tiny_reader, day)["a__one-2"] == label


def test_reasons_say_why_nothing_is_known(tiny_reader: Reader) -> None:
    def reason(sample: str, cutoff: date) -> dict[str, Any]:
        sql = "SELECT label, score, method, reason, commit FROM label_at('paper', ?) WHERE sample = ?"
        return tiny_reader.snapshot().rows(sql, [cutoff, sample])[0]

    early = reason("a__one-3", OLD)
    assert early["label"] == "clean"
    assert early["score"] == 0
    assert early["reason"] == "the fix landed on 2024-02-01, after the cutoff"
    late = reason("a__one-1", HEAD + timedelta(days=1))
    assert late["label"] == "unknown"
    assert late["score"] is None
    assert late["commit"] is None
    assert late["reason"] == f"judged only up to {HEAD}"
    assert reason("b__two-3", NEW)["method"] == "not run"


def evidence(model: str, repository: str, basis: str, verdict: str) -> dict[str, Any]:
    return row(
        "repository_presence",
        model=model,
        repository=repository,
        basis=basis,
        verdict=verdict,
        hits=1,
        queries=10,
        p0=0.08,
        p_value=0.5,
    )


@pytest.fixture
def stage_one(tiny_data: Path, tmp_path: Path) -> Snapshot:
    write_facts(
        tiny_data,
        "repository_presence",
        [
            evidence("old", "a/one", "probed", "not shown"),
            evidence("old", "b/two", "probed", "too few queries"),
            evidence("new", "a/one", "published", "present"),
        ],
    )
    return Reader(build_database(tiny_data, tmp_path / "b.duckdb").database).snapshot()


def test_contaminated_needs_both_stages(stage_one: Snapshot) -> None:
    assert labels_at(stage_one, OLD, model_keys=["old"]) == {
        "a__one-1": "clean",
        "a__one-2": "clean",
        "a__one-3": "clean",
        "b__two-1": "unknown",
        "b__two-2": "clean",  # the fix is not there, whatever the model saw
        "b__two-3": "unknown",
    }
    assert labels_at(stage_one, OLD, model_keys=["old"], minimum_score=0.6)["b__two-2"] == "unknown"


def test_not_shown_makes_even_an_unjudged_sample_clean(stage_one: Snapshot) -> None:
    late = HEAD + timedelta(days=100)
    assert labels_at(stage_one, late, model_keys=["old"])["a__one-1"] == "clean"
    assert labels_at(stage_one, late, model_keys=["old"])["b__two-2"] == "unknown"


@pytest.mark.parametrize(
    ("models", "verdicts"),
    [
        ([], {"a/one": ("present", "assumed"), "b/two": ("present", "assumed")}),
        (["stranger"], {"a/one": ("present", "assumed"), "b/two": ("present", "assumed")}),
        (["old"], {"a/one": ("not shown", "probed"), "b/two": ("too few queries", "probed")}),
        (["new"], {"a/one": ("present", "published"), "b/two": ("present", "assumed")}),
        (["old", "new"], {"a/one": ("present", "published"), "b/two": ("present", "assumed")}),
        (["new", "stranger"], {"a/one": ("present", "published"), "b/two": ("present", "assumed")}),
    ],
)
def test_a_repository_that_any_model_saw_was_seen(
    stage_one: Snapshot, models: list[str], verdicts: dict[str, tuple[str, str]]
) -> None:
    rows = stage_one.rows(
        "SELECT repository, verdict, basis FROM repository_presence_of_each(CAST([?] AS VARCHAR[][]))",
        [models],
    )
    assert {found["repository"]: (found["verdict"], found["basis"]) for found in rows} == verdicts


def test_the_matrix_is_the_macro_for_each_exposure(stage_one: Snapshot) -> None:
    exposures = [
        Exposure(cutoff, models)
        for cutoff in (OLD, NEW, OLD, date(2010, 1, 1), date(2030, 1, 1))
        for models in ((), ("old",), ("old", "new"))
    ]
    matrix = label_matrix(stage_one, "paper", 0.6, exposures)
    assert matrix.samples == SAMPLES
    assert matrix.codes.shape == (len(exposures), len(SAMPLES))
    for codes, exposure in zip(matrix.codes, exposures, strict=True):
        options = {"minimum_score": 0.6, "model_keys": list(exposure.models)}
        expected = labels_at(stage_one, exposure.cutoff, **options)
        assert [LABELS[code] for code in codes] == [expected[sample] for sample in SAMPLES]


@pytest.fixture
def historic(tiny_data: Path, tmp_path: Path) -> Snapshot:
    """A model trained on commit histories, of which one repository was not among them."""
    registry = tiny_data / "model.toml"
    entry = '[[model]]\nmodel = "historic"\nvendor = "V"\ntitle = "H"\nreleased = 2025-06-30\n'
    text = registry.read_text(encoding="utf-8")
    registry.write_text(f"{text}\n{entry}commit_history = true\n", encoding="utf-8")
    facts = [evidence("historic", "b/two", "probed", "not shown")]
    write_facts(tiny_data, "repository_presence", facts)
    return Reader(build_database(tiny_data, tmp_path / "b.duckdb").database).snapshot()


def test_a_fix_seen_in_the_history_stays_seen(historic: Snapshot) -> None:
    assert labels_at(historic, NEW)["a__one-2"] == "clean"  # replaced in 2024
    labels = labels_at(historic, NEW, model_keys=["historic"])
    assert [labels[f"a__one-{n}"] for n in (1, 2, 3)] == ["contaminated"] * 3
    assert labels["b__two-2"] == "clean", "a repository that was not seen has no history that was"
    assert labels_at(historic, NEW, model_keys=["historic", "old"])["a__one-2"] == "contaminated"
    before = LANDED["a__one-2"] - timedelta(days=1)
    assert labels_at(historic, before, model_keys=["historic"])["a__one-2"] == "clean"
    late = HEAD + timedelta(days=100)
    assert labels_at(historic, late, model_keys=["historic"])["a__one-2"] == "contaminated"


def test_the_matrix_keeps_models_with_histories_and_the_reason_says_so(historic: Snapshot) -> None:
    matrix = label_matrix(
        historic, "paper", None, [Exposure(NEW, ("old", "historic")), Exposure(NEW, ("old",))]
    )
    column = matrix.samples.index("a__one-2")
    assert [LABELS[code] for code in matrix.codes[:, column]] == ["contaminated", "clean"]
    rows = historic.rows(
        "SELECT reason FROM label_at('paper', $day, model_keys := ['historic']) WHERE sample = 'a__one-2'",
        {"day": NEW},
    )
    assert str(rows[0]["reason"]).startswith("seen in the commit history, where it landed on 20")


def test_a_matrix_of_nothing_is_empty(tiny_reader: Reader) -> None:
    assert label_matrix(tiny_reader.snapshot(), "paper", None, []).codes.shape == (0, 6)
    assert label_matrix(tiny_reader.snapshot(), "paper", None, [], benchmark="none").codes.shape == (0, 0)


def test_no_threshold_means_the_detectors_own(tiny_reader: Reader) -> None:
    database, exposures = tiny_reader.snapshot(), [Exposure(NEW)]
    own = label_matrix(database, "paper", None, exposures).codes
    np.testing.assert_array_equal(own, label_matrix(database, "paper", 0.7, exposures).codes)


def test_a_strange_detector_lists_those_there_are(tiny_reader: Reader) -> None:
    with pytest.raises(BenchCheckerError, match="paper, traced"):
        label_matrix(tiny_reader.snapshot(), "x' OR 1=1", None, [])


def expected_label(intervals: list[dict[str, Any]], sample: str, cutoff: date, threshold: float) -> str:
    """The rule in plain words, independent of the SQL; presence of the repository assumed."""
    for interval in intervals:
        if interval["sample"] == sample and interval["valid_from"] <= cutoff <= interval["valid_to"]:
            if interval["state"] == "unknown":
                return "unknown"
            return "contaminated" if interval["score"] >= threshold else "clean"
    return "clean" if cutoff < LANDED[sample] else "unknown"


@given(
    cutoffs=st.lists(st.dates(date(2017, 1, 1), date(2027, 1, 1)), min_size=1, max_size=12),
    threshold=st.floats(0, 1),
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_cutoffs_and_threshold_follow_the_rule(
    tiny_reader: Reader, cutoffs: list[date], threshold: float
) -> None:
    exposures = [Exposure(day) for day in cutoffs]
    matrix = label_matrix(tiny_reader.snapshot(), "paper", threshold, exposures)
    intervals = read_facts(tiny_reader.database.parent / "data", "presence")
    for codes, cutoff in zip(matrix.codes, cutoffs, strict=True):
        expected = [expected_label(intervals, sample, cutoff, threshold) for sample in SAMPLES]
        assert [LABELS[code] for code in codes] == expected
