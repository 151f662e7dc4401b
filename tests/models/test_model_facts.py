"""The registry and the resolved submissions that the project ships hold together."""

from __future__ import annotations

import pytest

from engine.models.check import check_registry, check_submissions
from engine.models.registry import Registry, read_models, read_registry
from engine.models.resolve import UNKNOWN_TAG, resolved_facts
from engine.paper.rows import read_rows
from engine.paths import DATA_DIR
from engine.store.facts import read_facts


@pytest.fixture(scope="module")
def registry() -> Registry:
    return read_registry(DATA_DIR)


def test_every_entry_can_be_used_and_none_contradicts_another(registry: Registry) -> None:
    assert read_models(DATA_DIR).problems == ()
    assert check_registry(registry) == []


def test_a_published_cutoff_names_a_public_document(registry: Registry) -> None:
    published = [model for model in registry.models.values() if model.basis == "published"]
    assert published
    assert [model.model for model in published if "https://" not in (model.source or "")] == []
    assert [
        model.model for model in registry.models.values() if model.basis != "published" and model.source
    ] == []


def test_the_models_of_the_submissions_fit_the_registry(registry: Registry) -> None:
    resolved = resolved_facts(DATA_DIR)
    submissions = read_facts(DATA_DIR, "submission")
    also_used = {row.registry_model for row in read_rows(DATA_DIR)}
    also_used |= {row["model"] for row in read_facts(DATA_DIR, "hit_rate")}
    assert resolved.problems == ()
    assert check_submissions(registry, submissions, resolved.rows, also_used) == []


def test_the_stored_models_are_those_that_follow_from_tags_and_overrides() -> None:
    stored = {tuple(row.values()) for row in read_facts(DATA_DIR, "submission_model")}
    assert stored == {tuple(row.values()) for row in resolved_facts(DATA_DIR).rows}


def test_every_submission_has_models_or_says_why_not() -> None:
    rows = read_facts(DATA_DIR, "submission_model")
    assert {(row["benchmark"], row["submission"]) for row in rows} == {
        (row["benchmark"], row["submission"]) for row in read_facts(DATA_DIR, "submission")
    }
    assert all(row["evidence"].startswith("unknown: ") for row in rows if row["tag"] == UNKNOWN_TAG)
    assert all(row["model"] for row in rows if row["tag"] != UNKNOWN_TAG)


def test_the_submissions_behind_the_paper_have_a_cutoff(registry: Registry) -> None:
    rows = read_facts(DATA_DIR, "submission_model")
    behind = {row.submission for row in read_rows(DATA_DIR) if row.submission}
    cutoffs = {
        submission: [registry.models[row["model"]].cutoff for row in rows if row["submission"] == submission]
        for submission in behind
    }
    assert len(behind) > 20
    assert all(found and all(found) for found in cutoffs.values())


def test_published_presence_is_that_of_the_papers_closed_models(registry: Registry) -> None:
    rows = [row for row in read_facts(DATA_DIR, "repository_presence") if row["basis"] == "published"]
    in_paper = {row.registry_model for row in read_rows(DATA_DIR)}
    assert {row["model"] for row in rows} == {
        model for model in in_paper if registry.models[model].open_weights is False
    }
    assert {row["verdict"] for row in rows} == {"present"}
