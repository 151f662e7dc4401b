"""Reads predictions files, which say what was submitted but not what was resolved."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from engine.benchmarks.ids import parse_sample_id
from engine.problems import Problem, Severity
from engine.reading import Record, clean_name
from engine.submissions.outcomes import Place

_PATCH_KEYS = ("model_patch", "fix_patch")


def is_prediction(value: Any) -> bool:
    """Whether a JSON value is one prediction of SWE-bench or Multi-SWE-bench."""
    return (
        isinstance(value, dict)
        and ("instance_id" in value or {"org", "repo", "number"} <= value.keys())
        and any(key in value for key in _PATCH_KEYS)
    )


def unfold_predictions(value: Any) -> list[Record]:
    """Return the predictions in a JSON value: one, or a mapping from id to prediction."""
    if isinstance(value, dict) and not is_prediction(value):
        return [
            Record({"instance_id": key, **(entry if isinstance(entry, dict) else {"model_patch": entry})})
            for key, entry in value.items()
        ]
    return [Record(value)]


def is_prediction_mapping(value: Any) -> bool:
    """Whether a JSON value maps ids to predictions or patches."""
    return (
        isinstance(value, dict)
        and bool(value)
        and all(parse_sample_id(key) is not None for key in value)
        and all(
            entry is None
            or isinstance(entry, str)
            or (isinstance(entry, dict) and any(key in entry for key in _PATCH_KEYS))
            for entry in value.values()
        )
    )


def read_predictions(
    records: Iterable[Record], samples: Collection[str], place: Place
) -> tuple[dict[str, bool], list[Problem]]:
    """Return for each sample with a prediction whether its patch holds anything, and the problems.

    A patch that is null, empty or blank holds nothing. Of two predictions for one sample the later counts, as
    in the harness.
    """
    patches: dict[str, bool] = {}
    problems, outside = [], set()
    for record in records:
        at = Place(place.file, place.submission, record.line)
        if not is_prediction(record.value):
            problems.append(at.problem("not a prediction: no id, or no patch", "correct the record"))
            continue
        text = _id(record.value)
        found = parse_sample_id(text)
        if found is None or found.canonical not in samples:
            outside.add(clean_name(text))
            continue
        if found.canonical in patches:
            message = f"{found.canonical} has a second prediction, which counts"
            problems.append(at.problem(message, "remove one", Severity.WARNING))
        patch = next((record.value[key] for key in _PATCH_KEYS if key in record.value), None)
        if patch is not None and not isinstance(patch, str):
            problems.append(at.problem(f"{found.canonical}: the patch is not text", "correct the record"))
            continue
        patches[found.canonical] = bool(patch and patch.strip())
    if outside:
        message = f"predictions outside the benchmark, not counted: {len(outside)}"
        problems.append(place.problem(message, "nothing, or check --benchmark", Severity.WARNING))
    return patches, problems


def _id(value: dict[str, Any]) -> str:
    if "instance_id" in value:
        return str(value["instance_id"])
    return f"{value['org']}/{value['repo']}:pr-{value['number']}"
