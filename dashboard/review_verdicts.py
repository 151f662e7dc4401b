"""Verdicts on flagged pairs: giving, taking back, and carrying them to another place.

Reviewers may work at once, in several windows and on the command line. A verdict is only stored over the one
that its reviewer saw; otherwise the page says who decided meanwhile, and nothing is lost.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dashboard import words
from dashboard.address import write
from engine.overlap.queue import QueueEntry
from engine.overlap.result import ScanResult
from engine.overlap.review import DecidedMeanwhile, Decision, Pair, Reviews, Verdict
from engine.problems import BenchCheckerError

_LARGEST_IMPORT_MB = 50
_MEANINGS = {
    Verdict.COPY: "The document holds the item, word for word or nearly so. Counts as leaked.",
    Verdict.NEAR_DUPLICATE: "The same task in other words, layout or language. Counts as leaked.",
    Verdict.TEMPLATE: "The same form, but another task. Does not count as leaked.",
    Verdict.UNRELATED: "Anything else. Does not count as leaked.",
}
_REVIEWER, _NOTE, _ALIKE = "review-reviewer", "review-note", "review-alike"
_SAID, _LAST, _UPLOAD = "review-said", "review-last", "review-upload"


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the queue a reviewer stands.

    Attributes:
        reviews: The verdicts.
        entry: The pair shown.
        alike: The other open pairs of its item.
        following: Name of the pair to go to afterwards, empty for the start of the queue.
    """

    reviews: Reviews
    entry: QueueEntry
    alike: tuple[Pair, ...]
    following: tuple[str, ...]


def offer_verdicts(place: Place) -> None:
    """Offer the verdicts on a pair, with a note and the reviewer's name."""
    decision = place.entry.decision
    if decision is not None:
        st.markdown(f"Called **{decision.verdict.value}** {_by(decision)}")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _kept_text("Your name", _REVIEWER, "Stands beside your verdicts.")
        st.text_input("Note", key=_NOTE, help="Why; optional.")
    if st.session_state[_REVIEWER].strip():
        st.caption(f"Your verdicts are stored as {words.markdown(st.session_state[_REVIEWER].strip())}.")
    if place.alike:
        st.checkbox(f"Also for the item's {words.count(len(place.alike), 'other open document')}", key=_ALIKE)
    with st.container(horizontal=True):
        for key, verdict in enumerate(Verdict, start=1):
            st.button(
                verdict.value.capitalize(),
                key=f"review-verdict-{verdict.value}",
                shortcut=str(key),
                help=_MEANINGS[verdict],
                type="primary" if decision is not None and decision.verdict is verdict else "secondary",
                on_click=_decide,
                args=(place, verdict),
            )
        if decision is not None:
            st.button(
                "Take back",
                key="review-take-back",
                icon=":material/undo:",
                type="tertiary",
                on_click=_take_back,
                args=(place.reviews, decision),
            )


def offer_undo(result: ScanResult) -> None:
    """Say what the last click did, and offer to take the last verdict back."""
    said = st.session_state.pop(_SAID, None)
    if said is not None:
        kind, text = said
        (st.warning if kind == "warning" else st.success)(text)
    last: Decision | None = st.session_state.get(_LAST)
    if last is None or said is None:
        return
    st.button(
        "Undo",
        key="review-undo",
        icon=":material/undo:",
        shortcut="u",
        on_click=_take_back,
        args=(result.reviews, last),
    )


def offer_file(result: ScanResult) -> None:
    """Offer the verdicts as a file, and take such a file in."""
    st.header("Verdicts as a file", anchor=False)
    st.markdown(
        "JSON Lines with every verdict, also those taken back. Importing a file twice changes nothing."
    )
    st.download_button(
        "Download verdicts",
        lambda: result.reviews.exported().encode("utf-8"),
        file_name="verdicts.jsonl",
        mime="application/jsonl",
        key="review-export",
        icon=":material/download:",
        on_click="ignore",
        type="tertiary",
    )
    st.file_uploader(
        "Import verdicts",
        type=["jsonl"],
        key=_UPLOAD,
        max_upload_size=_LARGEST_IMPORT_MB,
        on_change=_import,
        args=(result.reviews,),
    )


def _kept_text(label: str, key: str, hint: str) -> None:
    # Streamlit forgets a widget that a run does not draw, such as one without a pair to decide. A value set
    # while the widget is there would overwrite what its reader types during the run.
    if key not in st.session_state:
        st.session_state[key] = st.session_state.get(f"{key}-kept", "")
    st.session_state[f"{key}-kept"] = st.text_input(label, key=key, help=hint)


def _decide(place: Place, verdict: Verdict) -> None:
    reviewer, note = st.session_state.get(_REVIEWER, ""), st.session_state.get(_NOTE, "")
    pairs = [(place.entry.pair, place.entry.decision)]
    if st.session_state.get(_ALIKE):
        pairs += [(pair, None) for pair in place.alike]
    try:
        for pair, seen in pairs:
            decision = place.reviews.decide(pair, verdict, reviewer, note, seen=seen)
            if pair == place.entry.pair:
                st.session_state[_LAST] = decision
    except BenchCheckerError as error:
        _say_not_stored(error)
        return
    st.session_state[_NOTE], st.session_state[_ALIKE] = "", False
    more = f" and {words.count(len(pairs) - 1, 'other document')}" if len(pairs) > 1 else ""
    named = words.markdown(place.entry.pair.document)
    _say(f"**{verdict.value}**: {words.markdown(place.entry.pair.item)} and {named}{more}.")
    write({"pair": place.following[0] if place.following else None})


def _take_back(reviews: Reviews, decision: Decision) -> None:
    try:
        undone = reviews.undo(decision.pair, seen=decision)
    except BenchCheckerError as error:
        _say_not_stored(error)
        return
    st.session_state.pop(_LAST, None)
    if undone is not None:
        _say(f"Taken back: **{undone.verdict.value}** of {words.markdown(undone.pair.item)}.")


def _import(reviews: Reviews) -> None:
    uploaded = st.session_state[_UPLOAD]
    if uploaded is None:
        return
    try:
        count = reviews.import_lines(uploaded.getvalue(), uploaded.name)
    except BenchCheckerError as error:
        _say_not_stored(error)
        return
    _say(f"{words.count(count, 'verdict')} imported.")


def _say(text: str) -> None:
    st.session_state[_SAID] = ("success", text)


def _say_not_stored(error: BenchCheckerError) -> None:
    hint = "" if isinstance(error, DecidedMeanwhile) else "Not stored: "
    st.session_state[_SAID] = ("warning", f"{hint}{words.markdown(error)}.")


def _by(decision: Decision) -> str:
    note = f": {words.markdown(decision.note)}" if decision.note else ""
    return f"by {words.markdown(decision.reviewer)} on {words.utc_day(decision.decided_at)}{note}"
