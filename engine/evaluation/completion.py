"""Does presence raise a completion benchmark's rate? Next lines, in RepoBench's format (paper, Section 7)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.probing.asking import Outcome
from engine.probing.queries import PatternKind, Query
from engine.probing.targets.prompts import continuation
from engine.probing.targets.protocol import AnswerState, Decoding
from engine.problems import Loaded, Problem
from engine.reading import iter_records
from engine.statistics.proportions import Proportion

LINE = Decoding(temperature=0.0, candidates=1, max_tokens=32)
"""Greedy, as completion benchmarks are run."""
_SHORTEST_LINE = 12
"""Characters of a line that is asked for; `else:` is right by chance."""
_BEFORE = 8
"""Lines before the one that is asked for, at least."""
_FIELDS = ("repo_name", "cropped_code", "next_line")


@dataclass(frozen=True, slots=True)
class LineSample:
    """One sample, with RepoBench's names: what precedes a line of a repository, and the line."""

    repo_name: str
    cropped_code: str
    next_line: str

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> LineSample:
        """Read a row of the benchmark; its imports go before the code, as its own prompt has them.

        Raises:
            ValueError: If the row lacks one of the fields, or a text has no UTF-8 form.
        """
        lacking = [name for name in _FIELDS if not isinstance(row.get(name), str) or not row[name].strip()]
        if lacking:
            raise ValueError(f"no text in {', '.join(lacking)}")
        imports = str(row.get("import_statement") or "")
        code = f"{imports}\n{row['cropped_code']}" if imports else str(row["cropped_code"])
        # Raises for a lone surrogate, which could be neither hashed nor asked.
        f"{code}{row['repo_name']}{row['next_line']}".encode()
        return cls(row["repo_name"].strip().lower(), code, row["next_line"])

    @property
    def query(self) -> Query:
        """The sample as what a model is asked, so that answers are kept and resumed like a probe's."""
        prefix = self.cropped_code if self.cropped_code.endswith("\n") else f"{self.cropped_code}\n"
        return Query(self.repo_name, PatternKind.TEXT, "next line", prefix, self.next_line, 1, 1, 1)


def read_line_samples(path: Path) -> Loaded[LineSample]:
    """Read a benchmark in RepoBench's format, JSON lines or Parquet; a broken row becomes a `Problem`."""
    rows: list[LineSample] = []
    problems: list[Problem] = []
    remedy = f"expected {', '.join(_FIELDS)}, as RepoBench has them"
    for record in iter_records(path):
        if isinstance(record, Problem):
            problems.append(record)
            continue
        try:
            rows.append(LineSample.of(record.value))
        except (ValueError, AttributeError) as error:
            problems.append(Problem(str(path), record.line, "", f"no sample: {error}", remedy))
    if not rows and not problems:
        problems.append(Problem(str(path), None, "", "holds no sample", remedy))
    return Loaded(tuple(rows), tuple(problems))


def line_samples(repository: str, texts: Mapping[str, str], most: int) -> list[LineSample]:
    """Return samples of a repository's files, at lines drawn by chance."""
    found = [
        LineSample(repository, "\n".join(lines[:number]) + "\n", lines[number])
        for _, text in sorted(texts.items())
        for lines in [text.splitlines()]
        for number in range(_BEFORE, len(lines))
        if len(lines[number].strip()) >= _SHORTEST_LINE
    ]
    return random.Random(repository).sample(found, min(most, len(found)))


def matches(outcome: Outcome, *, chats: bool) -> bool | None:
    """Return whether a model wrote the line, blanks at both ends aside; None where it did not answer."""
    if outcome.answer.state is not AnswerState.ANSWERED:
        return None
    prompt = outcome.query.prompt
    texts = (continuation(prompt, text) if chats else text for text in outcome.answer.texts)
    return any(_first_line(text) == outcome.query.target.strip() for text in texts)


def matches_by_repository(outcomes: Iterable[Outcome], *, chats: bool) -> dict[str, Proportion]:
    """Return the exact matches among the answered samples of each repository."""
    found: dict[str, list[bool]] = defaultdict(list)
    for outcome in outcomes:
        exact = matches(outcome, chats=chats)
        if exact is not None:
            found[outcome.query.repository].append(exact)
    return {name: Proportion(sum(rows), len(rows)) for name, rows in found.items()}


def pooled(shares: Mapping[str, Proportion], group_of: Mapping[str, str]) -> dict[str, Proportion]:
    """Return the matches of each group of repositories; those without a group are `unknown`."""
    found: dict[str, list[Proportion]] = defaultdict(list)
    for name, share in shares.items():
        found[group_of.get(name, "unknown")].append(share)
    return {group: _sum(rows) for group, rows in found.items()}


def _sum(rows: Sequence[Proportion]) -> Proportion:
    return Proportion(sum(row.k for row in rows), sum(row.n for row in rows))


def _first_line(text: str) -> str:
    return text.strip("\n").split("\n", 1)[0].strip()
