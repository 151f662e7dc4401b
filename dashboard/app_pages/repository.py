"""One repository: which models saw it, how that is known, and the lives of its fixes."""

from __future__ import annotations

from collections import Counter

import streamlit as st

from dashboard import downloads, filters, queries, states, words
from dashboard.address import Address
from dashboard.cells import cutoff_cell
from dashboard.database import snapshot
from dashboard.hits import show_hits
from dashboard.links import Target
from dashboard.records import DetectorChoice, RepositoryFix, RepositoryPresence
from dashboard.table import Cell, Column, Dumbbell, Row, evidence_table, offer_pages, page_of
from engine.statistics.proportions import Proportion
from engine.store.connection import Snapshot

_MODEL_COLUMNS = (
    Column("model", "Model", heading=True),
    Column("cutoff", "Cutoff", "Last day of its training data.", whole=True),
    Column("verdict", "Repository", "Whether the model saw it, and what says so."),
    Column("hits", "Hits", "Queries hit of those answered, with a 95% interval.", align="end", whole=True),
    Column("p0", "P0", "Hit rate in repositories that the model did not see.", align="end", whole=True),
    Column("p", "p", "Of the weighted hits; below, of the plain count.", align="end", whole=True),
    Column("q", "q", "p after false-discovery control over repositories.", align="end", whole=True),
    Column(
        "power",
        "Could show",
        "Smallest true hit rate that so many queries show in 4 of 5 cases; below, how much more hits vary "
        "than if queries were independent (design effect).",
        align="end",
        whole=True,
    ),
    Column("source", "Source"),
)
_FIX_COLUMNS = (
    Column("sample", "Sample", heading=True),
    Column("landed", "Fix landed", "UTC day.", whole=True),
    Column("first", "Found from", "First day on which the detector finds it.", whole=True),
    Column("last", "Found to", "Last day on which the detector finds it.", whole=True),
    Column("judged", "Judged to", whole=True),
)


def show() -> None:
    """Show the page."""
    database, address = snapshot(), Address()
    catalogue = queries.catalogue(database)
    repositories = [str(row["repository"]) for row in queries.repositories(database)]
    if not repositories or not catalogue.detectors:
        states.nothing_imported()
        return
    st.title("Which models saw the repository?", anchor=False)
    with st.grid(3, min_column_width=160):
        titles = {name: name for name in repositories}
        repository = filters.choose(
            address, "repository", "Repository", titles, default=repositories[0], clears=("page", "answers")
        )
        detector = filters.choose_detector(address, catalogue)
        threshold = filters.choose_threshold(address, detector)
    address.notice()
    _models(database, address, repository)
    show_hits(address, repository)
    _fixes(database, address, repository, detector, threshold)


def _models(database: Snapshot, address: Address, repository: str) -> None:
    found = queries.repository_presence(database, repository)
    bases = Counter(presence.basis for presence in found)
    counted = ", ".join(f"{basis} for **{count}**" for basis, count in bases.items())
    st.markdown(
        f"Of {words.count(len(found), 'model')}, what is said of {words.markdown(repository)} is {counted}. "
        "A model without evidence is assumed to have seen it; a fix counts as contaminated only where the "
        "repository was seen and the fix was in it."
    )
    if not bases["probed"]:
        st.markdown(
            "No model was probed on it: `benchchecker mine` and `benchchecker probe --record` do that."
        )
    known = [presence for presence in found if presence.basis != "assumed"]
    if known and len(known) < len(found):
        titles = {"known": f"With evidence ({len(known)})", "all": f"All ({len(found)})"}
        shown = filters.choose(address, "models", "Models", titles, default="known")
        address.notice()
    else:
        shown = "all"
    rows = [_model_row(presence) for presence in (known if shown == "known" else found)]
    evidence_table("presence", "Models and the repository", _MODEL_COLUMNS, rows)
    notes = {"repository": repository, "database": database.version}
    name = f"{repository.replace('/', '__')}-models"
    downloads.offer(name, lambda: downloads.table_of(found, RepositoryPresence, notes))


def _model_row(presence: RepositoryPresence) -> Row:
    content: dict[str, Cell | Dumbbell] = {
        "model": Cell(presence.title),
        "cutoff": cutoff_cell(words.day(presence.cutoff), None),
        "verdict": Cell(presence.verdict, detail=presence.basis),
        "source": Cell(presence.source or words.DASH),
    }
    if presence.hits is not None and presence.queries is not None:
        content |= _probed_cells(presence, Proportion(presence.hits, presence.queries))
    return Row(presence.model, content, muted=presence.basis == "assumed")


def _probed_cells(presence: RepositoryPresence, rate: Proportion) -> dict[str, Cell]:
    weighted = presence.weighted_p_value
    return {
        "hits": _hits_cell(presence, rate),
        "p0": Cell(_figure(presence.p0), detail=presence.p0_basis or ""),
        "p": Cell(
            _figure(presence.p_value if weighted is None else weighted),
            detail="" if weighted is None else f"plain {_figure(presence.p_value)}",
        ),
        "q": Cell(_figure(presence.q_value)),
        "power": Cell(
            words.percent(presence.detectable),
            detail="" if presence.design_effect is None else f"effect {presence.design_effect:.2f}",
        ),
    }


def _hits_cell(presence: RepositoryPresence, rate: Proportion) -> Cell:
    parts = [f"{words.percent(rate.rate)} {words.interval(rate.wilson())}"]
    if presence.unanswered:
        parts.append(f"{presence.unanswered} unanswered")
    return Cell(words.share_of(rate.k, rate.n), detail=" · ".join(parts))


def _figure(value: float | None) -> str:
    return words.DASH if value is None else f"{value:.2g}"


def _fixes(
    database: Snapshot, address: Address, repository: str, detector: DetectorChoice, threshold: float
) -> None:
    st.header("When were its fixes there?", anchor=False)
    states.not_judged(detector)
    fixes = queries.repository_fixes(database, repository, detector.detector, threshold)
    if not fixes:
        st.markdown("No sample is from this repository.")
        return
    seen = sum(fix.first_seen is not None for fix in fixes)
    st.markdown(
        f"{words.markdown(detector.title)} finds the fix of **{seen}** of "
        f"{words.count(len(fixes), 'sample')} on some day."
    )
    labelling = filters.labelling(detector, threshold)
    rows = [_fix_row(fix, labelling) for fix in fixes[page_of(fixes, address)]]
    evidence_table("fixes", "Samples of the repository and when their fix was there", _FIX_COLUMNS, rows)
    offer_pages(fixes, address)
    notes = {"repository": repository, "database": database.version, **labelling}
    name = f"{repository.replace('/', '__')}-fixes"
    downloads.offer(name, lambda: downloads.table_of(fixes, RepositoryFix, notes))


def _fix_row(fix: RepositoryFix, labelling: dict[str, str]) -> Row:
    return Row(
        fix.sample,
        {
            "sample": Cell(fix.sample, link=Target("sample", {"sample": fix.sample, **labelling})),
            "landed": Cell(words.utc_day(fix.landed_at)),
            "first": Cell(words.day(fix.first_seen)),
            "last": Cell(words.day(fix.last_seen)),
            "judged": Cell(words.day(fix.judged_to)),
        },
    )
