"""Queries of the repository presence test: what a model is asked to complete, and where it came from.

A query set is text of a repository: it is kept beside the reader's own clones and never among the facts.
"""

import hashlib
import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from engine.problems import Loaded, Problem


class PatternKind(StrEnum):
    """Forms of repetition that a repository is mined for (paper, Section 4.1)."""

    CLONE = "clone"
    TEXT = "text"
    COOCCURRENCE = "cooccurrence"


@dataclass(frozen=True)
class Query:
    """One signature snippet, instantiated.

    Attributes:
        repository: Canonical name, as in `django/django`.
        kind: Form of the repetition.
        group: Id of the pattern group; queries of one group are correlated.
        prefix: The text that the model continues.
        target: The one word that follows the prefix.
        occurrences: How often the pattern repeats in the repository.
        reference_frequency: Number of reference repositories that hold the target; at least 1 when weighing.
        reference_size: Number of repositories in the reference dictionary.
        entropy: Largest loss in nats of a sub-token that the prefix does not give away; None before the
            entropy pass.
    """

    repository: str
    kind: PatternKind
    group: str
    prefix: str
    target: str
    occurrences: int
    reference_frequency: int
    reference_size: int
    entropy: float | None = None

    @property
    def prompt(self) -> str:
        """What is asked: the prefix less its last blank.

        Byte-pair models keep a blank at the start of the word after it. A prompt that ends in one leaves them
        a state that they hardly saw, and the word that they know cannot follow.
        """
        return self.prefix.removesuffix(" ")

    @property
    def key(self) -> str:
        """A hash of what is asked: equal queries are equal requests, whoever mined them."""
        return hashlib.sha256(f"{self.prefix}\0{self.target}".encode()).hexdigest()[:16]


def write_queries(path: Path, queries: Iterable[Query]) -> None:
    """Write one JSON object a line, with a rename so that a reader never sees half a file."""
    part = path.with_suffix(path.suffix + ".part")
    with part.open("w", encoding="utf-8") as file:
        for query in queries:
            file.write(json.dumps(asdict(query), ensure_ascii=False) + "\n")
    part.replace(path)


def read_queries(path: Path) -> Loaded[Query]:
    """Read a query set; each line that is no query becomes a `Problem` and the others are kept."""
    rows: list[Query] = []
    problems: list[Problem] = []
    remedy = "mine again with `benchchecker mine`, or delete the line"
    # Bytes, line by line: one broken line must not hide the others.
    for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append(_query(json.loads(line)))
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            message = f"not a query: {type(error).__name__}: {error}"
            problems.append(Problem(str(path), number, "", message, remedy))
    return Loaded(tuple(rows), tuple(problems))


def _query(record: object) -> Query:
    if not isinstance(record, dict):
        raise TypeError("no JSON object")
    for name in ("repository", "group", "prefix", "target"):
        if not isinstance(record[name], str):
            raise TypeError(f"`{name}` is no text")
        record[name].encode()  # A lone surrogate can be neither hashed nor asked.
    if not record["repository"].isprintable():
        raise ValueError("the repository's name has control characters")
    entropy = record["entropy"]
    query = Query(
        repository=str(record["repository"]),
        kind=PatternKind(record["kind"]),
        group=str(record["group"]),
        prefix=str(record["prefix"]),
        target=str(record["target"]),
        occurrences=int(record["occurrences"]),
        reference_frequency=int(record["reference_frequency"]),
        reference_size=int(record["reference_size"]),
        entropy=None if entropy is None else float(entropy),
    )
    counts = (query.occurrences, query.reference_frequency, query.reference_size)
    if min(counts) < 0 or not math.isfinite(query.entropy or 0):
        raise ValueError("a number is negative or not finite")
    if not query.target or query.target.split() != [query.target]:
        raise ValueError("the target is not one word")
    return query
