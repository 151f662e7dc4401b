"""What models said in earlier probes, read again: for a reader who looks at hits and misses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.probing.asking import AnswerFile, Outcome, outcome_of, request_key
from engine.probing.queries import Query, read_queries


@dataclass(frozen=True, slots=True)
class StoredProbe:
    """The outcomes of one file of answers.

    Attributes:
        key: Name of the file, which tells models and decodings apart.
        model: The model as it was served.
        decoding: How candidates were drawn, by the names of `Decoding`.
        chats: Whether the answers come from a conversation.
        outcomes: Those queries that this model answered or failed to, in their order.
    """

    key: str
    model: str
    decoding: dict[str, Any]
    chats: bool
    outcomes: tuple[Outcome, ...]


def queries_of(files: Iterable[Path], repository: str) -> list[Query]:
    """Return the queries of a repository in query sets; `probe` reports lines that are no query.

    Raises:
        OSError: If a file cannot be read.
    """
    rows = (query for file in files for query in read_queries(file).rows)
    return [query for query in rows if query.repository == repository]


def stored_probes(queries: Sequence[Query], folder: Path) -> list[StoredProbe]:
    """Return every probe in a folder of answers that holds an answer to one of the queries, by file name.

    Raises:
        OSError: If a file cannot be read.
    """
    found = []
    for path in sorted(folder.glob("*.jsonl")):
        head = _head(path)
        if head is None:
            continue
        stored = AnswerFile(path, head)
        asked = [query for query in queries if request_key(query.prompt) in stored.answers]
        if asked:
            chats = bool(head["chats"])
            outcomes = tuple(outcome_of(query, stored, chats=chats) for query in asked)
            found.append(StoredProbe(path.stem, str(head["model"]), dict(head["decoding"]), chats, outcomes))
    return found


def _head(path: Path) -> dict[str, Any] | None:
    with path.open("rb") as file:
        first = file.readline()
    try:
        head = json.loads(first)["of"]
        return head if {"model", "chats", "decoding"} <= head.keys() else None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None  # no file of answers
