"""Puts outcomes into the fact files, beside what other runs found out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.presence.outcomes import Outcome, block_facts, landing_fact, presence_facts
from engine.problems import Problem, Severity
from engine.store.changes import TableChange, compare
from engine.store.facts import Fact, fact_path, read_facts


def plan_outcomes(
    data: Path, detector: str, outcomes: Sequence[Outcome]
) -> tuple[list[TableChange], list[Problem]]:
    """Return what the fact files shall hold once `outcomes` are in them.

    Rows of other detectors and samples stay. A sample that could be judged in an earlier run and cannot now
    (its repository is not at hand) keeps what was known, with a warning.

    Args:
        data: Folder of the fact files; every sample must be in `sample`.
        detector: Key of the detector.
        outcomes: One for each sample.
    """
    presence = read_facts(data, "presence")
    known = {row["sample"] for row in presence if row["detector"] == detector and row["state"] == "judged"}
    imported = {row["sample"] for row in read_facts(data, "sample")}
    kept = [outcome for outcome in outcomes if outcome.sample in imported]
    taken = [outcome for outcome in kept if not (outcome.problem and outcome.sample in known)]
    replaced = {outcome.sample for outcome in taken}
    problems = [
        _unused(data, outcome, outcome.sample in imported) for outcome in outcomes if outcome not in taken
    ]
    problems += [_unknown(data, outcome) for outcome in taken if outcome.problem]

    def others(rows: Iterable[Fact]) -> list[Fact]:
        return [row for row in rows if row["detector"] != detector or row["sample"] not in replaced]

    landing = read_facts(data, "landing")
    found = [fact for outcome in taken if (fact := landing_fact(outcome)) is not None]
    landed = {fact["sample"] for fact in found}
    blocks = read_facts(data, "block_presence")
    changes = [
        compare("landing", landing, [*(row for row in landing if row["sample"] not in landed), *found]),
        compare(
            "presence",
            presence,
            [*others(presence), *(fact for outcome in taken for fact in presence_facts(detector, outcome))],
        ),
        compare(
            "block_presence",
            blocks,
            [*others(blocks), *(fact for outcome in taken for fact in block_facts(detector, outcome))],
        ),
    ]
    return changes, problems


def _unused(data: Path, outcome: Outcome, is_imported: bool) -> Problem:
    if is_imported:
        message, remedy = (
            f"{outcome.problem}; what was known stays",
            "label again when the history is at hand",
        )
    else:
        message, remedy = "not among the imported samples", "run `benchchecker import samples` first"
    return Problem(fact_path(data, "presence").name, None, outcome.sample, message, remedy, Severity.WARNING)


def _unknown(data: Path, outcome: Outcome) -> Problem:
    remedy = "it is labelled unknown, never clean"
    file = fact_path(data, "presence").name
    return Problem(file, None, outcome.sample, outcome.problem, remedy, Severity.WARNING)
