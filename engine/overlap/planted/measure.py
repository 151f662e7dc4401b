"""Precision and recall of the gate on the planted corpus, for each kind of leak."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.overlap.corpus import CorpusOptions, discover
from engine.overlap.embedding import Embedder
from engine.overlap.evaluation_set import EvaluationSet
from engine.overlap.planted.corpus import KINDS, Planted, planted_corpus
from engine.overlap.result import ScanResult
from engine.overlap.rules import Rules
from engine.overlap.scan import run_scan
from engine.overlap.scan_plan import Scan
from engine.overlap.semantic import Match, nearest_documents, write_matches
from engine.statistics.proportions import Proportion

NEAREST = 10


@dataclass(frozen=True, slots=True)
class KindResult:
    """What was found of one kind of document.

    Attributes:
        kind: The kind.
        recall: Planted pairs that were flagged, of all planted; without meaning (0 of 0) for harmless kinds.
        precision: Flagged pairs that are the planted ones, of all flagged pairs of these documents.
    """

    kind: str
    recall: Proportion
    precision: Proportion


def planted_matches(folder: Path, embedder: Embedder) -> list[Match]:
    """Run the semantic pass: return the documents of the planted corpus that are nearest to each item."""
    evaluation, _, corpus = _write(folder)
    options = CorpusOptions()
    return nearest_documents(evaluation, discover([corpus], options), options, embedder, NEAREST)


def measure_planted(
    folder: Path, rules: Rules | None = None, matches: Sequence[Match] = ()
) -> list[KindResult]:
    """Scan the planted corpus and compare the flagged pairs with the truth.

    Args:
        folder: A folder to work in, the same as for `planted_matches`.
        rules: Thresholds.
        matches: What the semantic pass found, from `planted_matches`; empty for the gate alone.

    Returns:
        One row for each kind of document and one for all.
    """
    evaluation, documents, corpus = _write(folder)
    name = "semantic" if matches else "gate"
    scan = Scan(evaluation, (corpus,), folder / name, rules or Rules())
    if matches:
        scan.folder.mkdir(exist_ok=True)
        write_matches(scan.folder, matches, "planted", scan.sources)
    run_scan(scan)
    flagged = _flagged(scan.folder)
    kinds = [*KINDS, "template sibling", "unrelated"]
    rows = []
    for kind in kinds:
        numbers = {at for at, one in enumerate(documents, start=1) if one.kind == kind}
        truth = {(at, documents[at - 1].item) for at in numbers if documents[at - 1].is_leak}
        rows.append(_row(kind, truth, {pair for pair in flagged if pair[0] in numbers}))
    everything = {(at, one.item) for at, one in enumerate(documents, start=1) if one.is_leak}
    return [*rows, _row("all", everything, flagged)]


def _write(folder: Path) -> tuple[EvaluationSet, list[Planted], str]:
    evaluation, documents = planted_corpus()
    folder.mkdir(parents=True, exist_ok=True)
    corpus = folder / "planted.jsonl"
    corpus.write_text("".join(json.dumps({"text": one.text}) + "\n" for one in documents), encoding="utf-8")

    return evaluation, documents, str(corpus)


def _flagged(folder: Path) -> set[tuple[int, int | None]]:
    """Return (document number, item number) of every flagged pair, each document by itself."""
    rows = ScanResult(folder).flagged_documents()
    return {(int(document), int(item.removeprefix("item-"))) for item, document in rows}


def _row(kind: str, truth: set[tuple[int, int | None]], flagged: set[tuple[int, int | None]]) -> KindResult:
    right = len(truth & flagged)
    return KindResult(kind, Proportion(right, len(truth)), Proportion(right, len(flagged)))


def as_lines(results: Mapping[str, list[KindResult]]) -> list[str]:
    """Return a table of recall and precision: a row for each kind, two columns for each way of checking."""
    names = list(results)
    lines = [
        f"{'document':22s}" + "".join(f"  {name + ': recall':>22s}  {'precision':>12s}" for name in names)
    ]
    for row in zip(*results.values(), strict=True):
        cells = "".join(f"  {_cell(one.recall):>22s}  {_cell(one.precision):>16s}" for one in row)
        lines.append(f"{row[0].kind:22s}{cells}")
    return lines


def _cell(found: Proportion) -> str:
    return "–" if found.rate is None else f"{found.rate:.2f} ({found.k}/{found.n})"
