"""Finds the registered models behind every submission, and keeps how each was found.

In this order: the submission's own tags, put right where `data/submission_model_override.toml` says so; the
additions there; else the names that folder and title hold. A submission for which none of these gives a model
gets one row that says so, and with it no cutoff.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from engine.models.names import name_key
from engine.models.overrides import OVERRIDES_NAME, Override, read_overrides
from engine.models.registry import Model, Registry, read_registry
from engine.paths import DATA_DIR
from engine.problems import BenchCheckerError, Loaded, Problem, Severity
from engine.store.facts import Fact, read_facts, write_facts

UNKNOWN_TAG = "unknown model"
UNKNOWN_EVIDENCE = "unknown: no tag, and neither folder nor title names a registered model"

# How rows begin that are no tags of the submission: they are found anew each time.
_FOUND = ("named in", "addition", "unknown")

Key = tuple[str, str]
Row = dict[str, Any]


def is_tag(row: Fact) -> bool:
    """Whether a row of `submission_model` is a tag of the submission, rather than found for it."""
    return not str(row["evidence"]).startswith(_FOUND)


def resolve_submissions(
    submissions: Iterable[Fact], rows: Iterable[Fact], registry: Registry, overrides: Iterable[Override]
) -> Loaded[Row]:
    """Return the rows of `submission_model` for every submission, and the overrides that fit none.

    Args:
        submissions: Rows of the table `submission`.
        rows: Rows of `submission_model`, resolved before or not: only tags are kept of them.
        registry: The models.
        overrides: Corrections and additions.
    """
    tags: dict[Key, list[str]] = defaultdict(list)
    for row in rows:
        if is_tag(row):
            tags[row["benchmark"], row["submission"]].append(row["tag"])
    corrections = {override.key: override for override in overrides if override.kind == "correction"}
    additions: dict[Key, list[Override]] = defaultdict(list)
    for override in overrides:
        if override.kind == "addition":
            additions[override.benchmark, override.submission].append(override)
    resolved, problems = [], []
    used: set[tuple[str, str, str]] = set()
    for submission in submissions:
        key = (submission["benchmark"], submission["submission"])
        found = [_tag_row(key, tag, registry, corrections.get((*key, tag))) for tag in sorted(tags[key])]
        used |= {(*key, tag) for tag in tags[key]} & corrections.keys()
        for addition in additions.pop(key, []):
            if addition.tag in tags[key]:
                problems.append(_misfit(addition, "its tag is one that the submission has"))
            else:
                found.append(_row(key, addition.tag, addition.model, f"addition: {addition.reason}"))
        resolved += (
            found or _named_rows(submission, registry) or [_row(key, UNKNOWN_TAG, None, UNKNOWN_EVIDENCE)]
        )
    present = {(row["benchmark"], row["submission"]) for row in resolved}
    unfit = [override for key, override in corrections.items() if key not in used]
    unfit += [override for left in additions.values() for override in left]
    for override in unfit:
        if (override.benchmark, override.submission) in present:
            problems.append(_misfit(override, "the submission has no such tag"))
        else:
            problems.append(_misfit(override, "there is no such submission here", Severity.WARNING))
    return Loaded(tuple(resolved), tuple(problems))


def resolved_facts(data: Path = DATA_DIR) -> Loaded[Row]:
    """Return `resolve_submissions` for the facts of `data`, without writing them.

    Raises:
        BenchCheckerError: If the submissions are missing.
        InvalidInputError: If the registry or an override cannot be read.
    """
    submissions = read_facts(data, "submission")
    if not submissions:
        raise BenchCheckerError("there are no submissions here: import some first, or check --data")
    registry = read_registry(data)
    overrides = read_overrides(registry, data).strict().rows
    return resolve_submissions(submissions, read_facts(data, "submission_model"), registry, overrides)


def write_resolved(data: Path = DATA_DIR) -> Loaded[Row]:
    """Resolve the models of all submissions and write them to `data/submission_model.csv`.

    Doing so again changes nothing.

    Raises:
        BenchCheckerError: If the submissions are missing.
        InvalidInputError: If the registry cannot be read, or an override fits no submission.
    """
    resolved = resolved_facts(data).strict()
    write_facts(data, "submission_model", resolved.rows)
    return resolved


def named_models(submission: Fact, registry: Registry) -> dict[str, tuple[str, Model]]:
    """Return the models that folder or title name: key -> (the longest name found, the model)."""
    found: dict[str, tuple[str, Model]] = {}
    for text in (submission["submission"], submission["title"] or ""):
        for name, model in registry.named_in(text):
            if len(name) > len(found.get(model.model, ("", model))[0]):
                found[model.model] = (name, model)
    return found


def _tag_row(key: Key, tag: str, registry: Registry, correction: Override | None) -> Row:
    if correction is not None:
        return _row(key, tag, correction.model, f"correction: {correction.reason}")
    model = registry.find(tag)
    if model is None:
        return _row(key, tag, None, "tag without an entry in the registry")
    exact = name_key(tag) == name_key(model.model)
    return _row(key, tag, model.model, "tag" if exact else "tag, an alias")


def _named_rows(submission: Fact, registry: Registry) -> list[Row]:
    key = (submission["benchmark"], submission["submission"])
    folder = {model.model for _, model in registry.named_in(submission["submission"])}
    title = {model.model for _, model in registry.named_in(submission["title"] or "")}
    rows = []
    for name, model in named_models(submission, registry).values():
        places = [place for place, models in (("folder", folder), ("title", title)) if model.model in models]
        rows.append(_row(key, name, model.model, f"named in {' and '.join(places)}"))
    return rows


def _row(key: Key, tag: str, model: str | None, evidence: str) -> Row:
    return {"benchmark": key[0], "submission": key[1], "tag": tag, "model": model, "evidence": evidence}


def _misfit(override: Override, message: str, severity: Severity = Severity.ERROR) -> Problem:
    subject = f"{override.submission}, {override.tag}"
    return Problem(OVERRIDES_NAME, None, subject, message, f"correct or remove the {override.kind}", severity)
