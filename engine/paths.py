"""Where the project keeps its facts and its database, unless a command is told otherwise."""

from __future__ import annotations

from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parent.parent
DATA_DIR = PROJECT_ROOT / "data"
DATABASE = PROJECT_ROOT / "benchchecker.duckdb"
CACHE_DIR = PROJECT_ROOT / ".cache"
