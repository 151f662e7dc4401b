"""Fixtures that several packages share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from chromium import ARGUMENTS, MISSING, chromium
from tiny_facts import write_tiny_facts

from engine.store.build import build_database
from engine.store.connection import Reader
from engine.store.locking import exclusive

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give the tests of a file to one worker, and all of the dashboard: they share a server and a browser.

    xdist's own `loadgroup` does nothing with pytest 9.2, which no longer lets a plugin rename tests.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            folder = file.rpartition("/")[0]
            return folder if folder.endswith("dashboard") else file

    return ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a browser where there is none."""
    if chromium() is not None:
        return
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.skip(reason=MISSING))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of a worker: Playwright cannot be started twice."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture(autouse=True)
def own_main_module() -> Iterator[None]:
    """Put `__main__` back: AppTest replaces it, and child processes then start with its script."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(autouse=True)
def one_model_at_a_time(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Let tests that need torch wait for one another: two at once fall to a sixth of their speed."""
    if request.node.get_closest_marker("models") is None:
        yield
        return
    with exclusive(tmp_path_factory.getbasetemp().parent):
        yield


@pytest.fixture
def tiny_data(tmp_path: Path) -> Path:
    """A folder with the small world's fact files, for tests that change them."""
    data = tmp_path / "data"
    write_tiny_facts(data)
    return data


@pytest.fixture(scope="session")
def tiny_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small world's database, for tests that only read it."""
    folder = tmp_path_factory.mktemp("tiny")
    write_tiny_facts(folder / "data")
    return build_database(folder / "data", folder / "tiny.duckdb").database


@pytest.fixture
def tiny_reader(tiny_database: Path) -> Reader:
    """A reader of the small world."""
    return Reader(tiny_database)
