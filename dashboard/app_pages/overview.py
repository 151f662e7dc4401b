"""Overview: how much of each benchmark is contaminated, and does that change the ranking?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from dashboard import filters, queries, standings, states, theme, words
from dashboard.address import Address
from dashboard.charts import exposure, frame
from dashboard.comparison_cells import MARGIN
from dashboard.database import snapshot
from dashboard.filters import Scope
from dashboard.links import Target
from dashboard.records import BenchmarkChoice, Catalogue
from dashboard.table import Cell, Column, Row, evidence_table
from dashboard.table_1 import show_table_1
from engine.export.exposures import exposure_table
from engine.leaderboard.exposures import ExposureShare
from engine.paper.printed import TABLE_1_CUTOFF
from engine.statistics.verdict import Verdict
from engine.store.connection import Snapshot

_COLUMNS = (
    Column("benchmark", "Benchmark", "Opens its leaderboard.", heading=True, width="20%"),
    Column(
        "submissions",
        "Submissions",
        "With usable results and a known cutoff, of all.",
        align="end",
        whole=True,
    ),
    Column("moved", "Change place", "Of those with a place before and after.", align="end", whole=True),
    Column(
        "surely",
        "Beyond doubt",
        "Those whose 95% intervals of the place before and after have no place in common.",
        align="end",
        whole=True,
    ),
    Column("lead", "Could be first", "Submissions whose interval reaches the first place.", whole=True),
    Column(
        "agreement",
        "Same order",
        "Kendall's tau of the places before and after: 1 is the same order.",
        align="end",
    ),
    Column(
        "holds",
        "Contaminated score higher",
        f"Beyond chance; below it: not by {MARGIN} points, cannot be said.",
    ),
)


def show() -> None:
    """Show the page."""
    database, address = snapshot(), Address()
    catalogue = queries.catalogue(database)
    st.title("How contaminated are the benchmarks, and does it change the ranking?", anchor=False)
    if not catalogue.benchmarks or not catalogue.detectors:
        states.nothing_imported()
        return
    with st.grid(2, min_column_width=160):
        detector = filters.choose_detector(address, catalogue)
        threshold = filters.choose_threshold(address, detector)
    address.notice()
    states.not_judged(detector)
    scopes = [Scope(choice, detector, threshold) for choice in catalogue.benchmarks]
    cutoffs = tuple(sorted({choice.cutoff for choice in queries.cutoffs(database)} | {TABLE_1_CUTOFF}))
    every = {
        choice.detector: standings.exposures(
            database,
            choice.detector,
            threshold if choice == detector else choice.threshold,
            cutoffs,
        )
        for choice in catalogue.detectors
        if choice.judged_samples
    }
    chosen = every.get(detector.detector, ())
    _charts(database, scopes, catalogue, every)
    _ranking(database, scopes)
    show_table_1(database, scopes, [share for share in chosen if share.cutoff == TABLE_1_CUTOFF])


def _charts(
    database: Snapshot,
    scopes: Sequence[Scope],
    catalogue: Catalogue,
    every: Mapping[str, Sequence[ExposureShare]],
) -> None:
    st.header("How much is contaminated at each training cutoff?", anchor=False)
    st.markdown(
        "A sample is contaminated at a cutoff when its fix was in the repository on that day; the repository "
        "counts as seen here. Where the detectors lie apart, they disagree on whether rewritten code still "
        "holds the fix."
    )
    colours = theme.palette()
    shown = [scope for scope in scopes if any(_of(found, scope.benchmark) for found in every.values())]
    if not shown:
        st.markdown("No detector has judged any sample yet: `benchchecker label` does.")
        return
    titles = {choice.detector: choice.title for choice in catalogue.detectors}
    with st.grid(3, min_column_width=320):
        for scope in shown:
            with st.container():
                key = scope.benchmark.benchmark
                parts = {name: _of(found, scope.benchmark) for name, found in every.items()}
                chosen = parts.pop(scope.detector.detector, ())
                others = {titles[name]: found for name, found in parts.items()}
                st.subheader(words.markdown(scope.benchmark.title), anchor=False)
                st.markdown(_latest(chosen))
                shares = [share for found in (chosen, *parts.values()) for share in found]
                frame.show(
                    f"exposure-{key}",
                    exposure.shares(chosen, others, colours),
                    told=f"Share of contaminated samples of {scope.benchmark.title} by training cutoff",
                    caption=frame.caption(f"n = {scope.benchmark.size} samples", scope, database),
                    table=partial(exposure_table, shares, scope.notes(database)),
                    entries=exposure.entries(list(others), colours),
                )


def _of(shares: Sequence[ExposureShare], benchmark: BenchmarkChoice) -> tuple[ExposureShare, ...]:
    return tuple(share for share in shares if share.benchmark == benchmark.benchmark)


def _latest(shares: Sequence[ExposureShare]) -> str:
    judged = [share for share in shares if share.contaminated.n]
    if not judged:
        return "The chosen detector has judged none of its samples."
    ends = [judged[0], judged[-1]]
    first, last = (_share(share) for share in ends)
    unknown = f", {last_unknown} unknown" if (last_unknown := ends[-1].unknown) else ""
    return f"From {first} at {ends[0].cutoff} to {last} at {ends[1].cutoff}{unknown}."


def _share(share: ExposureShare) -> str:
    found = share.contaminated
    return f"**{words.percent(found.rate)}** ({found.k}/{found.n})"


def _ranking(database: Snapshot, scopes: Sequence[Scope]) -> None:
    st.header("What changes in the ranking, and how sure is that?", anchor=False)
    rows = [_ranking_row(database, scope) for scope in scopes]
    evidence_table("benchmarks", "What leaving out contaminated samples does to each ranking", _COLUMNS, rows)
    st.markdown(
        "Places are by the rate on all samples before, on clean samples after. Few clean samples make wide "
        "intervals: a change of place within them is no finding. More clean samples, another detector or "
        "threshold would change this."
    )


def _ranking_row(database: Snapshot, scope: Scope) -> Row:
    labelling = scope.benchmark.benchmark, scope.detector.detector, scope.threshold
    board = standings.board(database, *labelling)
    found = standings.moves(database, *labelling)
    judged = [comparison for row in board.rows if (comparison := standings.adjusted(row)) is not None]
    verdicts = Counter(comparison.judgement.verdict for comparison in judged)
    size = words.count(scope.benchmark.size, "sample")
    target = Target("leaderboard", scope.parameters())
    content = {
        "benchmark": Cell(scope.benchmark.title, detail=size, link=target),
        "submissions": Cell(words.share_of(len(judged), len(board.rows))),
    }
    if found.ranked < 2:
        content |= {"moved": Cell("too few to rank", tone="unknown")}
        return Row(scope.benchmark.benchmark, content, muted=True)
    content |= {
        "moved": Cell(words.share_of(found.moved, found.ranked), detail=f"by up to {found.largest_move}"),
        "surely": Cell(words.share_of(found.surely_moved, found.ranked)),
        "lead": Cell(f"{found.could_lead_before} → {found.could_lead_after}", detail="before → after"),
        "agreement": Cell(
            words.DASH if found.agreement is None else f"{found.agreement:.2f}".replace("-", words.MINUS)
        ),
        "holds": Cell(
            str(verdicts[Verdict.HOLDS]),
            detail=f"{verdicts[Verdict.DOES_NOT_HOLD]} not, {verdicts[Verdict.INSUFFICIENT]} cannot be said",
        ),
    }
    return Row(scope.benchmark.benchmark, content)
