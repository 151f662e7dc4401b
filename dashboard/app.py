"""Entry point of the dashboard: `streamlit run dashboard/app.py`.

It finds the database, offers the pages and keeps errors readable; the pages are in `app_pages/`.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dashboard import navigation, states
from dashboard.database import snapshot, watch
from engine.problems import BenchCheckerError
from engine.store.connection import DatabaseError, DatabaseMissingError

_ASSETS = Path(__file__).parent / "components"


def main() -> None:
    """Show the page that the address names, or what stands in its way."""
    st.set_page_config(page_title="BenchChecker", page_icon=str(_ASSETS / "icon.svg"), layout="wide")
    st.logo(str(_ASSETS / "icon.svg"), size="large")
    page = st.navigation(list(navigation.pages().values()), position="top")
    st.html(f"<style>{(_ASSETS / 'page.css').read_text(encoding='utf-8')}</style>")
    version: str | None = None
    try:
        version = snapshot().version
        page.run()
    except DatabaseMissingError as error:
        states.database_missing(error)
    except DatabaseError as error:
        states.database_unreadable(error)
    except BenchCheckerError as error:
        states.cannot_show(error)
    watch(version)


main()
