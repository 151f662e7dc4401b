"""The project's own facts, built once: what the README and a report are made from."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.paths import DATA_DIR
from engine.report.findings import Findings, findings
from engine.store.build import build_database
from engine.store.connection import Reader, Snapshot


@pytest.fixture(scope="session")
def own_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of the facts in `data/`."""
    return build_database(DATA_DIR, tmp_path_factory.mktemp("own") / "own.duckdb").database


@pytest.fixture(scope="session")
def own_facts(own_database: Path) -> Snapshot:
    """The facts in `data/`."""
    return Reader(own_database).snapshot()


@pytest.fixture(scope="session")
def own_findings(own_facts: Snapshot) -> Findings:
    """The findings by these facts."""
    return findings(own_facts)
