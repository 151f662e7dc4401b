"""Cells that several tables share. A colour never stands alone: a shape and a word say the same."""

from __future__ import annotations

from dashboard import words
from dashboard.table import Cell
from dashboard.theme import Tone

_LABEL_SYMBOLS = {"contaminated": "●", "clean": "○", "unknown": "?"}
_LABEL_TONES: dict[str, Tone] = {"contaminated": "contaminated", "clean": "clean", "unknown": "unknown"}


def label_cell(label: str | None, *, detail: str = "", hint: str = "") -> Cell:
    """Return a label; None where there is no cutoff to judge at."""
    if label is None:
        return Cell(words.DASH, detail="no known cutoff", tone="unknown", hint=hint)
    return Cell(
        words.LABEL_TITLES[label],
        detail=detail,
        tone=_LABEL_TONES[label],
        symbol=_LABEL_SYMBOLS[label],
        hint=hint,
    )


def outcome_cell(outcome: str) -> Cell:
    """Return what a submission reported for a sample."""
    resolved = outcome == "resolved"
    return Cell(
        words.OUTCOME_TITLES.get(outcome, outcome),
        tone="neutral" if resolved else "unknown",
        symbol="✓" if resolved else "✕",
    )


def score_cell(score: float | None) -> Cell:
    """Return a presence score."""
    return Cell(words.DASH if score is None else f"{score:.2f}")


def cutoff_cell(cutoff: str, basis: str | None) -> Cell:
    """Return a cutoff and where it is from."""
    return Cell(cutoff, detail=basis or "")
