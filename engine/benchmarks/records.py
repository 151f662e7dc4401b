"""Turns one record of a public data set into a `Sample`.

Three shapes are known: SWE-bench (`instance_id`, `repo`, `patch`, …), Multi-SWE-bench (`org`, `repo`,
`number`, `fix_patch`, …; upstream with `base.sha` or flattened with `base_sha`), and an index of ids that
only gives each sample's repository and date.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, time
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from engine.benchmarks.catalogue import Benchmark
from engine.benchmarks.ids import SampleId, parse_sample_id
from engine.benchmarks.sample import Sample, Scalar
from engine.reading import explain_validation


class RecordError(ValueError):
    """The record cannot be used; the message says why."""


def _tests(value: Any) -> Any:
    """Accept a list, a JSON list in a string (the Hugging Face copies), or Multi-SWE-bench's mapping."""
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        value = json.loads(value)
    return tuple(value) if isinstance(value, list | dict) else value


def _utc(value: Any) -> Any:
    """Read ISO 8601 text, dates and instants; one without a zone is UTC, as GitHub's are."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    elif isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time())
    if not isinstance(value, datetime):
        raise ValueError("expected an ISO 8601 date")
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _text(value: Any) -> Any:
    """Refuse text that has no UTF-8 form (lone surrogates): it could be neither hashed nor stored."""
    if isinstance(value, str):
        value.encode("utf-8")
    return value


Tests = Annotated[tuple[str, ...], BeforeValidator(_tests)]
Instant = Annotated[datetime | None, BeforeValidator(_utc)]
Text = Annotated[str | None, BeforeValidator(_text)]
Commit = Annotated[str | None, Field(pattern=r"^[0-9a-fA-F]{7,64}$")]


class _Record(BaseModel):
    # What a shape does not name is kept, for `Sample.extra`.
    model_config = ConfigDict(extra="allow", strict=True)

    problem_statement: Text = None
    test_patch: Text = None
    landed_commit: Commit = None
    landed_date: Instant = None


class _SweBench(_Record):
    instance_id: str
    repo: str | None = None
    base_commit: Commit = None
    patch: Text = None
    created_at: Instant = None
    difficulty: str | None = None
    FAIL_TO_PASS: Tests = ()
    PASS_TO_PASS: Tests = ()


class _Base(BaseModel):
    sha: Commit = None


class _Issue(BaseModel):
    title: Text = None
    body: Text = None


class _MultiSweBench(_Record):
    org: str
    repo: str
    number: int
    instance_id: str | None = None
    base: _Base | None = None
    base_sha: Commit = None
    fix_patch: Text = None
    resolved_issues: list[_Issue] | None = None
    # The data set gives no opening date; the date of the pull request's last commit is the nearest to it.
    pr_head_date: Instant = None
    created_at: Instant = None
    difficulty: str | None = None
    # The reading of the two annotators' levels that gives the paper's 27, 65 and 36.
    difficulty_paperfit: str | None = None
    f2p_tests: Tests = ()
    p2p_tests: Tests = ()
    gold_patch_fails_issue57: bool | None = None
    duplicate_group_issue84: str | None = None


class _IndexEntry(_Record):
    instance_id: str
    repository: str
    time: Instant = None


def sample_from_record(record: Any, benchmark: Benchmark) -> tuple[Sample, list[str]]:
    """Return the sample that `record` describes, and what is doubtful about it.

    Raises:
        RecordError: If the record has none of the known shapes or contradicts itself.
    """
    if not isinstance(record, Mapping):
        raise RecordError("expected an object with fields")
    try:
        if "org" in record:
            sample, label = _from_multi_swe_bench(_MultiSweBench.model_validate(record))
        elif "repository" in record:
            sample, label = _from_index(_IndexEntry.model_validate(record)), None
        else:
            sample, label = _from_swe_bench(_SweBench.model_validate(record))
    except ValidationError as error:
        raise RecordError(explain_validation(error)) from error
    return _with_difficulty(sample, label, benchmark)


def _from_swe_bench(record: _SweBench) -> tuple[Sample, str | None]:
    sample_id = _identify(record.instance_id, record.repo)
    sample = Sample(
        sample=sample_id.canonical,
        repository=sample_id.repository,
        number=sample_id.number,
        base_commit=record.base_commit,
        created_at=record.created_at,
        patch=record.patch,
        test_patch=record.test_patch,
        problem_statement=record.problem_statement,
        fail_to_pass=record.FAIL_TO_PASS,
        pass_to_pass=record.PASS_TO_PASS,
        landed_commit=record.landed_commit,
        landed_at=record.landed_date,
        extra=_plain_extra(record),
    )
    return sample, record.difficulty


def _from_multi_swe_bench(record: _MultiSweBench) -> tuple[Sample, str | None]:
    repository = f"{record.org}/{record.repo}"
    sample_id = _identify(f"{repository}:pr-{record.number}", repository)
    if record.instance_id is not None and parse_sample_id(record.instance_id) != sample_id:
        raise RecordError(
            f"instance_id is {record.instance_id!r} but org, repo and number say {sample_id.canonical!r}"
        )
    issues = ["\n".join(filter(None, (issue.title, issue.body))) for issue in record.resolved_issues or ()]
    sample = Sample(
        sample=sample_id.canonical,
        repository=sample_id.repository,
        number=sample_id.number,
        base_commit=record.base_sha or (record.base.sha if record.base else None),
        created_at=record.created_at or record.pr_head_date,
        patch=record.fix_patch,
        test_patch=record.test_patch,
        problem_statement=record.problem_statement or "\n\n".join(issues) or None,
        fail_to_pass=record.f2p_tests,
        pass_to_pass=record.p2p_tests,
        landed_commit=record.landed_commit,
        landed_at=record.landed_date,
        duplicate_group=record.duplicate_group_issue84,
        gold_fails_own_tests=record.gold_patch_fails_issue57,
        extra=_plain_extra(record),
    )
    return sample, record.difficulty_paperfit or record.difficulty


def _from_index(record: _IndexEntry) -> Sample:
    sample_id = _identify(record.instance_id, record.repository)
    return Sample(
        sample=sample_id.canonical,
        repository=sample_id.repository,
        number=sample_id.number,
        created_at=record.time,
        extra=_plain_extra(record),
    )


def _identify(text: str, repository: str | None) -> SampleId:
    found = parse_sample_id(text)
    if found is None:
        raise RecordError("not a sample's id: expected owner__name-N or owner/name:pr-N")
    if repository is not None and repository.lower() != found.repository:
        raise RecordError(f"the record names repository {repository!r} but its id says {found.repository!r}")
    return found


def _with_difficulty(sample: Sample, label: str | None, benchmark: Benchmark) -> tuple[Sample, list[str]]:
    if label is None:
        return sample, []
    key = benchmark.difficulty_key(label)
    if key is None:
        return sample, [f"difficulty {label!r} is not a level of {benchmark.benchmark}; left empty"]
    return replace(sample, difficulty=key), []


def _plain_extra(record: _Record) -> dict[str, Scalar]:
    """Keep plain values only: upstream records carry megabytes of test logs."""
    return {
        key: value
        for key, value in (record.model_extra or {}).items()
        if value is None or isinstance(value, str | int | float | bool)
    }
