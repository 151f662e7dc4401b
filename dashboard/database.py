"""Which database the dashboard reads, and how long it remembers what it read.

The engine may replace the file at any time. Everything remembered is keyed by the version of the database, so
nothing old is ever shown beside something new; `watch` notices a new file under an open page.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from engine.paths import DATABASE
from engine.store.connection import DatabaseError, Reader, Snapshot

DATABASE_VARIABLE = "BENCHCHECKER_DATABASE"
_REMEMBERED_RESULTS = 64
_SECONDS_BETWEEN_LOOKS = 5

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def database_path() -> Path:
    """Return the file to read: `BENCHCHECKER_DATABASE`, or the one that `benchchecker build` makes."""
    return Path(os.environ.get(DATABASE_VARIABLE) or DATABASE)


@st.cache_resource(show_spinner=False)
def _reader(database: Path) -> Reader:
    return Reader(database)


def snapshot() -> Snapshot:
    """Return the database as it is now.

    Raises:
        DatabaseError: If there is none or it cannot be read.
    """
    return _reader(database_path()).snapshot()


def remembered(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Remember the results of a query by the version of the database and its other arguments.

    Results are shared by all sessions, so they must be immutable.
    """
    keys: dict[str | type[Any], Callable[[Any], Any]] = {Snapshot: lambda database: database.version}
    cached = st.cache_resource(show_spinner=False, max_entries=_REMEMBERED_RESULTS, hash_funcs=keys)
    return cached(function)


@st.fragment(run_every=_SECONDS_BETWEEN_LOOKS)
def watch(shown: str | None) -> None:
    """Run the page again when the database is no longer the one with version `shown`."""
    try:
        current: str | None = snapshot().version
    except DatabaseError:
        current = None
    if current != shown:
        st.rerun()
