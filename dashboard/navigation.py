"""The pages of the dashboard and how to get from one to another."""

from __future__ import annotations

import streamlit as st
from streamlit.navigation.page import Page


def pages() -> dict[str, Page]:
    """Return every page by its name in the address; the first one opens at the root."""
    # Imported here because the pages link to one another through this module.
    from dashboard.app_pages import leaderboard, methods, sample, submission

    return {
        "leaderboard": st.Page(
            leaderboard.show,
            title="Leaderboard",
            url_path="leaderboard",
            default=True,
            help="Every submission before and after leaving out contaminated samples.",
        ),
        "sample": st.Page(
            sample.show,
            title="Sample",
            url_path="sample",
            help="When a sample's fix was in its repository, and who resolved it.",
        ),
        "submission": st.Page(
            submission.show, title="Submission", url_path="submission", visibility="hidden"
        ),
        "methods": st.Page(
            methods.show,
            title="Methods",
            url_path="methods",
            help="What the words mean and where the data comes from.",
        ),
    }
