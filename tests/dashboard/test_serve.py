"""What serves the dashboard imports what pages need before a browser comes, and takes Streamlit's options."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dashboard import serve
from engine.paths import PROJECT_ROOT

LOADED = "import sys; from dashboard.serve import warm_up; warm_up(); print(*sys.modules)"


def python(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=PROJECT_ROOT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_the_first_pages_import_is_there_before_they_are_opened() -> None:
    loaded = python("-c", LOADED).split()
    assert {"dashboard.app_pages.overview", "engine.leaderboard.board", "scipy.stats"} <= set(loaded)


def test_what_cannot_be_imported_does_not_stop_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "_HEAVY", ("no_such_module", "json"))
    serve.warm_up()


def test_it_takes_the_options_of_streamlit() -> None:
    assert "--server.port" in python("-m", "dashboard.serve", "--help")
