"""Joins what one source says of a submission with what is known of it.

What is known stays; a source fills what is empty, and makes an outcome more exact (`unresolved` becomes
`empty_patch`). Where it contradicts what is known, that is said. So importing twice changes nothing, and the
order of imports does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.benchmarks.catalogue import Benchmark
from engine.problems import Problem, Severity
from engine.reading import clean_name
from engine.submissions.framework import Frameworks
from engine.submissions.outcomes import UNRESOLVED_OUTCOMES, Place
from engine.submissions.quality import agreement
from engine.submissions.submission import Results, Submission, day_from_name, title_from_name

_SAID = ("title", "submitted_on", "open_weights", "open_system", "checked", "reported_rate")
_NOTE_SEPARATOR = "; "
_KEPT = "compare both, and use --replace to take the file's"


@dataclass(frozen=True, slots=True)
class Entry:
    """A submission as the fact files have it.

    Attributes:
        row: Its row of the table `submission`.
        outcomes: Its outcome for every sample.
        outside: Ids it reported as resolved that are no samples of the benchmark.
    """

    row: Mapping[str, Any]
    outcomes: Mapping[str, str]
    outside: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Joiner:
    """Joins submissions of one benchmark.

    Attributes:
        benchmark: The benchmark.
        frameworks: How frameworks are told from titles.
        file: What is being read, for the problems.
        replace: Believe the source where it contradicts what is known.
    """

    benchmark: Benchmark
    frameworks: Frameworks
    file: str
    replace: bool = False

    def join(self, known: Entry | None, found: Submission) -> tuple[Entry | None, list[Problem]]:
        """Return the submission after reading `found`, or None if it still has no outcomes."""
        place = Place(self.file, found.submission)
        if found.results is None and known is None:
            return None, [_nothing_resolved(found, place)]
        said, problems = self._said(known, found, place)
        taken, doubts = self._outcomes(known, found, place)
        row = {
            "benchmark": self.benchmark.benchmark,
            "submission": found.submission,
            **said,
            "framework": self._framework(known, found, said["title"]),
            "source": found.source
            if known is None or (self.replace and found.results)
            else known.row["source"],
            **self._judgement(known, said["reported_rate"], taken, found.notes),
        }
        return Entry(row, taken.outcomes, frozenset(taken.outside)), [*problems, *doubts]

    def _said(
        self, known: Entry | None, found: Submission, place: Place
    ) -> tuple[dict[str, Any], list[Problem]]:
        """Return the columns that sources state, each from the source that is believed."""
        derived = {
            "title": title_from_name(found.submission),
            "submitted_on": day_from_name(found.submission),
        }
        said: dict[str, Any] = {}
        problems = []
        for column in _SAID:
            old = known.row[column] if known is not None else None
            new = getattr(found, column)
            if column in derived and old == derived[column]:
                old = None
            if old is not None and new is not None and old != new and not self.replace:
                message = (
                    f"{column} is {clean_name(old, 60)!r} here, the file says {clean_name(new, 60)!r}; kept"
                )
                problems.append(place.problem(message, _KEPT, Severity.WARNING))
            first, second = (new, old) if self.replace else (old, new)
            value = second if first is None else first
            said[column] = derived.get(column) if value is None else value
        return said, problems

    def _framework(self, known: Entry | None, found: Submission, title: str) -> str | None:
        if found.framework is not None:
            return self.frameworks.of(found.framework)
        if known is not None and not self.replace:
            framework: str | None = known.row["framework"]
            # Not what its title says, so some source named it apart from the title.
            if framework != self.frameworks.of(known.row["title"]):
                return framework
        return self.frameworks.of(title)

    def _outcomes(
        self, known: Entry | None, found: Submission, place: Place
    ) -> tuple[Results, list[Problem]]:
        """Return the outcomes that are believed, with the notes to add, and the problems."""
        kept = Results({}) if known is None else Results(known.outcomes, tuple(known.outside))
        if found.results is None:
            return with_patches(kept, found.patches, place)
        # The patches are those of the same run: they are held against its own report first.
        read, problems = with_patches(found.results, found.patches, place)
        # Without outcomes is what an interrupted import leaves behind.
        if not kept.outcomes or self.replace:
            return read, problems
        if kept.resolved != read.resolved:
            message = f"has other outcomes here for {len(kept.resolved ^ read.resolved)} samples; kept"
            return kept, [*problems, place.problem(message, _KEPT)]
        exact = {
            sample: max(outcome, read.outcomes.get(sample, "unresolved"), key=_exactness)
            for sample, outcome in kept.outcomes.items()
        }
        outside = tuple({*kept.outside, *read.outside})
        return replace(read, outcomes=exact, outside=outside), problems

    def _judgement(
        self, known: Entry | None, rate: float | None, taken: Results, said: tuple[str, ...]
    ) -> dict[str, Any]:
        """Return the columns that say how far the outcomes can be believed."""
        agreed = agreement(len(taken.resolved), self.benchmark.size, rate)
        total, usable, earlier = taken.total, agreed.usable, ""
        if known is not None and not self.replace:
            total = known.row["reported_total"] or total
            usable = usable and known.row["use_results"]
            earlier = known.row["quality"] or ""
        notes = [*earlier.split(_NOTE_SEPARATOR), *said, *taken.notes, agreed.note]
        return {
            "reported_total": agreed.total or total,
            "quality": _NOTE_SEPARATOR.join(dict.fromkeys(filter(None, notes))) or None,
            "use_results": usable,
        }


def _exactness(outcome: str) -> int:
    """Rank outcomes by how much they say; `unresolved` says least."""
    if outcome == "resolved":
        return len(UNRESOLVED_OUTCOMES) + 1
    return 0 if outcome == "unresolved" else 1 + UNRESOLVED_OUTCOMES.index(outcome)


def _nothing_resolved(found: Submission, place: Place) -> Problem:
    what = "a rate" if found.patches is None else "what was submitted"
    message = f"the file gives {what} but not what was resolved, and nothing else is known: not listed"
    return place.problem(message, "import its report first", Severity.WARNING)


def with_patches(
    results: Results, patches: Mapping[str, bool] | None, place: Place
) -> tuple[Results, list[Problem]]:
    """Make outcomes more exact by what was submitted."""
    if patches is None:
        return results, []
    empty = {sample for sample, holds in patches.items() if not holds}
    absent = results.outcomes.keys() - patches.keys()
    notes, problems = list(results.notes), []
    if broken := sorted(results.resolved & empty):
        notes.append(f"reported as resolved with an empty patch, counted as unresolved: {len(broken)}")
        message = f"reports as resolved, with an empty patch: {', '.join(broken[:5])}"
        problems.append(place.problem(message, "check the report; they count as unresolved"))
    if lost := sorted(results.resolved & absent):
        message = f"{len(lost)} resolved samples have no prediction, such as {lost[0]}"
        problems.append(place.problem(message, "give the predictions of the same run"))
        absent = set()
    exact = dict(results.outcomes)
    for sample, outcome in results.outcomes.items():
        if sample in empty:
            exact[sample] = "empty_patch"
        elif sample in absent:
            exact[sample] = max(outcome, "not_submitted", key=_exactness)
    return replace(results, outcomes=exact, notes=tuple(notes)), problems
