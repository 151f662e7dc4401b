"""The figures of an evaluation, as JSON values and as tables for the terminal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.evaluation.discrimination import Discrimination
from engine.evaluation.judgement import Judgement
from engine.statistics.proportions import Interval, Proportion


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one detector on the cases of one part and benchmark.

    Attributes:
        part: The part.
        benchmark: Key of the benchmark.
        detector: Name of the detector.
        threshold: Score from which a case is called present.
        scores: Scores of the counted cases.
        unjudged: Counted cases without a score.
        arguable: Cases that are not counted.
    """

    part: str
    benchmark: str
    detector: str
    threshold: float
    scores: Discrimination
    unjudged: int
    arguable: int

    def as_json(self) -> dict[str, Any]:
        """Return the figures as JSON values, None where there are no cases."""
        return {
            "part": self.part,
            "benchmark": self.benchmark,
            "detector": self.detector,
            "threshold": self.threshold,
            "auc": self.scores.auc,
            "auc_interval": _ends(self.scores.auc_interval()),
            "tpr": _rate(self.scores.true_positives(self.threshold)),
            "fpr": _rate(self.scores.false_positives(self.threshold)),
            "not_judged": self.unjudged,
            "not_counted": self.arguable,
        }


def figures_of(judgements: Sequence[Judgement], thresholds: Mapping[str, float]) -> list[Figures]:
    """Return the figures of every part, benchmark and detector, in that order.

    Args:
        judgements: What the detectors said.
        thresholds: The threshold of each detector.
    """
    groups: dict[tuple[str, str, str], list[Judgement]] = defaultdict(list)
    for judgement in judgements:
        groups[judgement.case.part, judgement.case.benchmark, judgement.detector].append(judgement)
    return [_figures(key, group, thresholds[key[2]]) for key, group in sorted(groups.items())]


def _figures(key: tuple[str, str, str], group: Sequence[Judgement], threshold: float) -> Figures:
    counted = [judgement for judgement in group if judgement.case.counted]
    scored = [judgement for judgement in counted if judgement.score is not None]
    scores = Discrimination.of(
        [judgement.score for judgement in scored if judgement.score is not None],
        [judgement.case.present for judgement in scored],
    )
    return Figures(*key, threshold, scores, len(counted) - len(scored), len(group) - len(counted))


def exceptions(judgements: Sequence[Judgement], thresholds: Mapping[str, float]) -> Iterator[Judgement]:
    """Yield the judgements that are wrong or missing, those that are not counted included."""
    return (judgement for judgement in judgements if not judgement.is_right(thresholds[judgement.detector]))


def judgement_json(judgement: Judgement, threshold: float) -> dict[str, Any]:
    """Return a judgement as JSON values."""
    case = judgement.case
    return {
        "part": case.part,
        "benchmark": case.benchmark,
        "detector": judgement.detector,
        "sample": case.sample,
        "case": case.name,
        "present": case.present,
        "why": case.why,
        "counted": case.counted,
        "score": judgement.score,
        "method": judgement.method,
        "reason": judgement.reason,
        "right": judgement.is_right(threshold),
    }


def figure_cells(figures: Figures) -> list[str]:
    """Return the cells of a row, a dash where there is no figure."""
    scores, threshold = figures.scores, figures.threshold
    auc = scores.auc
    return [
        figures.part,
        figures.benchmark,
        figures.detector,
        f"{threshold:.3f}",
        "–" if auc is None else f"{auc:.3f} {_span(scores.auc_interval(), 3)}",
        _share(scores.true_positives(threshold)),
        _share(scores.false_positives(threshold)),
        str(figures.unjudged),
        str(figures.arguable),
    ]


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


FIGURE_COLUMNS = (
    "part",
    "benchmark",
    "detector",
    "threshold",
    "AUC",
    "TPR",
    "FPR",
    "not judged",
    "not counted",
)


def _share(proportion: Proportion) -> str:
    if proportion.rate is None:
        return "–"
    return f"{proportion.k}/{proportion.n} = {proportion.rate:.1%} {_span(proportion.wilson(), 2)}"


def _span(interval: Interval | None, digits: int) -> str:
    return "" if interval is None else f"[{interval.low:.{digits}f}, {interval.high:.{digits}f}]"


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def _rate(proportion: Proportion) -> dict[str, Any]:
    return {
        "k": proportion.k,
        "n": proportion.n,
        "rate": proportion.rate,
        "interval": _ends(proportion.wilson()),
    }
