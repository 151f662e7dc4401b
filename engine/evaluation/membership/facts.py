"""The results of the experiment as two tables of facts: rows by method, and every measured repository."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from engine.evaluation.membership.cases import Case, Key, cases
from engine.evaluation.membership.experiment import Asked, Scored, Transferred
from engine.evaluation.membership.tables import Row, tables
from engine.evaluation.membership.texts import Split
from engine.statistics.proportions import Interval

METHODS, REPOSITORIES, LINES = "method.csv", "repository.csv", "next_line.csv"
P0_TRIED = (0.02, 0.05, 0.08, 0.1, 0.2, 0.3)
"""Hit rates of unseen repositories that stand in for the calibrated one (Figure 5)."""
_COLUMNS = (
    *("training", "dose", "temperature", "p0", "method", "auc", "auc_low", "auc_high"),
    *("true_positives", "members", "tpr_low", "tpr_high"),
    *("false_positives", "others", "fpr_low", "fpr_high"),
)
_OF_REPOSITORY = (
    *("training", "dose", "temperature", "seed", "repository", "member", "method", "score", "called"),
    *("hits", "queries"),
)


def write_facts(
    folder: Path, asked: Sequence[Asked], scored: Sequence[Scored], splits: Mapping[int, Split]
) -> list[Path]:
    """Write both tables and return their paths.

    The P0 and temperature series are of Stage I; everything else is at P0 as calibrated and temperature 1.
    """
    folder.mkdir(parents=True, exist_ok=True)
    main = cases(asked, scored, splits)
    lines = [_line(row, 1.0, "calibrated") for row in tables(main)]
    for p0 in P0_TRIED:
        lines += [_line(row, 1.0, f"{p0:g}") for row in tables(cases(asked, (), splits, p0=p0))]
    repositories = list(_of_repository(main, 1.0))
    for temperature in sorted({row.temperature for row in asked} - {1.0}):
        found = {key: rows for key, rows in cases(asked, (), splits, temperature).items() if rows}
        lines += [_line(row, temperature, "calibrated") for row in tables(found)]
        repositories += _of_repository(found, temperature)
    written = [folder / METHODS, folder / REPOSITORIES]
    for path, columns, rows in zip(written, (_COLUMNS, _OF_REPOSITORY), (lines, repositories), strict=True):
        _write(path, columns, rows)
    return written


def write_lines(folder: Path, rows: Sequence[Transferred], splits: Mapping[int, Split]) -> Path:
    """Write the exact matches of next lines by repository, and return the path."""
    columns = ("training", "dose", "seed", "repository", "member", "matches", "samples")
    _write(
        folder / LINES,
        columns,
        (
            (
                *(row.training, row.dose, row.seed, row.repository),
                *(int(row.repository in splits[row.seed].members), row.matches, row.samples),
            )
            for row in rows
        ),
    )
    return folder / LINES


def _line(row: Row, temperature: float, p0: str) -> tuple[object, ...]:
    return (
        *(row.training, row.dose, f"{temperature:g}", p0, row.method, _figure(row.auc)),
        *_ends(row.auc_interval),
        *(row.members.k, row.members.n, *_ends(row.members_interval)),
        *(row.others.k, row.others.n, *_ends(row.others_interval)),
    )


def _of_repository(found: Mapping[Key, Sequence[Case]], temperature: float) -> Iterable[tuple[object, ...]]:
    for (training, dose, method), rows in found.items():
        for row in rows:
            yield (
                *(training, dose, f"{temperature:g}", row.seed, row.repository, int(row.member), method),
                *(f"{row.score:.6g}", int(row.called), row.hits, row.queries),
            )


def _ends(interval: Interval | None) -> tuple[str, str]:
    return ("", "") if interval is None else (_figure(interval.low), _figure(interval.high))


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    part.replace(path)
