"""Explained exceptions to what submissions say about their models: `data/submission_model_override.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.models.registry import Registry
from engine.paths import DATA_DIR
from engine.problems import InvalidInputError, Loaded, Problem

OVERRIDES_NAME = "submission_model_override.toml"

_KEYS = ("benchmark", "submission", "tag", "model", "reason")


@dataclass(frozen=True, slots=True)
class Override:
    """One model of one submission, put right by hand.

    Attributes:
        kind: `correction` of a tag that the submission has, or `addition` of a model that no tag names.
        benchmark: Key of the benchmark.
        submission: Key of the submission.
        tag: The tag, or how the source in `reason` calls the model.
        model: Key of the model it stands for.
        reason: Why, with the source where it is not the submission itself.
    """

    kind: str
    benchmark: str
    submission: str
    tag: str
    model: str
    reason: str

    @property
    def key(self) -> tuple[str, str, str]:
        """Benchmark, submission and tag."""
        return (self.benchmark, self.submission, self.tag)


def read_overrides(registry: Registry, data: Path = DATA_DIR) -> Loaded[Override]:
    """Read the overrides of `data`, and what is wrong with the others; a missing file has none.

    Raises:
        InvalidInputError: If the file is not TOML.
    """
    path = data / OVERRIDES_NAME
    if not path.exists():
        return Loaded(())
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInputError([Problem(path.name, None, "", f"{error}", "correct the file")]) from error
    rows: dict[tuple[str, str, str], Override] = {}
    problems = [
        Problem(path.name, None, name, "is not known here", "use [[correction]] or [[addition]]")
        for name in tables
        if name not in ("correction", "addition")
    ]
    for kind, line, entry in _entries(text, tables):
        fault = _fault(entry, registry)
        override = None if fault else Override(kind, **entry)
        if override and override.key in rows:
            fault = ("two entries are about the same tag", "remove one of them")
        if fault or override is None:
            message, remedy = fault or ("", "")
            problems.append(Problem(path.name, line, str(entry.get("submission", "")), message, remedy))
        else:
            rows[override.key] = override
    return Loaded(tuple(rows.values()), tuple(problems))


def _entries(text: str, tables: dict[str, Any]) -> list[tuple[str, int | None, dict[str, Any]]]:
    """Return every entry with its kind and the line it starts on."""
    found = []
    for kind in ("correction", "addition"):
        lines = [n for n, line in enumerate(text.splitlines(), 1) if line.strip() == f"[[{kind}]]"]
        entries = tables.get(kind, [])
        if not isinstance(entries, list):
            entries = [{}]
        found += [
            (kind, lines[position] if len(lines) == len(entries) else None, entry)
            for position, entry in enumerate(entries)
        ]
    return found


def _fault(entry: dict[str, Any], registry: Registry) -> tuple[str, str] | None:
    if set(entry) != set(_KEYS) or not all(isinstance(entry[key], str) and entry[key] for key in _KEYS):
        return (f"an entry has the keys {', '.join(_KEYS)}, all texts", "add or remove keys")
    if entry["model"] not in registry.models:
        return (f"no model has the key {entry['model']!r}", "add it to model.toml, or correct the key")
    return None
