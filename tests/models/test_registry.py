from __future__ import annotations

import calendar
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models.names import name_key
from engine.models.registry import (
    Model,
    Registry,
    estimated_cutoff,
    model_alias_rows,
    model_rows,
    read_models,
    read_registry,
)
from engine.problems import InvalidInputError

ENTRY = """
[[model]]
model = "one-2024-05-13"
vendor = "Vendor"
title = "One"
released = 2024-05-13
cutoff = 2023-10-31
basis = "published"
source = "Vendor, model page"
open_weights = true
aliases = ["one"]
"""


def registry(*models: tuple[str, tuple[str, ...]]) -> Registry:
    day = date(2024, 1, 1)
    return Registry(
        Model(model=key, vendor="V", title=key, released=day, aliases=names) for key, names in models
    )


def written(folder: Path, text: str) -> Path:
    (folder / "model.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("released", "cutoff"),
    [
        (date(2025, 7, 22), date(2025, 4, 22)),
        (date(2025, 7, 31), date(2025, 4, 30)),
        (date(2024, 5, 31), date(2024, 2, 29)),
        (date(2023, 5, 31), date(2023, 2, 28)),
        (date(2025, 1, 20), date(2024, 10, 20)),
        (date(2025, 3, 24), date(2024, 12, 24)),
    ],
)
def test_an_estimate_is_three_months_before_the_release(released: date, cutoff: date) -> None:
    assert estimated_cutoff(released) == cutoff


@given(st.dates(min_value=date(2000, 1, 1), max_value=date(2100, 1, 1)))
def test_an_estimate_keeps_the_day_unless_its_month_is_shorter(released: date) -> None:
    cutoff = estimated_cutoff(released)
    months = (released.year - cutoff.year) * 12 + released.month - cutoff.month
    last = calendar.monthrange(cutoff.year, cutoff.month)[1]
    assert months == 3
    assert cutoff.day == min(released.day, last)
    assert estimated_cutoff(released + timedelta(days=1)) >= cutoff


def test_an_entry_is_read_with_its_defaults(tmp_path: Path) -> None:
    loaded = read_models(written(tmp_path, ENTRY))
    assert loaded.problems == ()
    (model,) = loaded.rows
    assert (model.cutoff, model.basis, model.role, model.base) == (
        date(2023, 10, 31),
        "published",
        "generator",
        None,
    )
    assert model_alias_rows(tmp_path) == [{"alias": "one", "model": "one-2024-05-13"}]
    (row,) = model_rows(tmp_path)
    assert "aliases" not in row
    assert row["role"] == "generator"


@pytest.mark.parametrize(
    ("line", "changed", "message"),
    [
        ('title = "One"', "", "title is missing"),
        ('title = "One"', 'title = "One"\ncutof = 2023-10-31', "the key cutof is not known"),
        ("released = 2024-05-13", "released = 2023-05-13", "its cutoff is after its release"),
        ("released = 2024-05-13", 'released = "May 2024"', "released is 'May 2024'"),
        ("released = 2024-05-13", "released = 2024-05-13T10:00:00Z", "released is datetime"),
        ('basis = "published"', "", "cutoff and basis go together"),
        ('basis = "published"', 'basis = "guessed"', "basis is 'guessed'"),
        ('source = "Vendor, model page"', "", "a published cutoff needs a source"),
        ("open_weights = true", 'open_weights = "yes"', "open_weights is 'yes'"),
        ("open_weights = true", 'role = "judge"', "role is 'judge'"),
        ('aliases = ["one"]', 'aliases = "one"', "aliases is 'one'"),
        ('aliases = ["one"]', 'aliases = ["--"]', "'--' has no letter or digit"),
    ],
)
def test_an_unusable_entry_is_named_with_its_line_and_left_out(
    tmp_path: Path, line: str, changed: str, message: str
) -> None:
    text = "# comment\n" + ENTRY.replace(line, changed) + ENTRY.replace("one", "two")
    loaded = read_models(written(tmp_path, text))
    assert [model.model for model in loaded.rows] == ["two-2024-05-13"]
    (problem,) = loaded.errors
    assert problem.message.startswith(message)
    assert problem.line == 3
    assert problem.remedy
    with pytest.raises(InvalidInputError, match="error: one-2024-05-13"):
        read_registry(tmp_path)


def test_a_name_stands_for_one_model(tmp_path: Path) -> None:
    second = ENTRY.replace("one-2024-05-13", "two").replace('["one"]', '["three", "ONE"]')
    loaded = read_models(written(tmp_path, ENTRY + second))
    assert [model.model for model in loaded.rows] == ["one-2024-05-13"]
    assert [problem.message for problem in loaded.errors] == ["ONE already stands for one-2024-05-13"]


@pytest.mark.parametrize("text", ["model = 3", "[[model]\n", "model = [{ model = 'x' }]"])
def test_what_is_not_a_list_of_entries_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidInputError, match=r"model\.toml"):
        read_models(written(tmp_path, text))


def test_a_missing_registry_is_told_apart_from_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="no registry"):
        read_models(tmp_path)
    assert model_rows(tmp_path) == []
    assert read_models(written(tmp_path, "")).rows == ()


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("gpt-5-2025-08-07", "gpt-5-2025-08-07"),
        ("openai/GPT_5.2025-08-07", "gpt-5-2025-08-07"),
        ("https://example.org/Vendor/GPT-5/", "gpt-5-2025-08-07"),
        ("GPT 5", "gpt-5-2025-08-07"),
        ("gpt-5-mini", None),
        ("", None),
    ],
)
def test_a_name_is_found_whatever_its_case_and_punctuation(name: str, found: str | None) -> None:
    model = registry(("gpt-5-2025-08-07", ("gpt-5",))).find(name)
    assert (model and model.model) == found


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("20250516_cortexa_o3", ["o3"]),
        ("Agentless Lite + O3 Mini (20250214)", ["o3-mini"]),
        ("20250224_tools_claude-3-7-sonnet", ["claude-3-7-sonnet"]),
        ("Tools + Claude 3.7 Sonnet and o3, then o3 again", ["claude-3-7-sonnet", "o3", "o3"]),
        ("gpt5 with claude-3 and o31", []),
        ("o3-pro is not registered", []),
        ("served by some/claude-3-7-sonnet", ["claude-3-7-sonnet"]),
        ("", []),
    ],
)
def test_the_longest_name_in_a_text_counts(text: str, names: list[str]) -> None:
    known = registry(
        ("o3", ()), ("o3-mini", ()), ("claude-3-7-sonnet-20250219", ("claude-3.7-sonnet",)), ("sonnet", ())
    )
    assert [name for name, _ in known.named_in(text)] == names


@given(st.text())
def test_a_name_compares_equal_to_its_key(name: str) -> None:
    assert name_key(name_key(name)) == name_key(name)
    assert name_key(name.replace(" ", "_"), whole=True) == name_key(name, whole=True)


@given(st.lists(st.sampled_from(["o3", "mini", "gpt", "5", "x"]), max_size=8))
def test_every_name_found_in_a_text_stands_there(words: list[str]) -> None:
    known = registry(("o3", ()), ("o3-mini", ()), ("gpt-5", ()))
    for name, model in known.named_in("_".join(words)):
        assert f"-{name}-" in f"-{'-'.join(words)}-"
        assert known.find(name) is model
