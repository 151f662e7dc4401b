"""Fixtures that several packages share."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_facts import write_tiny_facts

from engine.store.build import build_database
from engine.store.connection import Reader


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep tests that share a browser, or a model that wants every core, on one worker."""
    for item in items:
        for shared in ("browser", "models"):
            if item.get_closest_marker(shared):
                item.add_marker(pytest.mark.xdist_group(shared))


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
