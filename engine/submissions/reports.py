"""Reads the JSON files in which harnesses report what was resolved.

- `results.json` of the SWE-bench experiments: `resolved`, `no_generation`, `no_logs`, older ones with
  `no_apply` and the like; a sample that was never resolved may appear nowhere;
- the harness reports of SWE-bench (`schema_version` 2) and Multi-SWE-bench (`final_report.json`): counts and
  `*_ids` lists; Multi-SWE-bench's experiments mix both spellings;
- `per_instance_details.json` of the bash-only experiments: `{id: {"resolved": true, …}, …}`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.benchmarks.ids import parse_sample_id
from engine.problems import Problem, Severity
from engine.reading import clean_name, explain_validation
from engine.submissions.outcomes import Place, Report

_REPORT_KEYS = frozenset({"resolved", "resolved_ids", "no_generation", "submitted_ids"})
_KNOWN_SCHEMA = 2

Ids = list[str]
Count = Annotated[int, Field(ge=0, le=1_000_000)]


class _ReportFile(BaseModel):
    model_config = ConfigDict(strict=True)

    resolved: Ids | None = None
    resolved_ids: Ids | None = None
    unresolved: Ids = []
    unresolved_ids: Ids = []
    empty_patch_ids: Ids = []
    no_generation: Ids = []
    no_logs: Ids = []
    error_ids: Ids = []
    install_fail: Ids = []
    reset_failed: Ids = []
    no_apply: Ids = []
    test_errored: Ids = []
    test_timeout: Ids = []
    incomplete_ids: Ids = []
    not_submitted_ids: Ids = []
    submitted_ids: Ids | None = None
    total_instances: Count | None = None
    submitted_instances: Count | None = None
    submitted: Count | None = None
    resolved_instances: Count | None = None
    schema_version: int | None = None
    source: str | None = None


def is_report(value: Any) -> bool:
    """Whether a JSON value looks like a report of resolved samples."""
    return isinstance(value, dict) and (bool(_REPORT_KEYS & value.keys()) or is_details(value))


def is_details(value: Any) -> bool:
    """Whether a JSON value maps ids to objects that say `resolved`."""
    return (
        isinstance(value, dict)
        and bool(value)
        and all(isinstance(detail, dict) and "resolved" in detail for detail in value.values())
    )


def parse_report(value: Any, place: Place) -> tuple[Report | None, str | None, list[Problem]]:
    """Return the report in a JSON value, the source that it names, and the problems."""
    if is_details(value) and not _REPORT_KEYS & value.keys():
        report, problems = parse_details(value, place)
        return report if is_usable(report, problems) else None, None, problems
    try:
        file = _ReportFile.model_validate(value)
    except ValidationError as error:
        return None, None, [place.problem(explain_validation(error), "correct the report")]
    if file.resolved is None and file.resolved_ids is None:
        message = "has no list of resolved samples: neither `resolved` nor `resolved_ids`"
        remedy = "give the whole report; an empty list says that none was resolved"
        return None, None, [place.problem(message, remedy)]
    problems = []
    if file.schema_version not in (None, _KNOWN_SCHEMA):
        problems.append(
            place.problem(
                f"schema_version {file.schema_version} is not the one known ({_KNOWN_SCHEMA})",
                "check the figures against the report",
                Severity.WARNING,
            )
        )
    problems += _listed_twice(file, place)
    # A remark in brackets at the end is not part of the place.
    source = None if file.source is None else re.sub(r"\s*\([^()]*\)\s*$", "", file.source)
    return _report(file), source, problems


def _listed_twice(file: _ReportFile, place: Place) -> list[Problem]:
    """Return a warning for each list that has an id more than once; it counts once."""
    problems = []
    for name in _ReportFile.model_fields:
        ids = getattr(file, name)
        repeated = Counter(ids) - Counter(set(ids)) if isinstance(ids, list) else Counter[str]()
        if repeated:
            first = clean_name(next(iter(repeated)), 80)
            message = f"{name} has {len(repeated)} ids twice or more, such as {first!r}; each counts once"
            problems.append(place.problem(message, "remove the others", Severity.WARNING))
    return problems


def parse_details(value: Mapping[str, Any], place: Place) -> tuple[Report, list[Problem]]:
    """Return the report in a mapping from id to an object that says `resolved`, and the problems."""
    return report_from_flags(
        {
            sample: detail.get("resolved") if isinstance(detail, dict) else None
            for sample, detail in value.items()
        },
        place,
    )


def is_usable(report: Report, problems: Collection[Problem]) -> bool:
    """Whether a flag could be read: if none could, the report does not say that nothing was resolved."""
    return not problems or any(report.listed.values())


def report_from_flags(flags: Mapping[str, Any], place: Place) -> tuple[Report, list[Problem]]:
    """Return the report in a mapping from id to whether it was resolved (1 or 0, true or false).

    An id without a value was not run. Any other value is an error, and its sample counts as not submitted.
    """
    listed: dict[str, list[str]] = {"resolved": [], "unresolved": []}
    problems = []
    for sample, flag in flags.items():
        if flag is None:
            continue
        if flag not in (0, 1) or isinstance(flag, str):
            problems.append(
                place.problem(f"{sample}: {str(flag)[:40]!r} is neither 0 nor 1", "correct the value")
            )
            continue
        listed["resolved" if flag else "unresolved"].append(sample)
    ran = [*listed["resolved"], *listed["unresolved"]]
    return Report(listed, submitted=ran, total=len(ran)), problems


def _report(file: _ReportFile) -> Report:
    submitted = None if file.submitted_ids is None else set(map(_canonical, file.submitted_ids))
    # The SWE-bench harness calls a sample without a prediction incomplete, the one of Multi-SWE-bench also a
    # prediction that gave no report.
    broken = [text for text in file.incomplete_ids if submitted and _canonical(text) in submitted]
    absent = [text for text in file.incomplete_ids if text not in set(broken)]
    return Report(
        listed={
            "resolved": [*(file.resolved or ()), *(file.resolved_ids or ())],
            "unresolved": [*file.unresolved, *file.unresolved_ids],
            "empty_patch": file.empty_patch_ids,
            "no_generation": file.no_generation,
            "no_logs": file.no_logs,
            "error": [
                *file.error_ids,
                *file.install_fail,
                *file.reset_failed,
                *file.no_apply,
                *file.test_errored,
                *file.test_timeout,
                *broken,
            ],
            "not_submitted": [*file.not_submitted_ids, *absent],
        },
        submitted=file.submitted_ids,
        total=file.total_instances,
        submitted_count=file.submitted_instances if file.submitted is None else file.submitted,
        resolved_count=file.resolved_instances,
    )


def _canonical(text: str) -> str:
    found = parse_sample_id(text)
    return text if found is None else found.canonical
