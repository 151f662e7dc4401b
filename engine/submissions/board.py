"""Reads the leaderboard site's own data: `{"leaderboards": [{"name": …, "results": […]}, …]}`."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.benchmarks.catalogue import Benchmark, Board
from engine.problems import Problem, Severity
from engine.reading import clean_name, explain_validation, is_plain_name
from engine.submissions.metadata import model_tags, optional_name, parse_day, parse_flag
from engine.submissions.outcomes import Place, settle
from engine.submissions.reports import is_usable, parse_details
from engine.submissions.submission import Submission, fill

_MODEL_TAG = "Model:"


class _Entry(BaseModel):
    model_config = ConfigDict(strict=True)

    name: str
    folder: str
    date: Any = None
    resolved: float | None = Field(default=None, ge=0, le=100)
    os_model: Any = None
    os_system: Any = None
    checked: Any = None
    warning: Any = None
    tags: list[str] = []
    per_instance_details: dict[str, Any] | None = None


def is_board(value: Any) -> bool:
    """Whether a JSON value is the leaderboard site's data."""
    return isinstance(value, dict) and isinstance(value.get("leaderboards"), list)


def read_board(
    value: Any, benchmark: Benchmark, samples: Collection[str], file: str, source: str
) -> tuple[list[Submission], list[Problem]]:
    """Return the submissions on the boards of `benchmark`, and the problems.

    A submission that is on several boards is read from the first in the catalogue's order; the others add
    what that one leaves out.
    """
    tables = {table["name"]: table for table in value["leaderboards"] if _is_table(table)}
    found: dict[str, Submission] = {}
    problems = [] if len(tables) == len(value["leaderboards"]) else [_broken_table(file)]
    for board in benchmark.boards:
        for entry in tables.get(board.name, {}).get("results", ()):
            submission, doubts = _read_entry(entry, board, samples, file, source)
            if submission is None or submission.submission not in found:
                problems += doubts
            if submission is not None:
                known = found.get(submission.submission)
                found[submission.submission] = submission if known is None else fill(known, submission)
    others = sorted(tables.keys() - {board.name for board in benchmark.boards})
    if others:
        message = f"boards of other benchmarks were not read: {', '.join(map(clean_name, others))}"
        problems.append(Problem(file, None, "", message, "nothing", Severity.WARNING))
    if not found:
        message = f"no board of {benchmark.benchmark} has an entry"
        problems.append(Problem(file, None, "", message, "check --benchmark, and `boards` in benchmark.toml"))
    return list(found.values()), problems


def _read_entry(
    value: Any, board: Board, samples: Collection[str], file: str, source: str
) -> tuple[Submission | None, list[Problem]]:
    name = value.get("folder") if isinstance(value, dict) else None
    place = Place(file, clean_name(name or f"an entry of board {board.name}"))
    try:
        entry = _Entry.model_validate(value)
    except ValidationError as error:
        return None, [place.problem(explain_validation(error), "correct the entry")]
    if not is_plain_name(entry.folder):
        return None, [place.problem("folder cannot be a folder's name", "correct the name")]
    day, problems = parse_day(entry.date, place)
    flags = {}
    for flag in ("checked", "os_model", "os_system"):
        flags[flag], doubts = parse_flag(getattr(entry, flag), flag, place)
        problems += doubts
    results = None
    if entry.per_instance_details:
        report, doubts = parse_details(entry.per_instance_details, place)
        problems += doubts
        if is_usable(report, doubts):
            results, more = settle(report, samples, place)
            problems += more
    tags = [tag.removeprefix(_MODEL_TAG) for tag in entry.tags if tag.startswith(_MODEL_TAG)]
    submission = Submission(
        submission=entry.folder,
        source=source,
        title=optional_name(entry.name),
        framework=board.framework,
        submitted_on=day,
        open_weights=flags["os_model"],
        open_system=flags["os_system"],
        checked=flags["checked"],
        # Through its decimal digits, so that 64.93 becomes 0.6493 and not a neighbour of it.
        reported_rate=None if entry.resolved is None else float(Decimal(str(entry.resolved)) / 100),
        model_tags=model_tags(tags),
        notes=(f"the leaderboard warns: {clean_name(entry.warning, 200)}",) if entry.warning else (),
        results=results,
    )
    return submission, problems


def _is_table(table: Any) -> bool:
    return (
        isinstance(table, dict)
        and isinstance(table.get("name"), str)
        and isinstance(table.get("results"), list)
    )


def _broken_table(file: str) -> Problem:
    return Problem(file, None, "", "a board without `name` and `results` was left out", "correct the file")
