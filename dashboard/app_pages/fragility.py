"""How fragile is the ranking? Places and orders that survive other samples and every other choice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from dashboard import comparison_cells, downloads, estimates, filters, queries, states, theme, words
from dashboard.address import Address
from dashboard.charts import frame, ranks
from dashboard.database import snapshot
from dashboard.filters import Scope
from dashboard.fragile_orders import PAIR, show_changes, show_pair
from dashboard.links import Target
from dashboard.records import Catalogue
from dashboard.table import Cell, Column, Row, evidence_table
from engine.export.fragility import standing_table
from engine.leaderboard.fragility import Standing
from engine.statistics.proportions import FEWEST_SAMPLES
from engine.store.connection import Snapshot

_TOP = {"10": "The 10 best", "20": "The 20 best", "50": "The 50 best"}
_SHOWN = {"all": "All submissions", "best": "The best of each model"}
_COLUMNS = (
    Column(
        "rank",
        "Place",
        "Below it: 95% interval over samples drawn anew, singly or by repository.",
        whole=True,
    ),
    Column("submission", "Submission", heading=True, width="34%"),
    Column("rate", "Clean samples resolved", align="end", whole=True),
    Column(
        "range",
        "Best to worst",
        "Places over all choices of detector, threshold, cutoffs and models, where it is rated.",
        align="end",
        whole=True,
    ),
    Column(
        "above",
        "Surely above",
        "Submissions that it beats in every ranking, and in 97.5% of the draws.",
        align="end",
        whole=True,
    ),
    Column("below", "Surely below", "Submissions that beat it likewise.", align="end", whole=True),
)


@dataclass(frozen=True, slots=True)
class _View:
    """Everything the address says about this page."""

    scope: Scope
    top: int
    one_a_model: bool


def show() -> None:
    """Show the page."""
    database, address = snapshot(), Address()
    catalogue = queries.catalogue(database)
    st.title("How fragile is the ranking?", anchor=False)
    if not catalogue.benchmarks or not catalogue.detectors:
        states.nothing_imported()
        return
    view = _read(address, catalogue)
    address.notice()
    scope = view.scope
    states.not_judged(scope.detector)
    with st.spinner("Making every ranking …"):
        found = estimates.ranked(
            database,
            scope.benchmark.benchmark,
            scope.detector.detector,
            scope.threshold,
            view.top,
            view.one_a_model,
        )
    if len(found.matrix.submissions) < 2:
        _too_few(scope, found)
        return
    _answer(found)
    notes = scope.notes(database) | {
        "submissions": f"{view.top} best",
        "one_a_model": str(view.one_a_model).lower(),
        "rankings": str(len(found.scenarios)),
    }
    _places(database, scope, found, notes)
    show_changes(found, catalogue)
    show_pair(found, catalogue, notes)


def _read(address: Address, catalogue: Catalogue) -> _View:
    with st.grid(5, min_column_width=160):
        scope = filters.choose_scope(address, catalogue)
        top = filters.choose(
            address,
            "top",
            "Submissions",
            _TOP,
            default="20",
            clears=PAIR,
            hint="By the rate before, among those with a known cutoff.",
        )
        shown = filters.choose(address, "show", "Of each model", _SHOWN, default="all", clears=PAIR)
    return _View(scope, int(top), shown == "best")


def _too_few(scope: Scope, found: Standing) -> None:
    if not found.left_out and not found.matrix.submissions:
        states.no_adjusted(scope.benchmark.title)
        return
    st.markdown(
        f"**{len(found.matrix.submissions)}** of these submissions to "
        f"{words.markdown(scope.benchmark.title)} have {FEWEST_SAMPLES} clean samples or more, so there is "
        "no ranking to shake. A higher threshold, or a detector that finds fewer fixes, calls more samples "
        "clean."
    )


def _answer(found: Standing) -> None:
    ordered, sure = int(found.ordered.sum()), int((found.sure & found.ordered).sum())
    always = int((found.fragility.always_above & found.ordered).sum())
    first = int(np.sum(found.ranks.low == 1))
    left_out = (
        f" {words.count(found.left_out, 'submission')} with fewer than {FEWEST_SAMPLES} clean samples "
        f"{'is' if found.left_out == 1 else 'are'} left out."
        if found.left_out
        else ""
    )
    if not ordered:
        st.markdown(f"All these submissions have the same rate on clean samples.{left_out}")
        return
    st.markdown(
        f"The ranking of these **{len(found.matrix.submissions)} submissions** on clean samples says "
        f"“A before B” **{ordered}** times. **{always}** of these ({words.percent(always / ordered)}) hold "
        f"in every one of {len(found.scenarios)} ways to make it, and **{sure}** "
        f"({words.percent(sure / ordered)}) also beyond the chance of which samples were asked. For "
        f"**{first}** of the submissions the interval reaches the first place.{left_out}"
    )
    st.markdown(
        "The ways are every detector that has judged samples, thresholds from 0.4 to 0.9 beside its own and "
        "the one above, cutoffs as registered, published only, or by the rule of three months before "
        "release, and the latest, the earliest or the only model. More clean samples would make the "
        "intervals narrower; agreement on how to label "
        "would spare the rest."
    )


def _places(database: Snapshot, scope: Scope, found: Standing, notes: dict[str, str]) -> None:
    st.header("Which places could each have as well?", anchor=False)
    colours = theme.palette()
    placed = [one for place in range(len(found.matrix.submissions)) if (one := _placed(found, place))]
    repositories = len(set(found.matrix.samples.repository))
    frame.show(
        "ranks",
        ranks.ranks(placed, colours),
        told=f"Places of {len(placed)} submissions with the places that other samples and choices would give",
        caption=frame.caption(
            f"n = {len(placed)} submissions, {repositories} repositories, {len(found.scenarios)} rankings",
            scope,
            database,
        ),
        table=lambda: standing_table(found, notes),
        entries=ranks.entries(colours),
    )
    rows = [_row(found, scope, place) for place in range(len(found.matrix.submissions))]
    evidence_table("standing", "Submissions by their rate on clean samples", _COLUMNS, rows)
    downloads.offer(
        f"fragility-{scope.benchmark.benchmark}-{scope.detector.detector}",
        lambda: standing_table(found, notes),
    )


def _placed(found: Standing, place: int) -> ranks.Placed | None:
    rank = found.ranks.at(place)
    if rank is None:
        return None
    entry, share = found.matrix.submissions[place], found.scenarios[0].counts.at(place)
    best, worst = int(found.fragility.best[place]), int(found.fragility.worst[place])
    lines = (
        entry.title,
        f"place {rank.rank}, other samples {rank.low}{words.DASH}{rank.high}",
        f"other choices {best}{words.DASH}{worst}",
        f"resolved {words.percent(share.rate)} ({share.k}/{share.n}) of the clean samples",
    )
    hover = "<br>".join(words.hover(line) for line in lines)
    return ranks.Placed(entry.title, rank.rank, (rank.low, rank.high), (best, worst), hover)


def _row(found: Standing, scope: Scope, place: int) -> Row:
    entry, share, rank = (
        found.matrix.submissions[place],
        found.scenarios[0].counts.at(place),
        found.ranks.at(place),
    )
    others = len(found.matrix.submissions) - 1
    best, worst = found.fragility.best[place], found.fragility.worst[place]
    target = Target("submission", {"submission": entry.submission, **scope.parameters()})
    return Row(
        entry.submission,
        {
            "rank": Cell(words.DASH)
            if rank is None
            else Cell(str(rank.rank), detail=f"[{rank.low}{words.DASH}{rank.high}]"),
            "submission": Cell(
                entry.title, detail=", ".join(entry.model_titles) or "unknown model", link=target
            ),
            "rate": comparison_cells.rate_cell(share, share.wilson()),
            "range": Cell(f"{best:.0f}{words.DASH}{worst:.0f}"),
            "above": Cell(words.share_of(int(found.sure[place].sum()), others)),
            "below": Cell(words.share_of(int(found.sure[:, place].sum()), others)),
        },
    )
