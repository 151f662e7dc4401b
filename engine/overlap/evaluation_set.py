"""The evaluation set: its items, their canonical hashes, and the pin that guards both.

A gate cannot compare against a file that changed last week, so the set is pinned: a hash per item and one for
the set, over canonical text. A later run against a changed set refuses and says what changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.overlap.canonical import canonical_bytes
from engine.overlap.records import (
    field_names,
    field_text,
    json_records,
    kind_of,
    parquet_records,
    text_records,
)
from engine.overlap.streams import HashedFile, Limits, Tally, storable
from engine.overlap.views import apply_view, split_view
from engine.problems import BenchCheckerError, Loaded
from engine.reading import clean_name
from engine.store.facts import replacing

PIN_FORMAT = 1
CANONICAL_VERSION = 1
"""Raise when the canonical form changes: old pins then say so instead of calling every item changed."""

_LISTED = 10


@dataclass(frozen=True, slots=True)
class Item:
    """One text of the evaluation set.

    Attributes:
        item: Its id; with several fields `record/field`.
        text: As it stands in the set.
        sha256: Hash of its canonical text.
    """

    item: str
    text: str
    sha256: str


@dataclass(frozen=True, slots=True)
class ItemOptions:
    """How items are read from an evaluation file.

    Attributes:
        fields: Fields of a record, each of them an item of its own. `NAME:added` takes the lines that a diff
            adds, `NAME:after` what its hunks say after the change.
        id_field: Field that names a record; without one its line or row number does.
    """

    fields: tuple[str, ...] = ("text",)
    id_field: str | None = None


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """The items of one evaluation file.

    Attributes:
        name: File name, for reports.
        items: In the order of the file, ids unique.
        options: How they were read.
    """

    name: str
    items: tuple[Item, ...]
    options: ItemOptions = field(default_factory=ItemOptions)

    @property
    def sha256(self) -> str:
        """Hash of the set: of its ids and item hashes, whatever their order."""
        whole = hashlib.sha256()
        for item in sorted(self.items, key=lambda item: item.item):
            whole.update(f"{item.item}\0{item.sha256}\n".encode("utf-8", "surrogatepass"))
        return whole.hexdigest()


def make_item(name: str, text: str) -> Item:
    """Return the item `name` with its hash."""
    return Item(name, text, hashlib.sha256(canonical_bytes(text)).hexdigest())


def read_evaluation_set(path: Path, options: ItemOptions) -> Loaded[EvaluationSet]:
    """Read an evaluation set from JSON Lines, Parquet or plain text (one item a line).

    Raises:
        BenchCheckerError: If the file cannot be read, holds no item, or two records have one id.
    """
    if not path.is_file():
        raise BenchCheckerError(f"{path}: no such file")
    tally = Tally(path.name)
    items: list[Item] = []
    seen: set[str] = set()
    for name, text in ((storable(name), storable(text)) for name, text in _texts(path, options, tally)):
        if name in seen:
            raise BenchCheckerError(f"{path.name}: two items are called {name!r}; choose another --id-field")
        seen.add(name)
        items.append(make_item(name, text))
    if not items:
        first = f": {tally.problems[0]}" if tally.problems else ""
        raise BenchCheckerError(f"{path.name}: no item could be read{first}")
    return Loaded((EvaluationSet(path.name, tuple(items), options),), tuple(tally.problems))


def _texts(path: Path, options: ItemOptions, tally: Tally) -> Iterator[tuple[str, str]]:
    kind, limits = kind_of(path), Limits()
    file = HashedFile(path)
    try:
        if kind == "text":
            yield from text_records(file, path, "line", limits, tally)
        elif kind == "json":
            yield from _fields(json_records(file, path, limits, tally), options, tally)
        else:
            yield from _fields(parquet_records(path, None, limits, tally), options, tally)
        file.finish()
    finally:
        file.close()


def _fields(
    records: Iterator[tuple[str, int, dict[str, Any]]], options: ItemOptions, tally: Tally
) -> Iterator[tuple[str, str]]:
    for key, line, record in records:
        name = key
        if options.id_field is not None:
            if record.get(options.id_field) is None:
                tally.skip(f"no field {options.id_field!r}", line, f"fields here: {field_names(record)}")
                continue
            name = str(record[options.id_field])
        for spec in options.fields:
            source, view = split_view(spec)
            whole = field_text(record.get(source))
            text = None if whole is None else apply_view(whole, view)
            if not text or not text.strip():
                remedy = f"fields here: {field_names(record)}; see --eval-field"
                tally.skip(f"no text in field {spec!r}", line, remedy, name)
                continue
            yield (name if len(options.fields) == 1 else f"{name}/{spec}"), text


def write_pin(evaluation: EvaluationSet, path: Path) -> None:
    """Write the pin of `evaluation` to `path`, atomically: hashes and ids, no text."""
    content = {
        "format": PIN_FORMAT,
        "canonical": CANONICAL_VERSION,
        "name": evaluation.name,
        "fields": list(evaluation.options.fields),
        "id_field": evaluation.options.id_field,
        "set": evaluation.sha256,
        "items": {item.item: item.sha256 for item in evaluation.items},
    }
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(content, indent=1, ensure_ascii=True) + "\n", encoding="utf-8")


def check_pin(evaluation: EvaluationSet, path: Path) -> None:
    """Refuse an evaluation set that is not the one pinned at `path`.

    Raises:
        BenchCheckerError: If the pin cannot be read, or the set changed; the message says what changed.
    """
    try:
        pin = json.loads(path.read_text(encoding="utf-8"))
        pinned: dict[str, str] = dict(pin["items"])
        canonical_version = pin["canonical"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BenchCheckerError(f"{path}: is no pin of an evaluation set ({error}); pin it again") from error
    if canonical_version != CANONICAL_VERSION:
        raise BenchCheckerError(f"{path}: pinned under another canonical form; pin the set again")
    now = {item.item: item.sha256 for item in evaluation.items}
    added = sorted(now.keys() - pinned.keys())
    removed = sorted(pinned.keys() - now.keys())
    changed = sorted(item for item in now.keys() & pinned.keys() if now[item] != pinned[item])
    if added or removed or changed:
        parts = [
            _listing("changed", changed),
            _listing("added", added),
            _listing("removed", removed),
        ]
        raise BenchCheckerError(
            f"{evaluation.name} is not the set pinned in {path}: {'; '.join(filter(None, parts))}. "
            "Restore it, or pin the new set and scan again"
        )


def _listing(what: str, items: Sequence[str]) -> str:
    if not items:
        return ""
    shown = ", ".join(clean_name(item) for item in items[:_LISTED])
    more = f" and {len(items) - _LISTED} more" if len(items) > _LISTED else ""
    return f"{len(items)} {what} ({shown}{more})"
