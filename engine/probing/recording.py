"""From tests to facts: rows of `repository_presence` and `hit_rate`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from engine.models.registry import read_registry
from engine.probing.presence_test import Probed
from engine.problems import BenchCheckerError
from engine.statistics.repository_presence import DEFAULT_P0, P0, calibrate_p0, judge_repositories
from engine.store.facts import read_facts, write_facts


def choose_p0(data: Path, model: str, language: str, given: float | None) -> tuple[P0, str]:
    """Return P0 for a model, and where it is from: `given`, `calibrated`, or the paper's `default`.

    Raises:
        BenchCheckerError: If there is no calibration and no default for the language.
    """
    if given is not None:
        return P0(given), "given"
    for row in read_facts(data, "hit_rate"):
        if (row["model"], row["language"]) == (model, language):
            return calibrate_p0(row["hits"], row["queries"]), "calibrated"
    if language not in DEFAULT_P0:
        raise BenchCheckerError(f"no hit rate for {language}: calibrate, or give one with --p0")
    return P0(DEFAULT_P0[language]), "default"


def presence_rows(model: str, probed: Sequence[Probed], p0_basis: str, source: str) -> list[dict[str, Any]]:
    """Return a row of `repository_presence` for each repository, judged as one family."""
    verdicts = judge_repositories([one.test for one in probed])
    return [
        {
            "model": model,
            "repository": one.repository,
            "basis": "probed",
            "verdict": verdict.value,
            "hits": one.test.hits,
            "queries": one.test.queries,
            "unanswered": one.unanswered,
            "weighted_hits": one.test.weighted_hits,
            "p0": one.test.p0.value,
            "p0_basis": p0_basis,
            "p_value": one.test.p_value,
            "weighted_p_value": one.test.weighted_p_value,
            "q_value": q_value,
            "design_effect": one.test.design_effect,
            "detectable": one.test.detectable,
            "source": source,
        }
        for one, (verdict, q_value) in zip(probed, verdicts, strict=True)
    ]


def check_recordable(data: Path, model: str, repositories: Iterable[str] = ()) -> None:
    """Refuse what the facts could not hold, before anything is asked of a model.

    Raises:
        BenchCheckerError: If the facts do not know the model or a repository.
    """
    if model not in read_registry(data).models:
        raise BenchCheckerError(f"not in the registry: {model} (add it to model.toml)")
    known = {row["repository"] for row in read_facts(data, "repository")}
    strange = sorted(set(repositories) - known)
    if strange:
        raise BenchCheckerError(
            f"no sample comes from {', '.join(strange)}: only repositories of samples are recorded"
        )


def record_presence(data: Path, rows: Sequence[dict[str, Any]]) -> Path:
    """Write rows in place of those of the same model and repository; every other row stays."""
    replaced = {(row["model"], row["repository"]) for row in rows}
    kept = [
        row
        for row in read_facts(data, "repository_presence")
        if (row["model"], row["repository"]) not in replaced
    ]
    return write_facts(data, "repository_presence", [*kept, *rows])


def record_hit_rate(
    data: Path, model: str, language: str, p0: P0, repositories: Sequence[str], source: str
) -> Path:
    """Write what P0 was calibrated on, in place of what was there for this model and language."""
    row = {
        "model": model,
        "language": language,
        "hits": p0.hits,
        "queries": p0.queries,
        "repositories": ";".join(sorted(repositories)),
        "source": source,
    }
    kept = [
        known
        for known in read_facts(data, "hit_rate")
        if (known["model"], known["language"]) != (model, language)
    ]
    return write_facts(data, "hit_rate", [*kept, row])
