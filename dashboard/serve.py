"""Serves the dashboard: `python -m dashboard.serve`, with the options of `streamlit run`.

Streamlit runs the first line of a page when the first browser has come, and what the pages import takes
longer than what they compute. Here it is imported while the server starts and the browser loads.
"""

from __future__ import annotations

import importlib
import sys
import threading
from contextlib import suppress
from pathlib import Path

_HEAVY = (
    "pandas",
    "scipy.stats",
    "plotly.graph_objects",
    "dashboard.app_pages.overview",
    "dashboard.app_pages.leaderboard",
)


def warm_up() -> None:
    """Import what the first pages need, heaviest first; one that cannot be imported says so when opened."""
    for name in _HEAVY:
        with suppress(ImportError):
            importlib.import_module(name)


def main() -> None:
    """Serve, with what was typed after the name of this module as Streamlit's options."""
    from streamlit.web import cli

    threading.Thread(target=warm_up, daemon=True).start()
    sys.argv = ["streamlit", "run", str(Path(__file__).with_name("app.py")), *sys.argv[1:]]
    cli.main(prog_name="streamlit")


if __name__ == "__main__":
    main()
