"""The pages of the dashboard, by their names in the address."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial

import streamlit as st
from streamlit.navigation.page import Page


def pages() -> dict[str, Page]:
    """Return every page by its name in the address; the first one opens at the root."""
    return {
        "overview": st.Page(
            _shower("overview"),
            title="Overview",
            url_path="overview",
            default=True,
            help="How much of each benchmark is contaminated, and what that changes.",
        ),
        "leaderboard": st.Page(
            _shower("leaderboard"),
            title="Leaderboard",
            url_path="leaderboard",
            help="Every submission before and after leaving out contaminated samples.",
        ),
        "compare": st.Page(
            _shower("compare"),
            title="Compare",
            url_path="compare",
            help="Two to six submissions on the same samples.",
        ),
        "audit": st.Page(
            _shower("audit"),
            title="Audit",
            url_path="audit",
            help="Drop a results file: how much of its score is on clean samples?",
        ),
        "over_time": st.Page(
            _shower("over_time"),
            title="Over time",
            url_path="over-time",
            help="Whether newer models, or better ones, lose less on clean samples.",
        ),
        "strata": st.Page(
            _shower("strata"),
            title="By difficulty",
            url_path="strata",
            help="Where scores drop, and where there are too few samples to say so.",
        ),
        "patterns": st.Page(
            _shower("patterns"),
            title="Patterns",
            url_path="patterns",
            help="What samples have in common that the best submissions all solve, or all miss.",
        ),
        "confounding": st.Page(
            _shower("confounding"),
            title="Memory or difficulty",
            url_path="confounding",
            help="What is left once samples are compared with their like, and with themselves.",
        ),
        "fragility": st.Page(
            _shower("fragility"),
            title="Fragility",
            url_path="fragility",
            help="Which places, and which orders of two submissions, survive every way to make the ranking.",
        ),
        "sample": st.Page(
            _shower("sample"),
            title="Sample",
            url_path="sample",
            help="When a sample's fix was in its repository, and who resolved it.",
        ),
        "repository": st.Page(
            _shower("repository"),
            title="Repository",
            url_path="repository",
            help="Which models saw a repository, and how that is known.",
        ),
        "submission": st.Page(
            _shower("submission"), title="Submission", url_path="submission", visibility="hidden"
        ),
        "detectors": st.Page(
            _shower("detectors"),
            title="Detectors",
            url_path="detectors",
            help="Which samples the detectors label differently, and why.",
        ),
        "review": st.Page(
            _shower("review"),
            title="Overlap",
            url_path="review",
            help="Read what a scan of your training text has flagged, and say what it is.",
        ),
        "methods": st.Page(
            _shower("methods"),
            title="Methods",
            url_path="methods",
            help="What the words mean and where the data comes from.",
        ),
    }


def _shower(name: str) -> Callable[[], None]:
    # A page is imported when it is first opened: the leaderboard does not wait for what draws charts.
    return partial(_show, name)


def _show(name: str) -> None:
    importlib.import_module(f"dashboard.app_pages.{name}").show()
