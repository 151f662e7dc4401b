"""The detectors of patch presence and their thresholds: `data/detector.toml`, read in one place."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from engine.paths import DATA_DIR
from engine.problems import BenchCheckerError

DETECTORS_NAME = "detector.toml"


@dataclass(frozen=True, slots=True)
class Detector:
    """One way to judge whether a fix is in a snapshot.

    Attributes:
        detector: Key, as in the facts and in addresses.
        title: What a reader sees.
        description: What it looks at, in a sentence.
        embedder: Where its line similarities come from.
        version: Raised whenever its scores change; stored scores of an older version are judged anew.
        threshold: A sample whose score is at least this counts as present, unless a reader moves it.
        is_default: Whether it is the one shown first; exactly one is.
    """

    detector: str
    title: str
    description: str
    embedder: str
    version: int
    threshold: float
    is_default: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"{self.detector}: threshold must lie between 0 and 1, got {self.threshold}")


def read_detectors(data: Path = DATA_DIR) -> dict[str, Detector]:
    """Read every detector of `data`, by key, in the order of the file; a missing file has none.

    Raises:
        BenchCheckerError: If an entry is incomplete or has a key that is not known.
    """
    path = data / DETECTORS_NAME
    if not path.exists():
        return {}
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("detector", [])
        detectors = {entry["detector"]: Detector(**entry) for entry in entries}
    except (KeyError, TypeError, ValueError) as error:
        known = ", ".join(field.name for field in fields(Detector))
        raise BenchCheckerError(f"{path.name}: {error!r} (an entry has the keys {known})") from error
    if len(detectors) != len(entries):
        raise BenchCheckerError(f"{path.name}: two entries have the same key `detector` (rename one)")
    return detectors


def detector_rows(data: Path = DATA_DIR) -> list[dict[str, Any]]:
    """Return the rows of the table `detector`."""
    return [asdict(entry) for entry in read_detectors(data).values()]
