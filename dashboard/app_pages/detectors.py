"""Two detectors side by side: how often they disagree about a fix, and on which samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import streamlit as st

from dashboard import downloads, filters, queries, states, words
from dashboard.address import Address, write
from dashboard.cells import label_cell
from dashboard.database import snapshot
from dashboard.filters import Scope
from dashboard.links import Target
from dashboard.records import Agreement, Catalogue, DetectorChoice, PairVerdict
from dashboard.table import Cell, Column, Row, evidence_table, offer_pages, page_of
from engine.statistics.proportions import Proportion
from engine.store.connection import Snapshot

_SHOWN = {
    "differ": "Only where they disagree",
    "gone": "Clean by both",
    "unknown": "Unknown to either",
    "all": "All samples",
}


@dataclass(frozen=True, slots=True)
class _View:
    """Everything the address says about this page."""

    scope: Scope
    against: DetectorChoice
    cutoff: date
    shown: str

    @property
    def first(self) -> tuple[str, float]:
        return self.scope.detector.detector, self.scope.threshold

    @property
    def second(self) -> tuple[str, float]:
        return self.against.detector, self.against.threshold


def show() -> None:
    """Show the page."""
    database, address = snapshot(), Address()
    catalogue = queries.catalogue(database)
    if not catalogue.benchmarks or not catalogue.detectors:
        states.nothing_imported()
        return
    st.title("Where do the detectors disagree?", anchor=False)
    if len(catalogue.detectors) < 2:
        st.markdown("The database holds one detector only, so there is nothing to compare it with.")
        return
    view = _read(database, address, catalogue)
    address.notice()
    if view is None:
        st.markdown("The registry holds no training cutoff yet: see `data/model.toml`.")
        return
    for detector in (view.scope.detector, view.against):
        states.not_judged(detector)
    verdicts = queries.pair_verdicts(
        database, view.scope.benchmark.benchmark, view.cutoff, view.first, view.second
    )
    _summarise(view, verdicts)
    _samples(database, address, view, _chosen(verdicts, view.shown))
    _by_cutoff(database, view)


def _read(database: Snapshot, address: Address, catalogue: Catalogue) -> _View | None:
    with st.grid(3, min_column_width=160):
        benchmark = filters.choose_benchmark(address, catalogue)
        detector = filters.choose_detector(address, catalogue)
        others = {
            choice.detector: choice.title
            for choice in catalogue.detectors
            if choice.detector != detector.detector
        }
        against = filters.choose(
            address,
            "against",
            "Compared with",
            others,
            default=next(iter(others)),
            clears=("page",),
            hint="The second detector, at its own threshold.",
        )
        cutoff = filters.choose_cutoff(
            address, queries.cutoffs(database), hint="Both are asked whether the fix was there on this day."
        )
        threshold = filters.choose_threshold(address, detector)
        shown = filters.choose(address, "show", "Samples", _SHOWN, default="differ", clears=("page",))
    if cutoff is None:
        return None
    return _View(Scope(benchmark, detector, threshold), catalogue.detector(against), cutoff, shown)


def _chosen(verdicts: Sequence[PairVerdict], shown: str) -> list[PairVerdict]:
    match shown:
        case "differ":
            return [pair for pair in verdicts if pair.differ]
        case "gone":
            return [pair for pair in verdicts if pair.label == pair.other_label == "clean"]
        case "unknown":
            return [pair for pair in verdicts if "unknown" in (pair.label, pair.other_label)]
        case _:
            return list(verdicts)


def _summarise(view: _View, verdicts: Sequence[PairVerdict]) -> None:
    first, second = (words.markdown(choice.title) for choice in (view.scope.detector, view.against))
    judged = [pair for pair in verdicts if "unknown" not in (pair.label, pair.other_label)]
    differ = Proportion(sum(pair.differ for pair in judged), len(judged))
    only_first = sum(pair.differ and pair.label == "clean" for pair in judged)
    st.markdown(
        f"At the cutoff {view.cutoff} the two disagree on **{differ.k} of {differ.n}** samples that both "
        f"judge: {words.percent(differ.rate)} {words.interval(differ.wilson())}. "
        f"{first} finds the fix and {second} does not: **{differ.k - only_first}**; "
        f"the other way round: **{only_first}**. "
        f"Clean by {first}: {sum(pair.label == 'clean' for pair in judged)}, "
        f"by {second}: {sum(pair.other_label == 'clean' for pair in judged)}, "
        f"by both: {sum(pair.label == pair.other_label == 'clean' for pair in judged)}."
    )
    st.markdown(
        "The repository counts as seen here, so that only the fix decides. A detector that finds fewer fixes "
        "calls more samples clean; whether it is right is measured where the answer is known, with "
        "`benchchecker evaluate presence`. Another threshold or cutoff changes these counts."
    )


def _samples(database: Snapshot, address: Address, view: _View, pairs: Sequence[PairVerdict]) -> None:
    if not pairs:
        kept = _SHOWN[view.shown].casefold()
        why = (
            f"No sample of {words.markdown(view.scope.benchmark.title)} is left at this cutoff with “{kept}”."
        )
        states.no_rows(why, "Show all samples", lambda: write({"show": "all"}))
        return
    columns = (
        Column("sample", "Sample", "Difficulty below.", heading=True),
        Column("label", view.scope.detector.title, whole=True),
        Column("reason", "Its reason"),
        Column("other_label", view.against.title, whole=True),
        Column("other_reason", "Its reason"),
    )
    rows = [_row(view, pair) for pair in pairs[page_of(pairs, address)]]
    evidence_table("pairs", f"Samples at {view.cutoff} by two detectors", columns, rows)
    offer_pages(pairs, address)
    name = f"detectors-{view.scope.benchmark.benchmark}-{view.cutoff}"
    downloads.offer(name, lambda: downloads.table_of(pairs, PairVerdict, _notes(database, view)))


def _row(view: _View, pair: PairVerdict) -> Row:
    labelling = filters.labelling(view.scope.detector, view.scope.threshold)
    place = {"sample": pair.sample, "cutoff": view.cutoff.isoformat(), **labelling}
    level = view.scope.level_titles.get(pair.difficulty or "", "")
    return Row(
        pair.sample,
        {
            "sample": Cell(pair.sample, detail=level, link=Target("sample", place)),
            "label": label_cell(pair.label, detail=_score(pair.score)),
            "reason": Cell(pair.method, detail=pair.reason),
            "other_label": label_cell(pair.other_label, detail=_score(pair.other_score)),
            "other_reason": Cell(pair.other_method, detail=pair.other_reason),
        },
    )


def _score(score: float | None) -> str:
    return "" if score is None else f"score {score:.2f}"


def _by_cutoff(database: Snapshot, view: _View) -> None:
    st.header("How often, at the cutoff of each submission?", anchor=False)
    agreements = queries.agreement(database, view.scope.benchmark.benchmark, view.first, view.second)
    if not agreements:
        st.markdown("No submission has a known cutoff at which both have judged a sample.")
        return
    columns = (
        Column("cutoff", "Cutoff", heading=True, whole=True),
        Column("submissions", "Submissions", align="end", whole=True),
        Column("clean", f"Clean, {view.scope.detector.title}", align="end", whole=True),
        Column("other_clean", f"Clean, {view.against.title}", align="end", whole=True),
        Column("differ", "Disagree", align="end", whole=True),
    )
    rows = [Row(agreement.cutoff.isoformat(), _agreement_cells(agreement)) for agreement in agreements]
    evidence_table("agreement", "How far two detectors agree at each cutoff", columns, rows)
    name = f"detectors-{view.scope.benchmark.benchmark}-by-cutoff"
    downloads.offer(name, lambda: downloads.table_of(agreements, Agreement, _notes(database, view)))


def _agreement_cells(agreement: Agreement) -> dict[str, Cell]:
    differ = Proportion(agreement.differ, agreement.both_judge)
    return {
        "cutoff": Cell(agreement.cutoff.isoformat()),
        "submissions": Cell(f"{agreement.submissions:,}"),
        "clean": Cell(words.share_of(agreement.clean, agreement.both_judge)),
        "other_clean": Cell(words.share_of(agreement.other_clean, agreement.both_judge)),
        "differ": Cell(
            words.percent(differ.rate),
            detail=f"{words.share_of(differ.k, differ.n)} {words.interval(differ.wilson())}",
        ),
    }


def _notes(database: Snapshot, view: _View) -> dict[str, str]:
    return view.scope.notes(database) | {
        "against": view.against.detector,
        "against_threshold": f"{view.against.threshold:g}",
    }
