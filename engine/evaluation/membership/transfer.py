"""Does presence raise a completion benchmark's rate? Next lines, in RepoBench's format (paper, Section 7)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.probing.asking import request_key
from engine.probing.targets.protocol import Decoding, Request, Target

LINE = Decoding(temperature=0.0, candidates=1, max_tokens=32)
"""Greedy, as completion benchmarks are run."""
_SHORTEST_LINE = 12
"""Characters of a line that is asked for; `else:` is right by chance."""
_BEFORE = 8
"""Lines before the one that is asked for, at least."""


@dataclass(frozen=True, slots=True)
class LineSample:
    """One sample, with RepoBench's names: what precedes a line of a repository, and the line."""

    repo_name: str
    file_path: str
    cropped_code: str
    next_line: str

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> LineSample:
        """Read a row of the benchmark; its imports go before the code, as its own prompt has them.

        Raises:
            KeyError: If the row lacks one of the fields.
        """
        imports = str(row.get("import_statement") or "")
        code = f"{imports}\n{row['cropped_code']}" if imports else str(row["cropped_code"])
        return cls(str(row["repo_name"]), str(row["file_path"]), code, str(row["next_line"]))


def line_samples(repository: str, texts: Mapping[str, str], most: int) -> list[LineSample]:
    """Return samples of a repository's files, at lines drawn by chance."""
    found = [
        LineSample(repository, path, "\n".join(lines[:number]) + "\n", lines[number])
        for path, text in sorted(texts.items())
        for lines in [text.splitlines()]
        for number in range(_BEFORE, len(lines))
        if len(lines[number].strip()) >= _SHORTEST_LINE
    ]
    return random.Random(repository).sample(found, min(most, len(found)))


def exact_matches(target: Target, samples: Sequence[LineSample]) -> Iterator[tuple[LineSample, bool]]:
    """Yield each sample with whether the model wrote its line, blanks at both ends aside."""
    requests = {request_key(sample.cropped_code): sample.cropped_code for sample in samples}
    asked = [Request(key, prompt) for key, prompt in requests.items()]
    written = {answer.key: answer.texts for answer in target.answers(asked, LINE)}
    for sample in samples:
        texts = written.get(request_key(sample.cropped_code), ())
        yield sample, any(_first_line(text) == sample.next_line.strip() for text in texts)


def rows_of(results: Iterable[tuple[LineSample, bool]]) -> dict[str, tuple[int, int]]:
    """Return exact matches and samples of each repository."""
    found: dict[str, tuple[int, int]] = {}
    for sample, matches in results:
        hits, asked = found.get(sample.repo_name, (0, 0))
        found[sample.repo_name] = (hits + matches, asked + 1)
    return found


def _first_line(text: str) -> str:
    return text.strip("\n").split("\n", 1)[0].strip()
