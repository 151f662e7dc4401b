"""When the fixes of a benchmark landed, beside the cutoffs of the models that are measured with it."""

from __future__ import annotations

import streamlit as st

from dashboard import queries, theme, words
from dashboard.charts import frame, timeline
from dashboard.filters import Scope
from engine.export.over_time import landing_table
from engine.store.connection import Snapshot


def show_landings(database: Snapshot, scope: Scope) -> None:
    """Show every sample on the axis of its fix, with the training cutoffs as lines."""
    st.header("When did the fixes land, and where are the cutoffs?", anchor=False)
    every = queries.landings(database, scope.benchmark.benchmark, scope.detector.detector, scope.threshold)
    dated = [(landing.landed_on, landing) for landing in every if landing.landed_on is not None]
    if not dated:
        st.markdown("The database does not know when the fixes of these samples landed.")
        return
    cutoffs = queries.cutoffs(database)
    said = (
        f"**{len(dated)}** of {words.count(len(every), 'fix', 'fixes')} have a known date, from "
        f"{dated[0][0]} to {dated[-1][0]}."
    )
    if cutoffs:
        latest = cutoffs[0].cutoff
        later = sum(day > latest for day, _ in dated)
        said += (
            f" After the latest cutoff, {latest}, landed **{later}**: only a fix to the right of a model's "
            "cutoff cannot have been in its training data, whatever became of the code since."
        )
    st.markdown(said)
    colours = theme.palette()
    shown = [landing for _, landing in dated]
    frame.show(
        "landings",
        timeline.landings(shown, cutoffs, scope.level_titles, colours),
        told=f"{len(dated)} fixes on the axis of the days on which they landed, training cutoffs as lines",
        caption=frame.caption(f"n = {len(dated)} samples", scope, database),
        table=lambda: landing_table(
            ((landing.sample, landing.difficulty, day, landing.label) for day, landing in dated),
            scope.notes(database),
        ),
        entries=timeline.entries(colours),
    )
