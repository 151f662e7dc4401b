"""What a label is worth for an assumed collection of training data (the paper's Figure 1)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import streamlit as st

from dashboard import filters, words
from dashboard.address import Address
from dashboard.records import DetectorChoice, PresenceInterval
from engine.presence.collection import Category, Span, categorise, last_present

_ASSUMED_LENGTH = timedelta(days=365)
_MEANINGS = {
    Category.RIGHTLY_CONTAMINATED: "The fix was in the collected code and still there at the cutoff: "
    "**contaminated is the right label**, if the detector is right.",
    Category.WRONGLY_CONTAMINATED: "The fix landed after the collection ended but before the cutoff: "
    "**labelled contaminated although no collected day saw it**.",
    Category.WRONGLY_CLEAN: "The fix was in the collected code but gone by the cutoff: "
    "**labelled clean although the collection may have read it**.",
    Category.RIGHTLY_CLEAN: "No collected day saw the fix: "
    "**clean is the right label**, if the detector is right.",
}


def show_collection(
    address: Address,
    detector: DetectorChoice,
    threshold: float,
    intervals: Sequence[PresenceInterval],
    landed: date | None,
    cutoff: date,
) -> None:
    """Let the reader assume when the training data was collected, and say what the label is then worth."""
    st.header("What if the training data was collected over a span of time?", anchor=False)
    st.markdown(
        "The label looks at the cutoff only. Training data is collected over days that nobody publishes: "
        f"assume them here. Left empty, they are the {_ASSUMED_LENGTH.days} days up to the cutoff."
    )
    with st.grid(3, min_column_width=160):
        first = filters.choose_day(address, "collected_from", "Collected from", None, cutoff)
        last = filters.choose_day(address, "collected_to", "Collected up to", None, cutoff)
    end = last or cutoff
    start = first or end - _ASSUMED_LENGTH
    if not start <= end <= cutoff:
        st.warning(
            f"A collection runs forwards and ends by the cutoff {cutoff}; {start} to {end} does not.",
            icon=":material/event_busy:",
        )
        return
    spans = [
        Span(found.valid_from, found.valid_to, found.score)
        for found in intervals
        if found.detector == detector.detector
    ]
    if not any(span.valid_from <= cutoff <= span.valid_to for span in spans) and (
        landed is None or landed <= cutoff
    ):
        st.markdown("The detector says nothing about this cutoff, so there is no label to weigh.")
        return
    persisted = last_present(spans, threshold, cutoff)
    category = categorise(landed, persisted, start, end, cutoff)
    seen = "never" if persisted is None else f"last on {persisted}"
    st.markdown(
        f"Collected {start} to {end}. {_MEANINGS[category]} Category {category.value} of the paper's "
        f"Figure 1. The fix landed {words.day(landed)}; up to the cutoff it was there {seen}."
    )
