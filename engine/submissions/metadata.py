"""Reads the `metadata.yaml` of an experiments folder, in its shapes of 2024 to 2026."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from engine.problems import Problem, Severity
from engine.reading import clean_name
from engine.submissions.outcomes import Place
from engine.submissions.submission import Submission


def apply_metadata(submission: Submission, value: Any, place: Place) -> tuple[Submission, list[Problem]]:
    """Return the submission with what its metadata says.

    The first shape is flat (`name`, `oss`, `verified`); later ones have `info` and `tags`, where `tags.model`
    is one name or a list of names and `tags.agent` the framework.
    """
    if not isinstance(value, Mapping):
        return submission, [place.problem("expected `info` and `tags`", "correct the file", Severity.WARNING)]
    info, tags = _mapping(value.get("info")), _mapping(value.get("tags"))
    checked, problems = parse_flag(tags.get("checked", value.get("verified")), "checked", place)
    open_weights, more = parse_flag(tags.get("os_model"), "os_model", place)
    open_system, most = parse_flag(tags.get("os_system", value.get("oss")), "os_system", place)
    return replace(
        submission,
        title=optional_name(info.get("name") or value.get("name")),
        framework=optional_name(tags.get("agent")),
        model_tags=model_tags(tags.get("model") or value.get("model")),
        checked=checked,
        open_weights=open_weights,
        open_system=open_system,
    ), [*problems, *more, *most]


def parse_flag(value: Any, name: str, place: Place) -> tuple[bool | None, list[Problem]]:
    """Read a boolean that people also write as text, such as "false (see README.md …)".

    Returns:
        The value, None where nothing is said, and a warning where it is not understood.
    """
    if value is None or isinstance(value, bool):
        return value, []
    word = value.strip().casefold() if isinstance(value, str) else ""
    for text, flag in (("true", True), ("false", False)):
        if word == text or word.startswith(f"{text} "):
            return flag, []
    message = f"{name} is {optional_name(value) or 'something'!r}, neither true nor false; left empty"
    return None, [place.problem(message, "correct the value", Severity.WARNING)]


def parse_day(value: Any, place: Place) -> tuple[date | None, list[Problem]]:
    """Read a day as YYYY-MM-DD; None where nothing is said, with a warning where it is not understood."""
    if isinstance(value, datetime):
        return value.date(), []
    if value is None or isinstance(value, date):
        return value, []
    try:
        return date.fromisoformat(value), []
    except (TypeError, ValueError):
        message = f"the date {optional_name(value) or 'something'!r} is not YYYY-MM-DD; left empty"
        return None, [place.problem(message, "correct the date", Severity.WARNING)]


def optional_name(value: Any) -> str | None:
    """Return a name on one line, or None if it is missing, empty or no plain value.

    A YAML list can refer to itself or hold more than memory when written out, so it is never made a string.
    """
    return (clean_name(value) or None) if isinstance(value, str | int | float) else None


def model_tags(value: Any) -> tuple[str, ...]:
    """Return the models that a tag names, each once, as spelt."""
    names: Iterable[Any] = value if isinstance(value, list | tuple) else [value]
    return tuple(dict.fromkeys(filter(None, map(optional_name, names))))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
