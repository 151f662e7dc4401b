"""From the ids that a report lists to one outcome for every sample of the benchmark."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from engine.benchmarks.ids import parse_sample_id
from engine.problems import Problem, Severity
from engine.reading import clean_name
from engine.submissions.submission import Results

# The more a report says of an unresolved sample, the later it stands: the last one is kept.
UNRESOLVED_OUTCOMES = ("not_submitted", "unresolved", "no_logs", "error", "no_generation", "empty_patch")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a report stands, for its problems.

    Attributes:
        file: Its file.
        submission: The submission it belongs to.
        line: 1-based line, where the format has lines.
    """

    file: str
    submission: str
    line: int | None = None

    def problem(self, message: str, remedy: str, severity: Severity = Severity.ERROR) -> Problem:
        """Return a problem at this place."""
        return Problem(self.file, self.line, self.submission, message, remedy, severity)


@dataclass(frozen=True, slots=True)
class Report:
    """The ids that a report lists, as spelt there.

    Attributes:
        listed: Ids by outcome.
        submitted: Ids that were submitted, where the report lists them.
        total: How many samples the report counts.
        submitted_count: How many samples it says were submitted.
        resolved_count: How many samples it says were resolved.
    """

    listed: Mapping[str, Collection[str]]
    submitted: Collection[str] | None = None
    total: int | None = None
    submitted_count: int | None = None
    resolved_count: int | None = None


@dataclass(slots=True)
class _Ids:
    """Ids sorted into samples of the benchmark and others."""

    inside: set[str] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)


def settle(report: Report, samples: Collection[str], place: Place) -> tuple[Results, list[Problem]]:
    """Give every sample of the benchmark one outcome.

    A sample that the report does not name counts as unresolved, or as not submitted where the report says
    what was submitted. One that is reported as resolved and as unresolved is an error and is not counted as
    resolved. Ids outside the benchmark are listed, never counted.

    Args:
        report: What was read.
        samples: Canonical ids of the benchmark.
        place: Where it was read, for the problems.
    """
    listed = {outcome: _sort(ids, samples) for outcome, ids in report.listed.items()}
    submitted = None if report.submitted is None else _sort(report.submitted, samples)
    outcomes: dict[str, str] = {}
    for outcome in (*UNRESOLVED_OUTCOMES, "resolved"):
        outcomes |= dict.fromkeys(listed.get(outcome, _Ids()).inside, outcome)
    not_submitted, unclear = _not_submitted(report, outcomes, submitted, samples)
    outcomes |= dict.fromkeys(not_submitted, "not_submitted")
    conflicts = _conflicts(listed)
    outcomes |= dict.fromkeys(conflicts, "error")
    problems = [
        place.problem(f"{sample} is reported both resolved and unresolved", "correct the report")
        for sample in conflicts
    ]
    doubts = [*unclear, *_outside_doubts(listed, submitted), *_count_doubts(report, listed, samples)]
    problems += [place.problem(doubt, "nothing, or check the report", Severity.WARNING) for doubt in doubts]
    if conflicts:
        doubts.append(f"reported both resolved and unresolved, counted as unresolved: {len(conflicts)}")
    complete = {sample: outcomes.get(sample, "unresolved") for sample in sorted(samples)}
    outside = tuple(sorted(listed.get("resolved", _Ids()).outside))
    return Results(complete, outside, report.total, tuple(doubts)), problems


def _sort(ids: Iterable[str], samples: Collection[str]) -> _Ids:
    found = _Ids()
    for text in ids:
        sample_id = parse_sample_id(text)
        if sample_id is not None and sample_id.canonical in samples:
            found.inside.add(sample_id.canonical)
        else:
            found.outside.add(clean_name(text))
    return found


def _conflicts(ids: Mapping[str, _Ids]) -> list[str]:
    unresolved = set().union(*(ids[outcome].inside for outcome in UNRESOLVED_OUTCOMES if outcome in ids))
    return sorted(unresolved & ids.get("resolved", _Ids()).inside)


def _not_submitted(
    report: Report, known: Mapping[str, str], submitted: _Ids | None, samples: Collection[str]
) -> tuple[set[str], list[str]]:
    """Return the unnamed samples that were surely not submitted, and what stays unclear about that."""
    unnamed = set(samples) - known.keys()
    if submitted is not None:
        return unnamed - submitted.inside, []
    count = report.submitted_count
    absent = sum(outcome == "not_submitted" for outcome in known.values())
    if count is None or count >= len(samples) - absent:
        return set(), []
    if count == len(known) - absent:
        return unnamed, []
    return set(), [f"{count} of {len(samples)} samples submitted, which ones is not said"]


def _outside_doubts(listed: Mapping[str, _Ids], submitted: _Ids | None) -> list[str]:
    resolved = listed.get("resolved", _Ids()).outside
    others = set().union(*(ids.outside for ids in (*listed.values(), submitted or _Ids()))) - resolved
    found = []
    if resolved:
        found.append(f"reported as resolved outside the benchmark, not counted: {len(resolved)}")
    if others:
        found.append(f"other ids outside the benchmark, not counted: {len(others)}")
    return found


def _count_doubts(report: Report, listed: Mapping[str, _Ids], samples: Collection[str]) -> list[str]:
    found = []
    total, submitted = report.total, report.submitted_count
    if total is not None and total != len(samples):
        found.append(f"counts {total} samples, the benchmark has {len(samples)}")
    if submitted is not None and submitted > (total or len(samples)):
        found.append(f"says {submitted} submitted of {total or len(samples)}")
    resolved = listed.get("resolved", _Ids())
    count = len(resolved.inside) + len(resolved.outside)
    if report.resolved_count is not None and report.resolved_count != count:
        found.append(f"says {report.resolved_count} resolved but lists {count}")
    return found
