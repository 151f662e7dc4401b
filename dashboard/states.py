"""What a page shows when it has nothing to show: why, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dashboard import words
from dashboard.records import DetectorChoice
from engine.problems import BenchCheckerError
from engine.store.connection import DatabaseError


def database_missing(error: DatabaseError) -> None:
    """Say how to make the database."""
    st.title("There is no database yet", anchor=False)
    st.markdown(
        "The dashboard reads a database that is built from the facts in `data/` in a few seconds. Run"
    )
    commands("benchchecker build")
    st.markdown("and this page will show the leaderboard by itself.")
    st.caption(words.markdown(error))


def database_unreadable(error: DatabaseError) -> None:
    """Say how to replace a database of another version."""
    st.title("This database belongs to another version of BenchChecker", anchor=False)
    st.markdown("It is made from the facts in `data/` and can be made again at any time. Run")
    commands("benchchecker build")
    st.markdown("and this page will show the leaderboard by itself.")
    st.caption(words.markdown(error))


def cannot_show(error: BenchCheckerError) -> None:
    """Pass on what the engine found wrong with the facts, and what it says to do."""
    st.error(f"This cannot be shown: {words.markdown(error)}.", icon=":material/error:")


def nothing_imported() -> None:
    """Say that the database holds no submissions."""
    st.title("The database holds no benchmark yet", anchor=False)
    st.markdown("Import samples and submissions, label them, and build the database:")
    commands("benchchecker import --help\nbenchchecker label --help\nbenchchecker build")


def not_judged(detector: DetectorChoice) -> None:
    """Say so where a detector has not run yet, so that every sample is unknown."""
    if not detector.judged_samples:
        st.warning(
            f"The detector **{words.markdown(detector.title)}** has judged no sample yet, so nearly every "
            "label is unknown. `benchchecker label` runs it; until then choose another detector.",
            icon=":material/hourglass_empty:",
        )


def no_adjusted(benchmark: str) -> None:
    """Say that no submission of a benchmark has figures after."""
    st.markdown(
        f"No submission to {words.markdown(benchmark)} has usable results and a known cutoff, so there is "
        "nothing to compare. `benchchecker models check` says which models are not in the registry."
    )


def no_rows(why: str, action: str, act: Callable[[], None]) -> None:
    """Say why a table is empty and offer the way back. `why` is Markdown."""
    with st.container(border=True):
        st.markdown(why)
        st.button(action, on_click=act)


def not_found(what: str, asked: str, remedy: str) -> None:
    """Say that the database does not have what the address asks for. `what` and `remedy` are Markdown."""
    st.warning(
        f"There is no {what} **{words.markdown(asked)}** in this database. {remedy}",
        icon=":material/search_off:",
    )


def commands(text: str) -> None:
    """Show commands to be copied; wrapped, since what scrolls sideways cannot be read by keyboard."""
    st.code(text, language=None, wrap_lines=True)
