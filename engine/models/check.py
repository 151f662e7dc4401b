"""What in the registry and in the submissions' models contradicts itself or is left over."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date

from engine.models.names import name_key
from engine.models.registry import REGISTRY_NAME, Model, Registry, estimated_cutoff
from engine.models.resolve import UNKNOWN_TAG, named_models
from engine.problems import Problem, Severity
from engine.store.facts import Fact

ROWS_NAME = "submission_model.csv"


def check_registry(registry: Registry) -> list[Problem]:
    """Return the entries whose days contradict the rule for estimates or the model they were trained from."""
    problems = []
    for model in registry.models.values():
        if model.basis == "estimated" and model.cutoff != (day := estimated_cutoff(model.released)):
            message = f"the estimate {model.cutoff} is not three months before {model.released}"
            problems.append(_entry(model, message, f"write {day}, or give a published source"))
        base = registry.models.get(model.base) if model.base else None
        if model.base and base is None:
            problems.append(
                _entry(model, f"its base {model.base!r} has no entry", "add it, or remove the key")
            )
        if base and model.cutoff and base.cutoff and base.cutoff > model.cutoff:
            message = f"its cutoff {model.cutoff} is before {base.cutoff}, that of its base {base.model}"
            problems.append(_entry(model, message, f"write {base.cutoff} or a later day"))
    return problems


def check_submissions(
    registry: Registry, submissions: Sequence[Fact], rows: Sequence[Fact], also_used: Collection[str] = ()
) -> list[Problem]:
    """Return what does not fit between the registry and the resolved models of the submissions.

    Args:
        registry: The models.
        submissions: Rows of the table `submission`.
        rows: Rows of `submission_model`, resolved.
        also_used: Keys of models that something else refers to.
    """
    by_key = {(row["benchmark"], row["submission"]): row for row in submissions}
    models: dict[tuple[str, str], list[Model]] = defaultdict(list)
    for row in rows:
        if row["model"] in registry.models:
            models[row["benchmark"], row["submission"]].append(registry.models[row["model"]])
    return [
        *_tags_without_entry(rows),
        *_too_new(registry, by_key, rows),
        *_named_otherwise(registry, submissions, models),
        *_unused(registry, submissions, rows, also_used),
    ]


def _tags_without_entry(rows: Iterable[Fact]) -> Iterator[Problem]:
    missing: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row["model"] is None and row["tag"] != UNKNOWN_TAG:
            missing[row["tag"]].append(row["submission"])
    for tag, submissions in sorted(missing.items()):
        remedy = f"add a model or an alias to {REGISTRY_NAME}"
        message = f"no entry for this tag of {_some(submissions)}, which so have no cutoff"
        yield Problem(ROWS_NAME, None, tag, message, remedy)


def _too_new(
    registry: Registry, submissions: dict[tuple[str, str], Fact], rows: Iterable[Fact]
) -> Iterator[Problem]:
    for row in rows:
        model = registry.models.get(row["model"]) if row["model"] else None
        submitted: date | None = submissions[row["benchmark"], row["submission"]]["submitted_on"]
        if model and submitted and model.released > submitted:
            message = f"{row['tag']} stands for {model.model}, released {model.released}, after {submitted}"
            remedy = "add a correction to submission_model_override.toml, or correct the release"
            yield Problem(ROWS_NAME, None, row["submission"], message, remedy)


def _named_otherwise(
    registry: Registry, submissions: Iterable[Fact], models: dict[tuple[str, str], list[Model]]
) -> Iterator[Problem]:
    for submission in submissions:
        resolved = models[submission["benchmark"], submission["submission"]]
        expected = {model.model for model in resolved} | {model.base for model in resolved}
        dated = {name_key(name) for model in resolved for name in model.names}
        for key, (name, _) in named_models(submission, registry).items():
            # A name without its date fits every date.
            if key not in expected and not any(re.fullmatch(rf"{name}(-\d+)*", full) for full in dated):
                message = f"folder or title name {name} ({key}), but no model of it is that"
                remedy = "compare its tags with the submission, and correct them if they are wrong"
                yield Problem(ROWS_NAME, None, submission["submission"], message, remedy, Severity.WARNING)


def _unused(
    registry: Registry, submissions: Iterable[Fact], rows: Sequence[Fact], also_used: Collection[str]
) -> Iterator[Problem]:
    used = {row["model"] for row in rows} | set(also_used)
    used |= {model.base for model in registry.models.values()}
    names = {name_key(row["tag"]) for row in rows}
    for submission in submissions:
        for text in (submission["submission"], submission["title"] or ""):
            names |= {name for name, _ in registry.named_in(text)}
    for model in registry.models.values():
        if model.model not in used and not any(name_key(name) in names for name in model.names):
            yield _entry(model, "no submission uses it", "remove it if none will", Severity.WARNING)
        for alias in model.aliases:
            if name_key(alias) not in names:
                message = f"no submission has the alias {alias!r}"
                yield _entry(model, message, "remove it if none will", Severity.WARNING)


def _entry(model: Model, message: str, remedy: str, severity: Severity = Severity.ERROR) -> Problem:
    return Problem(REGISTRY_NAME, None, model.model, message, remedy, severity)


def _some(names: Sequence[str]) -> str:
    rest = len(names) - 3
    return ", ".join(names[:3]) + (f" and {rest} more" if rest > 0 else "")
