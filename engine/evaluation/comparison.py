"""Our figures beside the paper's: the ablation (Table 5) and the threshold curve (Figure 6)."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.evaluation.ablation import TABLE5
from engine.evaluation.calibration import scored
from engine.evaluation.judgement import Judgement
from engine.evaluation.tables import Table, Values, figure_cells, figures_of
from engine.paths import DATA_DIR
from engine.problems import BenchCheckerError

PAPER_THRESHOLD = 0.7
"""Where the paper's curve is highest, for Python and Java alike (Section 5.5)."""
_STEPS = 20
_COLUMNS = ["stage", "variant", "auc", "tpr", "fpr"]


def read_table5(data: Path = DATA_DIR) -> dict[str, dict[str, float]]:
    """Return the paper's AUC, TPR and FPR of Stage II by variant, from `data/paper/table5.csv`.

    Raises:
        BenchCheckerError: If the file is missing or not as written.
    """
    path = data / "paper" / "table5.csv"
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream)
            if reader.fieldnames != _COLUMNS:
                raise ValueError(f"the columns are not {', '.join(_COLUMNS)}")
            return {
                row["variant"]: {name: float(row[name]) for name in _COLUMNS[2:]}
                for row in reader
                if row["stage"] == "II"
            }
    except (OSError, ValueError, TypeError) as error:
        raise BenchCheckerError(f"{path}: {error} (restore the file)") from error


def ablation_table(judgements: Sequence[Judgement], threshold: float, data: Path = DATA_DIR) -> Table:
    """Return our figures for each variant of Table 5 on each part, beside the paper's.

    Args:
        judgements: What the `paper` detector and its ablated variants said.
        threshold: The threshold of all of them.
        data: Folder of the fact files.
    """
    rows, values = [], []
    for part, benchmark in sorted({(j.case.part, j.case.benchmark) for j in judgements}):
        measured = [j for j in judgements if (j.case.part, j.case.benchmark) == (part, benchmark)]
        for variant, printed in read_table5(data).items():
            detector = TABLE5.get(variant)
            own = [judgement for judgement in measured if judgement.detector == detector]
            paper = tuple(f"{printed[name]:.3f}" for name in ("auc", "tpr", "fpr"))
            name = variant.replace("BenchChecker w/o", "without")
            rows.append((part, benchmark, name, *figure_cells(own, threshold), *paper))
            head: Values = {"part": part, "benchmark": benchmark, "variant": variant, "detector": detector}
            values.append({**head, "ours": figures_of(own, threshold), "paper": printed})
    heads = ("part", "benchmark", "variant", "AUC", "TPR", "FPR", "paper's AUC", "paper's TPR", "paper's FPR")
    title = f"Ablation (Table 5; the paper's on its own Python data) at threshold {threshold:.2f}"
    return Table("ablation", title, heads, tuple(rows), tuple(values))


def threshold_table(judgements: Sequence[Judgement]) -> Table:
    """Return TPR, FPR and the AUC of the decision at thresholds from 0 to 1 (Figure 6).

    A decision at a fixed threshold has one point on the ROC curve; the area below it is (TPR + 1 - FPR) / 2,
    which is what varies with the threshold. The paper prints its curve as a picture: of its figures only the
    place of the maximum is known.
    """
    rows, values = [], []
    for detector, benchmark, group in _groups(judgements):
        scores = scored(group)
        points = []
        for step in range(_STEPS + 1):
            threshold = step / _STEPS
            tpr = scores.true_positives(threshold).rate
            fpr = scores.false_positives(threshold).rate
            if tpr is not None and fpr is not None:
                points.append((threshold, tpr, fpr, (tpr + 1 - fpr) / 2))
        best = max((point[3] for point in points), default=0.0)
        for threshold, tpr, fpr, area in points:
            marks = ["ours best"] * (area == best) + ["paper's best"] * (threshold == PAPER_THRESHOLD)
            cells = (f"{threshold:.2f}", f"{tpr:.3f}", f"{fpr:.3f}", f"{area:.3f}", ", ".join(marks))
            rows.append((detector, benchmark, *cells))
            head: Values = {"detector": detector, "benchmark": benchmark, "threshold": threshold}
            values.append({**head, "tpr": tpr, "fpr": fpr, "auc": area})
    heads = ("detector", "benchmark", "threshold", "TPR", "FPR", "AUC of the decision", "")
    return Table("threshold", "Thresholds (Figure 6)", heads, tuple(rows), tuple(values))


def _groups(judgements: Sequence[Judgement]) -> Iterator[tuple[str, str, list[Judgement]]]:
    keys = sorted({(judgement.detector, judgement.case.benchmark) for judgement in judgements})
    for detector, benchmark in keys:
        yield (
            detector,
            benchmark,
            [j for j in judgements if j.detector == detector and j.case.benchmark == benchmark],
        )
