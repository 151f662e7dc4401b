from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from engine.models.check import check_registry, check_submissions
from engine.models.registry import Model, Registry
from engine.problems import Severity

BASE = Model(
    model="base",
    vendor="V",
    title="Base",
    released=date(2024, 6, 30),
    cutoff=date(2024, 3, 30),
    basis="estimated",
)
TUNED = replace(
    BASE,
    model="tuned-20241022",
    released=date(2024, 10, 22),
    cutoff=date(2024, 7, 22),
    base="base",
    aliases=("tuned",),
)


def submission(key: str, day: date | None = date(2025, 1, 1), title: str = "Agent") -> dict[str, Any]:
    return {"benchmark": "b", "submission": key, "title": title, "submitted_on": day}


def used(key: str, tag: str, model: str | None) -> dict[str, Any]:
    return {"benchmark": "b", "submission": key, "tag": tag, "model": model, "evidence": "tag"}


def messages(*models: Model) -> list[str]:
    return [problem.message for problem in check_registry(Registry(models))]


def test_a_registry_without_contradictions_has_no_problems() -> None:
    published = replace(BASE, model="p", cutoff=date(2023, 1, 1), basis="published", source="page")
    unknown = replace(BASE, model="u", cutoff=None, basis=None)
    assert messages(BASE, TUNED, published, unknown) == []


def test_an_estimate_must_follow_the_rule() -> None:
    (problem,) = check_registry(Registry([replace(BASE, cutoff=date(2024, 3, 31))]))
    assert problem.message == "the estimate 2024-03-31 is not three months before 2024-06-30"
    assert problem.remedy.startswith("write 2024-03-30")
    assert problem.severity is Severity.ERROR


def test_a_cutoff_is_not_before_that_of_its_base() -> None:
    early = replace(TUNED, cutoff=date(2024, 3, 29), basis="published", source="page")
    assert messages(BASE, early) == ["its cutoff 2024-03-29 is before 2024-03-30, that of its base base"]
    assert messages(BASE, replace(early, cutoff=BASE.cutoff)) == []


def test_a_base_is_registered() -> None:
    assert messages(TUNED) == ["its base 'base' has no entry"]


def found(
    submissions: list[dict[str, Any]], rows: list[dict[str, Any]], also_used: tuple[str, ...] = ("base",)
) -> list[tuple[str, str, Severity]]:
    problems = check_submissions(Registry([BASE, TUNED]), submissions, rows, also_used)
    return [(problem.subject, problem.message, problem.severity) for problem in problems]


def test_submissions_that_fit_have_no_problems() -> None:
    assert found([submission("s")], [used("s", "tuned", "tuned-20241022")]) == []


def test_a_tag_without_an_entry_is_named_once_with_its_submissions() -> None:
    keys = ["a", "b", "c", "d", "e"]
    rows = [used(key, "mystery", None) for key in keys] + [used("a", "tuned", "tuned-20241022")]
    ((subject, message, severity),) = found([submission(key) for key in keys], rows)
    assert (subject, severity) == ("mystery", Severity.ERROR)
    assert "a, b, c and 2 more" in message


def test_a_submission_known_to_be_unknown_is_no_problem() -> None:
    rows = [used("s", "unknown model", None), used("t", "tuned", "tuned-20241022")]
    assert found([submission("s"), submission("t")], rows) == []


@pytest.mark.parametrize(("day", "problems"), [(date(2024, 10, 21), 1), (date(2024, 10, 22), 0), (None, 0)])
def test_a_model_is_not_released_after_the_submission(day: date | None, problems: int) -> None:
    result = found([submission("s", day)], [used("s", "tuned", "tuned-20241022")])
    assert len(result) == problems
    for subject, message, severity in result:
        assert (subject, severity) == ("s", Severity.ERROR)
        assert message == "tuned stands for tuned-20241022, released 2024-10-22, after 2024-10-21"


@pytest.mark.parametrize(
    ("key", "title", "warned"),
    [
        ("2025_agent", "Agent", False),
        ("2025_tuned", "Agent + Base", False),
        ("2025_tuned-20241022", "Agent", False),
        ("2025_other", "Agent + Other 1", True),
        ("2025_other-1", "Agent + tuned", True),
    ],
)
def test_folder_and_title_are_compared_with_the_tags(key: str, title: str, warned: bool) -> None:
    other = replace(BASE, model="other-1", released=date(2024, 1, 1), cutoff=date(2023, 10, 1))
    rows = [used(key, "tuned", "tuned-20241022")]
    problems = check_submissions(
        Registry([BASE, TUNED, other]), [submission(key, title=title)], rows, ("base", "other-1")
    )
    assert [problem.severity for problem in problems] == [Severity.WARNING] * warned
    assert all("other-1 (other-1)" in problem.message for problem in problems)


def test_a_name_without_its_date_fits_every_date() -> None:
    dated = replace(BASE, model="tuned-20240620", released=date(2024, 6, 20), cutoff=date(2024, 3, 20))
    rows = [used("s_tuned", "tuned-20240620", "tuned-20240620")]
    problems = check_submissions(Registry([BASE, TUNED, dated]), [submission("s_tuned")], rows, ("base",))
    assert [problem.message for problem in problems] == []


def test_what_nothing_uses_is_reported() -> None:
    assert found([submission("s")], [used("s", "base", "base")], ()) == [
        ("tuned-20241022", "no submission uses it", Severity.WARNING),
        ("tuned-20241022", "no submission has the alias 'tuned'", Severity.WARNING),
    ]


def test_a_tag_that_is_corrected_still_uses_its_entry() -> None:
    problems = found([submission("s")], [used("s", "tuned", "base")], ())
    assert problems == []


def test_an_alias_in_a_folder_or_title_is_used() -> None:
    rows = [used("s", "tuned-20241022", "tuned-20241022")]
    assert found([submission("s", title="Agent + Tuned")], rows) == []
    assert [message for _, message, _ in found([submission("s")], rows)] == [
        "no submission has the alias 'tuned'"
    ]
