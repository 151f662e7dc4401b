"""Fixtures of the history tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from scratch_repository import Scratch, new_scratch


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    """An empty bare repository."""
    return new_scratch(tmp_path / "scratch.git")
