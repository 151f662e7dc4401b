"""The registry of models and their cutoffs: `data/model.toml`, read in one place.

A cutoff is the last day of a model's training data. Where the vendor does not publish it, it is estimated as
three months before the release (Section 6 of the paper).
"""

from __future__ import annotations

import calendar
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime
from pathlib import Path
from typing import Any

from engine.models.names import name_key
from engine.paths import DATA_DIR
from engine.problems import InvalidInputError, Loaded, Problem
from engine.store.schema import CUTOFF_BASES, MODEL_ROLES

REGISTRY_NAME = "model.toml"
MONTHS_BEFORE_RELEASE = 3

_REQUIRED = ("model", "vendor", "title", "released")

# Words that make another model of the name before them: `gpt-5` does not name what `gpt-5-mini` names.
_VARIANTS = frozenset({"air", "codex", "flash", "lite", "max", "mini", "nano", "pro", "thinking", "turbo"})


@dataclass(frozen=True, slots=True)
class Model:
    """One model that submissions use.

    Attributes:
        model: Key, in the vendor's spelling where there is one.
        vendor: Who trained it.
        title: What a reader sees.
        released: Day it was first offered or shown to the public.
        cutoff: Last day of its training data, inclusive, UTC; None if it cannot be known.
        basis: `published` or `estimated`; None exactly when `cutoff` is.
        source: The vendor's document that says so, for a published cutoff.
        role: `generator` writes patches; `retriever` and `critic` do not, and do not count for a cutoff.
        base: Key of the model it was trained from, if that is registered.
        open_weights: Whether its weights can be downloaded.
        note: What a reader should know about the dates.
        commit_history: Whether it was trained on whole commit histories, so that a fix it saw stays seen when
            the code is rewritten later.
        aliases: Other spellings, as they occur in submissions.
    """

    model: str
    vendor: str
    title: str
    released: date
    cutoff: date | None = None
    basis: str | None = None
    source: str | None = None
    role: str = "generator"
    base: str | None = None
    open_weights: bool | None = None
    note: str | None = None
    commit_history: bool = False
    aliases: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The key and every alias."""
        return (self.model, *self.aliases)


class Registry:
    """The models by key, and by any spelling."""

    def __init__(self, models: Iterable[Model]) -> None:
        self.models: Mapping[str, Model] = {model.model: model for model in models}
        self._by_name = {name_key(name): model for model in self.models.values() for name in model.names}

    def find(self, name: str) -> Model | None:
        """Return the model that `name` spells, whatever its case and punctuation, or None."""
        return self._by_name.get(name_key(name))

    def named_in(self, text: str) -> tuple[tuple[str, Model], ...]:
        """Return the models named in a running text (a folder or a title), in the order of their names there.

        Where several names overlap, the longest counts: `o3-mini` is not `o3`, registered or not. The name
        is given as `name_key` spells it.
        """
        words = name_key(text, whole=True).split("-")
        longest = max((key.count("-") + 1 for key in self._by_name), default=0)
        found, start = [], 0
        while start < len(words):
            for end in range(min(len(words), start + longest), start, -1):
                name = "-".join(words[start:end])
                if name in self._by_name and not _VARIANTS.intersection(words[end : end + 1]):
                    found.append((name, self._by_name[name]))
                    start = end - 1
                    break
            start += 1
        return tuple(found)


def estimated_cutoff(released: date) -> date:
    """Return the day three months before `released`, or the last of that month if it is shorter.

    The paper's rule for models without a published cutoff (Section 6).
    """
    months = released.year * 12 + released.month - 1 - MONTHS_BEFORE_RELEASE
    year, month = divmod(months, 12)
    return date(year, month + 1, min(released.day, calendar.monthrange(year, month + 1)[1]))


def read_models(data: Path = DATA_DIR) -> Loaded[Model]:
    """Read the models of `data`, in the order of the file, and what is wrong with the others.

    Raises:
        InvalidInputError: If the file is missing or is not TOML.
    """
    path = data / REGISTRY_NAME
    try:
        text = path.read_text(encoding="utf-8")
        entries = tomllib.loads(text).get("model", [])
    except FileNotFoundError as error:
        raise InvalidInputError(
            [Problem(str(path), None, "", "there is no registry of models here", "check --data")]
        ) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInputError([Problem(path.name, None, "", f"{error}", "correct the file")]) from error
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line.strip() == "[[model]]"]
    if not isinstance(entries, list) or len(lines) != len(entries):
        remedy = "start every entry with a line [[model]]"
        raise InvalidInputError([Problem(path.name, None, "", "entries are not a list of tables", remedy)])
    rows: list[Model] = []
    problems: list[Problem] = []
    seen: dict[str, str] = {}
    for line, entry in zip(lines, entries, strict=True):
        faults = _faults(entry) or _clashes(entry, seen)
        subject = str(entry.get("model", ""))
        problems += [Problem(path.name, line, subject, message, remedy) for message, remedy in faults]
        if not faults:
            rows.append(Model(**{**entry, "aliases": tuple(entry.get("aliases", ()))}))
            seen.update({name_key(name): rows[-1].model for name in rows[-1].names})
    return Loaded(tuple(rows), tuple(problems))


def read_registry(data: Path = DATA_DIR) -> Registry:
    """Read the registry of `data`.

    Raises:
        InvalidInputError: If any entry cannot be used.
    """
    return Registry(read_models(data).strict().rows)


def model_rows(data: Path = DATA_DIR) -> list[dict[str, Any]]:
    """Return the rows of the table `model`; no file, no rows."""
    columns = [field.name for field in fields(Model) if field.name != "aliases"]
    return [{column: getattr(model, column) for column in columns} for model in _models_or_none(data)]


def model_alias_rows(data: Path = DATA_DIR) -> list[dict[str, Any]]:
    """Return the rows of the table `model_alias`; no file, no rows."""
    return [
        {"alias": alias, "model": model.model} for model in _models_or_none(data) for alias in model.aliases
    ]


def _models_or_none(data: Path) -> tuple[Model, ...]:
    return read_models(data).strict().rows if (data / REGISTRY_NAME).exists() else ()


def _faults(entry: dict[str, Any]) -> list[tuple[str, str]]:
    """Return (message, remedy) for everything that makes `entry` unusable on its own."""
    known = [field.name for field in fields(Model)]
    found = [(f"the key {key} is not known", f"use {', '.join(known)}") for key in entry if key not in known]
    found += [(f"{key} is missing", "add it") for key in _REQUIRED if key not in entry]
    found += [
        (f"{key} is {value!r}", f"write {wanted}")
        for key, value in entry.items()
        if key in known and (wanted := _unmet(key, value)) is not None
    ]
    return found or _contradictions(entry)


def _unmet(key: str, value: object) -> str | None:
    """Return what `key` wants to hold, or None if `value` is that."""
    match key:
        case "released" | "cutoff":
            fits, wanted = isinstance(value, date) and not isinstance(value, datetime), "a day: 2024-04-30"
        case "open_weights" | "commit_history":
            fits, wanted = isinstance(value, bool), "true or false"
        case "aliases":
            fits = isinstance(value, list) and all(isinstance(item, str) for item in value)
            wanted = "a list of names in quotes"
        case _:
            fits, wanted = isinstance(value, str) and bool(value.strip()), "a text in quotes"
    return None if fits else wanted


def _contradictions(entry: dict[str, Any]) -> list[tuple[str, str]]:
    found = []
    if ("cutoff" in entry) != ("basis" in entry):
        found.append(("cutoff and basis go together", "give both, or neither if the cutoff is unknown"))
    if "cutoff" in entry and entry["cutoff"] > entry["released"]:
        found.append(("its cutoff is after its release", "correct one of the two days"))
    if entry.get("basis", CUTOFF_BASES[0]) not in CUTOFF_BASES:
        found.append((f"basis is {entry['basis']!r}", f"use {' or '.join(CUTOFF_BASES)}"))
    if entry.get("role", MODEL_ROLES[0]) not in MODEL_ROLES:
        found.append((f"role is {entry['role']!r}", f"use {', '.join(MODEL_ROLES)}"))
    if entry.get("basis") == "published" and "source" not in entry:
        found.append(("a published cutoff needs a source", "name the vendor's document, or estimate it"))
    return found


def _clashes(entry: dict[str, Any], seen: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return (message, remedy) for every name of `entry` that already stands for another model."""
    names = (entry["model"], *entry.get("aliases", ()))
    clashes = [
        (f"{name} already stands for {seen[name_key(name)]}", "remove it from one of them")
        for name in names
        if name_key(name) in seen
    ]
    empty = [(f"{name!r} has no letter or digit", "remove it") for name in names if not name_key(name)]
    return clashes + empty
