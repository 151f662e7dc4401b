"""Joins what one source says of a submission with what is known of it.

What is known stays; a source fills what is empty, and makes an outcome more exact (`unresolved` becomes
`empty_patch`). Where it contradicts what is known, that is said. So importing twice changes nothing, and the
order of imports does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
        entry, notes, doubts = self._outcomes(known, found.results, place)
        problems += doubts
        outcomes, more_notes, doubts = _with_patches(entry.outcomes, found.patches, place)
        problems += doubts
        takes_results = entry is not known and found.results is not None
        row = {
            "benchmark": self.benchmark.benchmark,
            "submission": found.submission,
            **said,
            "framework": self._framework(known, found, said["title"]),
            "source": found.source
            if known is None or (self.replace and takes_results)
            else known.row["source"],
            **self._judgement(known, said["reported_rate"], outcomes, found, [*notes, *more_notes]),
        }
        return Entry(row, outcomes, entry.outside), problems

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
        self, known: Entry | None, results: Results | None, place: Place
    ) -> tuple[Entry, tuple[str, ...], list[Problem]]:
        """Return outcomes and outside ids, the notes to add, and the problems."""
        if results is None:
            assert known is not None
            return known, (), []
        # An entry without outcomes is what an interrupted import leaves behind.
        if known is None or not known.outcomes or self.replace:
            return Entry({}, results.outcomes, frozenset(results.outside)), results.notes, []
        old = {sample for sample, outcome in known.outcomes.items() if outcome == "resolved"}
        if old != results.resolved:
            message = f"has other outcomes here for {len(old ^ results.resolved)} samples; kept"
            return known, (), [place.problem(message, _KEPT)]
        exact = {
            sample: max(outcome, results.outcomes.get(sample, "unresolved"), key=_exactness)
            for sample, outcome in known.outcomes.items()
        }
        return Entry({}, exact, known.outside | set(results.outside)), results.notes, []

    def _judgement(
        self,
        known: Entry | None,
        rate: float | None,
        outcomes: Mapping[str, str],
        found: Submission,
        notes: list[str],
    ) -> dict[str, Any]:
        """Return the columns that say how far the outcomes can be believed."""
        resolved = sum(outcome == "resolved" for outcome in outcomes.values())
        agreed = agreement(resolved, self.benchmark.size, rate)
        total = found.results.total if found.results else None
        earlier: list[str] = []
        if known is not None and not self.replace:
            total = known.row["reported_total"] or total
            earlier = (known.row["quality"] or "").split(_NOTE_SEPARATOR)
        if agreed.note is not None:
            notes.append(agreed.note)
        every = dict.fromkeys(filter(None, [*earlier, *found.notes, *notes]))
        usable = agreed.usable and (known is None or self.replace or known.row["use_results"])
        return {
            "reported_total": agreed.total or total,
            "quality": _NOTE_SEPARATOR.join(every) or None,
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


def _with_patches(
    outcomes: Mapping[str, str], patches: Mapping[str, bool] | None, place: Place
) -> tuple[Mapping[str, str], list[str], list[Problem]]:
    """Make outcomes more exact by what was submitted; return also the notes to add and the problems."""
    if patches is None:
        return outcomes, [], []
    resolved = {sample for sample, outcome in outcomes.items() if outcome == "resolved"}
    empty = {sample for sample, holds in patches.items() if not holds}
    absent = outcomes.keys() - patches.keys()
    notes, problems = [], []
    if broken := sorted(resolved & empty):
        notes.append(f"reported as resolved with an empty patch, counted as unresolved: {len(broken)}")
        message = f"reports as resolved, with an empty patch: {', '.join(broken[:5])}"
        problems.append(place.problem(message, "check the report; they count as unresolved"))
    if lost := sorted(resolved & absent):
        message = f"{len(lost)} resolved samples have no prediction, such as {lost[0]}"
        problems.append(place.problem(message, "give the predictions of the same run"))
        absent = set()
    exact = dict(outcomes)
    for sample in outcomes:
        if sample in empty:
            exact[sample] = "empty_patch"
        elif sample in absent:
            exact[sample] = max(outcomes[sample], "not_submitted", key=_exactness)
    return exact, notes, problems
