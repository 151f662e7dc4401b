"""What each choice does to a ranking by itself, and whether one submission is before another."""

from __future__ import annotations

import streamlit as st

from dashboard import downloads, filters, words
from dashboard.address import Address
from dashboard.records import Catalogue
from dashboard.table import Cell, Column, Row, evidence_table
from engine.export.fragility import pair_table
from engine.leaderboard.fragility import SingleChange, Standing, Tally
from engine.leaderboard.scenarios import OWN
from engine.statistics.proportions import CONFIDENCE

PAIR = ("first", "second")
"""Where the address keeps the two submissions."""

_ASPECTS = {
    "detector": "Detector",
    "threshold": "Threshold",
    "basis": "Cutoffs",
    "policy": "Several models",
}
_CHANGE_COLUMNS = (
    Column("choice", "If only this were chosen", heading=True),
    Column("rated", "Rated", "Submissions with enough clean samples then.", align="end", whole=True),
    Column(
        "agreement",
        "Same order",
        "Kendall's tau with the ranking shown: 1 is the same order, 0 is no more alike than chance.",
        align="end",
        whole=True,
    ),
    Column("kept", "Orders kept", "Of “A before B” among those rated both times.", align="end", whole=True),
)
_PAIR_COLUMNS = (
    Column("choice", "Rankings with", heading=True),
    Column("above", "First before second", align="end", whole=True),
    Column("tied", "Level", align="end", whole=True),
    Column("below", "Second before first", align="end", whole=True),
)


def show_changes(found: Standing, catalogue: Catalogue) -> None:
    """Show the ranking under each other choice, all else being as shown."""
    st.header("Which choice moves it?", anchor=False)
    moved = {
        aspect: distance for aspect, distance in found.fragility.moved_by.items() if distance is not None
    }
    if moved:
        parts = ", ".join(
            f"{_ASPECTS[aspect].casefold()} **{distance:.1f}**"
            for aspect, distance in sorted(moved.items(), key=lambda pair: -pair[1])
        )
        st.markdown(
            f"Places that a submission moves on average when one choice alone changes: {parts}. Whoever is "
            "left out by a choice is not counted as having moved the others."
        )
    changes = found.single_changes()
    if not changes:
        st.markdown("Nothing else can be chosen: one detector has judged samples, at one threshold.")
        return
    rows = [_change_row(change, catalogue) for change in changes]
    evidence_table("changes", "The ranking when one choice alone is another", _CHANGE_COLUMNS, rows)


def _change_row(change: SingleChange, catalogue: Catalogue) -> Row:
    tau = words.DASH if change.agreement is None else f"{change.agreement:.2f}".replace("-", words.MINUS)
    kept = words.percent(change.kept / change.ordered) if change.ordered else words.DASH
    return Row(
        f"{change.aspect}-{change.choice}",
        {
            "choice": Cell(_choice(change.aspect, change.choice, catalogue), detail=_ASPECTS[change.aspect]),
            "rated": Cell(str(change.rated)),
            "agreement": Cell(tau),
            "kept": Cell(kept, detail=words.share_of(change.kept, change.ordered)),
        },
    )


def show_pair(found: Standing, catalogue: Catalogue, notes: dict[str, str]) -> None:
    """Let the reader ask for two submissions whether one is before the other."""
    st.header("Is one before the other?", anchor=False)
    entries = found.matrix.submissions
    titles = {entry.submission: f"{place}. {entry.title}" for place, entry in enumerate(entries, start=1)}
    # Its own address, since the one above has said already what it could not follow.
    address = Address()
    with st.grid(2, min_column_width=240):
        first = filters.choose(address, "first", "First", titles, default=entries[0].submission)
        rest = {key: title for key, title in titles.items() if key != first}
        second = filters.choose(address, "second", "Second", rest, default=next(iter(rest)))
    address.notice()
    keys = list(titles)
    places = keys.index(first), keys.index(second)
    survival = found.pair(*places)
    st.markdown(_verdict(found, places, survival.whole))
    rows = [_pair_row("all", "All rankings that rate both", "", survival.whole)]
    rows += [
        _pair_row(f"{aspect}-{choice}", _choice(aspect, choice, catalogue), _ASPECTS[aspect], tally)
        for (aspect, choice), tally in survival.parts.items()
        if tally.rated
    ]
    evidence_table("pair", "Rankings by which of the two is before the other", _PAIR_COLUMNS, rows)
    named = notes | {"first": first, "second": second}
    downloads.offer(f"order-{notes['benchmark']}", lambda: pair_table(survival, named))


def _verdict(found: Standing, places: tuple[int, int], whole: Tally) -> str:
    first, second = (found.matrix.submissions[place] for place in places)
    share, counts = found.shares[places], found.scenarios[0].counts
    rates = [
        f"**{words.markdown(entry.title)}** resolved {words.percent(rate.rate)} ({rate.k}/{rate.n}) "
        f"{words.interval(rate.wilson())}"
        for entry, place in zip((first, second), places, strict=True)
        for rate in (counts.at(place),)
    ]
    level = (1 + CONFIDENCE) / 2
    sure_here = share >= level or found.shares[places[1], places[0]] >= level
    always = whole.rated in (whole.above, whole.below)
    said = {
        (True, True): "**This order is sure**: it survives every choice, and other samples.",
        (True, False): "The order survives every choice, but **other samples could turn it round**.",
        (False, True): "Other samples would hardly turn this order round, but **other choices do**.",
        (False, False): "**Neither can be said to be before the other.**",
    }[always, sure_here]
    return (
        f"{rates[0]} of its clean samples, {rates[1]} of its. The first is before the second in "
        f"**{whole.above} of {whole.rated}** rankings, and in {words.percent(share)} of the draws of other "
        f"samples. {said}"
    )


def _pair_row(key: str, title: str, aspect: str, tally: Tally) -> Row:
    return Row(
        key,
        {
            "choice": Cell(title, detail=aspect),
            "above": Cell(words.share_of(tally.above, tally.rated)),
            "tied": Cell(str(tally.tied)),
            "below": Cell(words.share_of(tally.below, tally.rated)),
        },
    )


def _choice(aspect: str, choice: str, catalogue: Catalogue) -> str:
    if aspect == "detector":
        return catalogue.detector(choice).title
    return "the detector's own" if choice == OWN else choice
