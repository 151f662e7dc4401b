"""What the detectors say of one sample at one cutoff, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import streamlit as st

from dashboard import queries, words
from dashboard.records import DetectorChoice, Evidence
from engine.store.connection import Snapshot

_CLOSE = 0.1
"""A score this near to the threshold says little by itself: one line more or less turns it over."""


def show_state(evidence: Evidence, threshold: float, cutoff: date) -> None:
    """Say whether the fix was there, by the chosen detector."""
    reason = words.markdown(evidence.reason)
    if evidence.score is None:
        st.info(f"At the cutoff {cutoff} presence is **unknown**: {reason}.", icon=":material/help:")
        return
    if evidence.score >= threshold:
        verdict = "**was in the repository**: a sample that a model which read the repository may remember"
    else:
        verdict = "**was not in the repository** as this detector sees it: the sample is clean"
    scores = f"Score {evidence.score:.2f}, threshold {threshold:.2f}"
    st.markdown(f"At the cutoff {cutoff} the fix {verdict}. {scores}; {reason}.")


def show_second_opinions(
    database: Snapshot,
    sample: str,
    detectors: Sequence[DetectorChoice],
    evidence: Evidence,
    threshold: float,
    cutoff: date,
) -> None:
    """Say what the other detectors find, and whether the score is one that a little would turn over."""
    said = []
    for detector in detectors:
        score = queries.evidence(database, sample, detector.detector, cutoff).score
        if score is None or evidence.score is None:
            continue
        alike = (score >= detector.threshold) == (evidence.score >= threshold)
        opinion = "agrees" if alike else "**disagrees**"
        scores = f"score {score:.2f}, threshold {detector.threshold:.2f}"
        said.append(f"{words.markdown(detector.title)} {opinion} ({scores}).")
    if evidence.score is not None and abs(evidence.score - threshold) < _CLOSE:
        said.append(
            "The score is **close to the threshold**: compare the landed commit with the place below."
        )
    if said:
        st.markdown(" ".join(said))
