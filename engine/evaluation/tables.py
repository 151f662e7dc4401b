"""The figures of an evaluation as tables: cells for the terminal, values for JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from engine.evaluation.calibration import calibration_error, reliability, scored
from engine.evaluation.judgement import Judgement
from engine.statistics.proportions import Interval, Proportion

Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        key: Name in the JSON file.
        title: What it shows.
        columns: Heads of the columns.
        rows: Cells, a dash where there is no figure.
        values: The same rows as JSON values, None where there is no figure.
    """

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    values: tuple[Values, ...]


def figure_table(judgements: Sequence[Judgement], thresholds: Mapping[str, float], title: str) -> Table:
    """Return AUC, TPR and FPR of every detector by part and benchmark.

    Args:
        judgements: What the detectors said.
        thresholds: The threshold of each detector.
        title: Title of the table.
    """
    groups: dict[tuple[str, str, str], list[Judgement]] = defaultdict(list)
    for judgement in judgements:
        groups[judgement.case.part, judgement.case.benchmark, judgement.detector].append(judgement)
    rows, values = [], []
    for (part, benchmark, detector), group in sorted(groups.items()):
        threshold = thresholds[detector]
        figures = figures_of(group, threshold)
        head = {"part": part, "benchmark": benchmark, "detector": detector, "threshold": threshold}
        values.append({**head, **figures})
        cells = (part, benchmark, detector, f"{threshold:.3f}", *figure_cells(group, threshold))
        rows.append((*cells, str(figures["not_judged"]), str(figures["not_counted"])))
    heads = ("part", "benchmark", "detector", "threshold", "AUC", "TPR", "FPR", "not judged", "not counted")
    return Table("figures", title, heads, tuple(rows), tuple(values))


def figures_of(judgements: Sequence[Judgement], threshold: float) -> Values:
    """Return AUC, TPR and FPR as JSON values, with intervals and the cases left out."""
    scores = scored(judgements)
    counted = [judgement for judgement in judgements if judgement.case.counted]
    return {
        "auc": scores.auc,
        "auc_interval": _ends(scores.auc_interval()),
        "tpr": _rate(scores.true_positives(threshold)),
        "fpr": _rate(scores.false_positives(threshold)),
        "not_judged": sum(judgement.score is None for judgement in counted),
        "not_counted": len(judgements) - len(counted),
    }


def figure_cells(judgements: Sequence[Judgement], threshold: float) -> tuple[str, str, str]:
    """Return AUC, TPR and FPR as cells."""
    scores = scored(judgements)
    auc = scores.auc
    return (
        "–" if auc is None else f"{auc:.3f} {_span(scores.auc_interval())}",
        share_cell(scores.true_positives(threshold)),
        share_cell(scores.false_positives(threshold)),
    )


def reliability_table(judgements: Sequence[Judgement]) -> Table:
    """Return how many fixes are there among scores near each tenth, by detector."""
    rows, values = [], []
    for detector in sorted({judgement.detector for judgement in judgements}):
        bins = reliability(scored([j for j in judgements if j.detector == detector]))
        error = calibration_error(bins)
        for entry in bins:
            if entry.present.n:
                rows.append((detector, f"{entry.near:.1f}", f"{entry.mean:.3f}", share_cell(entry.present)))
                values.append(
                    {"detector": detector, "near": entry.near, "mean": entry.mean} | _rate(entry.present)
                )
        if error is not None:
            rows.append((detector, "all", "calibration error", f"{error:.3f}"))
            values.append({"detector": detector, "near": None, "calibration_error": error})
    title = "Reliability: among scores near a tenth, how many fixes are there"
    heads = ("detector", "scores near", "mean score", "present")
    return Table("reliability", title, heads, tuple(rows), tuple(values))


def case_table(judgements: Sequence[Judgement], thresholds: Mapping[str, float]) -> Table:
    """Return, for every detector and kind of rewrite, how many cases are judged right."""
    groups: dict[tuple[str, str, bool], list[bool]] = defaultdict(list)
    for judgement in judgements:
        key = (judgement.detector, judgement.case.name, judgement.case.present)
        groups[key].append(judgement.is_right(thresholds[judgement.detector]))
    rows, values = [], []
    for (detector, name, present), outcomes in sorted(groups.items()):
        right = Proportion(sum(outcomes), len(outcomes))
        rows.append((detector, name, "present" if present else "absent", share_cell(right)))
        values.append({"detector": detector, "case": name, "present": present} | _rate(right))
    heads = ("detector", "state of the code", "known", "judged right")
    return Table("rewrites", "Rewrites and reverts, one by one", heads, tuple(rows), tuple(values))


def wrong(judgements: Sequence[Judgement], thresholds: Mapping[str, float]) -> Iterator[Judgement]:
    """Yield the judgements that are wrong or missing, those that are not counted included."""
    return (judgement for judgement in judgements if not judgement.is_right(thresholds[judgement.detector]))


def judgement_values(judgement: Judgement, threshold: float) -> Values:
    """Return a judgement as JSON values."""
    own = asdict(judgement)
    return {**own.pop("case"), **own, "right": judgement.is_right(threshold)}


def describe(judgement: Judgement) -> list[str]:
    """Return a judgement as lines: what it is of, how the answer is known, and the detector's reason."""
    case = judgement.case
    known = ("present" if case.present else "absent") + ("" if case.counted else " (not counted)")
    score = "no score" if judgement.score is None else f"score {judgement.score:.2f}"
    return [
        f"{case.part} {judgement.detector} {case.sample} {case.name}: {known}, {score}",
        f"    known: {case.why}",
        f"    {judgement.detector}: {judgement.reason}",
    ]


def share_cell(proportion: Proportion) -> str:
    """Return a rate with its counts and interval, a dash without trials."""
    if proportion.rate is None:
        return "–"
    return f"{proportion.k}/{proportion.n} = {proportion.rate:.1%} {_span(proportion.wilson())}"


def _span(interval: Interval | None) -> str:
    return "" if interval is None else f"[{interval.low:.3f}, {interval.high:.3f}]"


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def _rate(proportion: Proportion) -> Values:
    ends = _ends(proportion.wilson())
    return {"k": proportion.k, "n": proportion.n, "rate": proportion.rate, "interval": ends}
