"""Numbers as people print them: with a sign, in percent, with their interval."""

from __future__ import annotations

from engine.statistics.proportions import Interval

MINUS = "\N{MINUS SIGN}"


def percent(change: float | None) -> str:
    """Return a relative change as `−8.1%`."""
    return "\N{EN DASH}" if change is None else f"{100 * change:+.1f}%".replace("-", MINUS)


def signed(number: float, decimals: int = 1) -> str:
    """Return a number with its sign."""
    return f"{number:+.{decimals}f}".replace("-", MINUS)


def with_interval(estimate: float, bounds: Interval, decimals: int = 1, scale: float = 1.0) -> str:
    """Return `+3.1 [−1.0 to +7.2]`."""
    ends = f"{signed(scale * bounds.low, decimals)} to {signed(scale * bounds.high, decimals)}"
    return f"{signed(scale * estimate, decimals)} [{ends}]"
