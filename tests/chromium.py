"""The browser of the tests: Debian's Chromium, one for all of them."""

from __future__ import annotations

import os
import shutil

from engine.report.images import CHROMIUM_VARIABLE

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
MISSING = f"no Chromium on PATH (install it, or set {CHROMIUM_VARIABLE})"


def chromium() -> str | None:
    """Return the Chromium to drive, None where there is none."""
    named = os.environ.get(CHROMIUM_VARIABLE)
    candidates = [named] if named else ["chromium", "chromium-browser", "google-chrome"]
    return next((found for name in candidates if (found := shutil.which(name))), None)
