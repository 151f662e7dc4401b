"""Whether the processes of a group are gone."""

from __future__ import annotations

import os
import time


def ends_within(group: int, seconds: float) -> bool:
    """Wait for a group's last process; return whether it ended in time.

    A worker notices the death of its parent a moment later, and whoever inherits it reaps it later still.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False
