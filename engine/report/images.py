"""Figures as SVG, PNG and PDF, where kaleido finds a browser to draw them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from plotly.graph_objects import Figure

FORMATS = ("svg", "png", "pdf")
CHROMIUM_VARIABLE = "BENCHCHECKER_CHROMIUM"
_PNG_SCALE = 2
_REMEDY = "install Chromium, or name it in BENCHCHECKER_CHROMIUM"


def write_images(figures: Mapping[str, Figure], folder: Path) -> str | None:
    """Write each figure in every format, named by its key.

    Returns:
        Why that was not possible, None where it was.
    """
    if not figures:
        return None
    try:
        import kaleido
    except ImportError:
        return "kaleido is not installed: pip install -e '.[figures]'"
    jobs = [
        {
            "fig": figure.to_dict(),
            "path": str(folder / f"{name}.{form}"),
            "opts": {"format": form, "scale": _PNG_SCALE if form == "png" else 1},
        }
        for name, figure in figures.items()
        for form in FORMATS
    ]
    browser = os.environ.get(CHROMIUM_VARIABLE)
    # Without MathJax, which would be fetched from elsewhere: nothing here is a formula.
    options: dict[str, Any] = {"mathjax": False, **({"path": browser} if browser else {})}
    try:
        errors = kaleido.write_fig_from_object_sync(jobs, kopts=options)
    except Exception as error:
        # Whatever stands in a browser's way (none there, no rights, no memory) has one answer: do without.
        return f"no browser could draw them ({type(error).__name__}): {_REMEDY}"
    return f"{len(errors)} could not be drawn, such as: {errors[0]}"[:300] if errors else None
