from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tiny_facts import row

from engine.models.overrides import Override, read_overrides
from engine.models.registry import Model, Registry
from engine.models.resolve import UNKNOWN_TAG, resolve_submissions, write_resolved
from engine.problems import BenchCheckerError, InvalidInputError, Severity
from engine.store.build import build_database
from engine.store.connection import Reader
from engine.store.facts import fact_path, read_facts, write_facts

REGISTRY = Registry(
    Model(model=key, vendor="V", title=key, released=date(2024, 1, 1), aliases=aliases)
    for key, aliases in (("sonnet-20240620", ("sonnet",)), ("sonnet-20241022", ()), ("o1", ()), ("embed", ()))
)


def submission(key: str, title: str = "Agent") -> dict[str, Any]:
    return {"benchmark": "b", "submission": key, "title": title}


def tagged(key: str, tag: str, model: str | None = None, evidence: str = "tag") -> dict[str, Any]:
    return {"benchmark": "b", "submission": key, "tag": tag, "model": model, "evidence": evidence}


def override(kind: str, key: str, tag: str, model: str) -> Override:
    return Override(kind, "b", key, tag, model, "because")


def resolved(
    submissions: list[dict[str, Any]], tags: list[dict[str, Any]], *overrides: Override
) -> list[tuple[str, str | None, str]]:
    loaded = resolve_submissions(submissions, tags, REGISTRY, overrides)
    assert loaded.problems == ()
    return [(found["tag"], found["model"], found["evidence"]) for found in loaded.rows]


def test_tags_are_resolved_by_key_and_by_alias_and_else_kept() -> None:
    tags = [tagged("s", "o1"), tagged("s", "vendor/Sonnet"), tagged("s", "mystery")]
    assert resolved([submission("s", "Agent + o1")], tags) == [
        ("mystery", None, "tag without an entry in the registry"),
        ("o1", "o1", "tag"),
        ("vendor/Sonnet", "sonnet-20240620", "tag, an alias"),
    ]


def test_a_correction_keeps_the_tag_and_says_why() -> None:
    tags = [tagged("s", "sonnet-20241022")]
    correction = override("correction", "s", "sonnet-20241022", "sonnet-20240620")
    assert resolved([submission("s")], tags, correction) == [
        ("sonnet-20241022", "sonnet-20240620", "correction: because")
    ]


def test_an_addition_stands_beside_the_tags() -> None:
    addition = override("addition", "s", "finder", "embed")
    assert resolved([submission("s")], [tagged("s", "o1")], addition) == [
        ("o1", "o1", "tag"),
        ("finder", "embed", "addition: because"),
    ]


@pytest.mark.parametrize(
    ("key", "title", "rows"),
    [
        ("2024_tools_sonnet-20241022", "Tools", [("sonnet-20241022", "sonnet-20241022", "named in folder")]),
        ("2024_x", "Tools + O1", [("o1", "o1", "named in title")]),
        ("2024_o1", "Tools + o1", [("o1", "o1", "named in folder and title")]),
        (
            "2024_sonnet",
            "Sonnet 20240620",
            [("sonnet-20240620", "sonnet-20240620", "named in folder and title")],
        ),
    ],
)
def test_without_a_tag_folder_and_title_are_read(
    key: str, title: str, rows: list[tuple[str, str, str]]
) -> None:
    assert resolved([submission(key, title)], []) == rows


def test_names_are_not_read_where_something_better_is_known() -> None:
    both = [submission("2024_o1_a"), submission("2024_o1_b")]
    addition = override("addition", "2024_o1_b", "finder", "embed")
    rows = resolved(both, [tagged("2024_o1_a", "sonnet")], addition)
    assert [model for _, model, _ in rows] == ["sonnet-20240620", "embed"]


def test_a_submission_that_names_nothing_is_listed_as_unknown() -> None:
    ((tag, model, evidence),) = resolved([submission("2024_agent")], [])
    assert (tag, model) == (UNKNOWN_TAG, None)
    assert evidence.startswith("unknown: ")


def test_what_was_found_before_is_found_anew_and_tags_stay() -> None:
    before = [
        tagged("s", "sonnet", "o1", "correction: a reason of yesterday"),
        tagged("s", "finder", "embed", "addition: a reason of yesterday"),
        tagged("t", "o1", "o1", "named in folder"),
        tagged("u", UNKNOWN_TAG, None, "unknown: nothing names a model"),
        tagged("u", "o1"),
    ]
    assert resolved([submission("s"), submission("t"), submission("u")], before) == [
        ("sonnet", "sonnet-20240620", "tag, an alias"),
        (UNKNOWN_TAG, None, "unknown: no tag, and neither folder nor title names a registered model"),
        ("o1", "o1", "tag"),
    ]


def test_an_override_that_fits_nothing_is_not_passed_over() -> None:
    overrides = [
        override("correction", "s", "absent", "o1"),
        override("correction", "gone", "o1", "o1"),
        override("addition", "gone", "finder", "embed"),
        override("addition", "s", "o1", "o1"),
    ]
    loaded = resolve_submissions([submission("s")], [tagged("s", "o1")], REGISTRY, overrides)
    assert {(problem.subject, problem.severity) for problem in loaded.problems} == {
        ("s, absent", Severity.ERROR),
        ("s, o1", Severity.ERROR),
        ("gone, o1", Severity.WARNING),
        ("gone, finder", Severity.WARNING),
    }


OVERRIDES = """
[[correction]]
benchmark = "tiny"
submission = "sub-a"
tag = "old-1"
model = "new"
reason = "it was wrong"

[[addition]]
benchmark = "tiny"
submission = "sub-e"
tag = "Another"
model = "old"
reason = "its makers say so"
"""


def test_resolving_twice_changes_nothing(tiny_data: Path) -> None:
    (tiny_data / "submission_model_override.toml").write_text(OVERRIDES, encoding="utf-8")
    write_resolved(tiny_data)
    first = fact_path(tiny_data, "submission_model").read_bytes()
    write_resolved(tiny_data)
    assert fact_path(tiny_data, "submission_model").read_bytes() == first
    models = {
        (found["submission"], found["tag"]): found["model"]
        for found in read_facts(tiny_data, "submission_model")
    }
    assert models == {
        ("sub-a", "old-1"): "new",
        ("sub-b", "new-1"): "new",
        ("sub-c", "mystery"): None,
        ("sub-d", "old-1"): "old",
        ("sub-e", "old-1"): "old",
        ("sub-e", "new-1"): "new",
        ("sub-e", "Another"): "old",
    }


def test_taking_an_override_back_restores_the_tag(tiny_data: Path) -> None:
    write_resolved(tiny_data)
    without = fact_path(tiny_data, "submission_model").read_bytes()
    path = tiny_data / "submission_model_override.toml"
    path.write_text(OVERRIDES, encoding="utf-8")
    write_resolved(tiny_data)
    assert fact_path(tiny_data, "submission_model").read_bytes() != without
    path.unlink()
    write_resolved(tiny_data)
    assert fact_path(tiny_data, "submission_model").read_bytes() == without


def test_an_override_that_does_not_fit_changes_nothing(tiny_data: Path) -> None:
    before = fact_path(tiny_data, "submission_model").read_bytes()
    text = OVERRIDES.replace('tag = "old-1"', 'tag = "old-9"')
    (tiny_data / "submission_model_override.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInputError, match="sub-a, old-9: the submission has no such tag"):
        write_resolved(tiny_data)
    assert fact_path(tiny_data, "submission_model").read_bytes() == before


def test_submissions_are_needed(tiny_data: Path) -> None:
    write_facts(tiny_data, "submission", [])
    with pytest.raises(BenchCheckerError, match="import some first"):
        write_resolved(tiny_data)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        (OVERRIDES.replace('model = "new"', 'model = "newer"'), "no model has the key 'newer'", 2),
        (OVERRIDES.replace('reason = "its makers say so"', ""), "an entry has the keys", 9),
        (OVERRIDES.replace('reason = "its makers say so"', "reason = 7"), "an entry has the keys", 9),
        (OVERRIDES + OVERRIDES.split("[[addition]]")[0], "two entries are about the same tag", 16),
        (OVERRIDES + "[[corection]]\n", "is not known here", None),
    ],
)
def test_an_unusable_override_is_named(tmp_path: Path, text: str, message: str, line: int | None) -> None:
    (tmp_path / "submission_model_override.toml").write_text(text, encoding="utf-8")
    known = Registry(
        Model(model=key, vendor="V", title=key, released=date(2024, 1, 1)) for key in ("new", "old")
    )
    (problem,) = read_overrides(known, tmp_path).errors
    assert problem.message.startswith(message)
    assert problem.line == line


def test_overrides_that_are_no_toml_are_refused(tmp_path: Path) -> None:
    assert read_overrides(REGISTRY, tmp_path).rows == ()
    (tmp_path / "submission_model_override.toml").write_text("[[correction]\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="submission_model_override"):
        read_overrides(REGISTRY, tmp_path)


def test_the_cutoff_is_the_latest_of_the_models_that_write(tiny_data: Path, tmp_path: Path) -> None:
    text = (tiny_data / "model.toml").read_text(encoding="utf-8")
    critic = text.replace('title = "New"', 'title = "New"\nrole = "critic"')
    cutoffs = {}
    for name, registry in (("writes", text), ("ranks", critic)):
        (tiny_data / "model.toml").write_text(registry, encoding="utf-8")
        database = build_database(tiny_data, tmp_path / f"{name}.duckdb").database
        rows = Reader(database).snapshot().rows("SELECT * FROM submission_cutoff ORDER BY submission")
        cutoffs[name] = {found["submission"]: (found["cutoff"], found["basis"]) for found in rows}
        assert next(found["models"] for found in rows if found["submission"] == "sub-e") == ["new", "old"]
    old, new = date(2023, 12, 31), date(2025, 3, 31)
    assert cutoffs["writes"]["sub-e"] == (new, "estimated")
    assert cutoffs["ranks"]["sub-e"] == (old, "estimated")
    assert cutoffs["writes"]["sub-b"] == (new, "published")
    assert cutoffs["ranks"]["sub-b"] == (None, None)
    assert cutoffs["writes"]["sub-c"] == cutoffs["ranks"]["sub-c"] == (None, None)


def test_one_unknown_model_leaves_a_submission_without_a_cutoff(tiny_data: Path, tmp_path: Path) -> None:
    rows = read_facts(tiny_data, "submission_model")
    mystery = row("submission_model", benchmark="tiny", submission="sub-a", tag="mystery", evidence="tag")
    write_facts(tiny_data, "submission_model", [*rows, mystery])
    database = build_database(tiny_data, tmp_path / "u.duckdb").database
    query = "SELECT cutoff, basis, models FROM submission_cutoff WHERE submission = 'sub-a'"
    (found,) = Reader(database).snapshot().rows(query)
    assert (found["cutoff"], found["basis"], found["models"]) == (None, None, ["mystery", "old"])


def test_two_tags_of_one_model_count_once(tiny_data: Path, tmp_path: Path) -> None:
    rows = read_facts(tiny_data, "submission_model")
    again = row("submission_model", benchmark="tiny", submission="sub-a", tag="old-1-preview", evidence="tag")
    write_facts(tiny_data, "submission_model", [*rows, again])
    write_resolved(tiny_data)
    database = build_database(tiny_data, tmp_path / "t.duckdb").database
    (found,) = (
        Reader(database).snapshot().rows("SELECT models FROM submission_cutoff WHERE submission = 'sub-a'")
    )
    assert found["models"] == ["old"]
