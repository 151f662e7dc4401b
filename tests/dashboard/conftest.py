"""The dashboard as a reader meets it: a real server on a made-up database, and a real Chromium."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from plausible_facts import write_folder
from plausible_scan import write_scan
from playwright.sync_api import Browser, BrowserContext
from reader import PATIENCE_S, Reading

from dashboard.app_pages.review import SCAN_VARIABLE
from dashboard.database import DATABASE_VARIABLE
from engine.paths import PROJECT_ROOT
from engine.store.build import build_database
from engine.store.connection import Reader, Snapshot


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that tests only read."""
    folder = tmp_path_factory.mktemp("plausible")
    return build_database(write_folder(folder / "data"), folder / "facts.duckdb").database


@pytest.fixture
def facts(database: Path) -> Snapshot:
    """What the dashboard reads."""
    return Reader(database).snapshot()


@dataclass(frozen=True, slots=True)
class Served:
    """A running dashboard."""

    address: str
    database: Path
    scan: Path


@pytest.fixture(scope="session")
def served(database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The dashboard on a copy of the database, which a test may replace and must put back."""
    copy = tmp_path_factory.mktemp("served") / "facts.duckdb"
    scan = write_scan(tmp_path_factory.mktemp("scan"))
    shutil.copy(database, copy)
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "dashboard/app.py"]
    options = [f"--server.port={port}", "--server.headless=true"]
    process = subprocess.Popen(
        command + options,
        cwd=PROJECT_ROOT,
        env={**os.environ, DATABASE_VARIABLE: str(copy), SCAN_VARIABLE: str(scan)},
    )
    try:
        address = f"http://localhost:{port}"
        _wait_until_healthy(address, process)
        yield Served(address, copy, scan)
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def _wait_until_healthy(address: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(PATIENCE_S * 5):
        if process.poll() is not None:
            pytest.fail(f"the dashboard ended with {process.returncode} instead of serving")
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health") as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
    pytest.fail(f"the dashboard did not answer at {address}")


@pytest.fixture(scope="session")
def new_tab(browser: Browser, served: Served) -> Callable[[int, str], Reading]:
    """Open tabs of a given width and theme. Tabs alike share a cache, which spares most of the loading."""
    contexts: dict[tuple[int, str], BrowserContext] = {}

    def opened(width: int, theme: str) -> Reading:
        if (width, theme) not in contexts:
            contexts[width, theme] = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme="dark" if theme == "dark" else "light"
            )
            contexts[width, theme].set_default_timeout(1000 * PATIENCE_S)
        tab = Reading(contexts[width, theme].new_page(), served.address)
        tab.page.on("pageerror", lambda error: tab.errors.append(str(error)))
        return tab

    return opened


@pytest.fixture
def open_tab(new_tab: Callable[[int, str], Reading]) -> Iterator[Callable[..., Reading]]:
    """Open tabs; no script may fail, or come from a name, in any of them."""
    tabs: list[Reading] = []

    def opened(width: int = 1440, theme: str = "light") -> Reading:
        tabs.append(new_tab(width, theme))
        return tabs[-1]

    yield opened
    for tab in tabs:
        tab.close()


@pytest.fixture
def tab(open_tab: Callable[..., Reading]) -> Reading:
    """A tab on a desk."""
    return open_tab()


@pytest.fixture(scope="module")
def look_at(new_tab: Callable[[int, str], Reading]) -> Iterator[Callable[[str], Reading]]:
    """Open a page once for all tests of a module that only look at it."""
    tabs: dict[str, Reading] = {}

    def looked(path: str) -> Reading:
        if path not in tabs:
            tabs[path] = new_tab(1440, "light")
            tabs[path].open(path)
        return tabs[path]

    yield looked
    for tab in tabs.values():
        tab.close()
