"""How ids, numbers and days are written for a reader, and how untrusted text is made inert.

Names, paths and reasons come from files that strangers wrote. The table component only ever shows them as
text; `markdown` and `hover` are for the two places that would interpret them, Streamlit's Markdown and
Plotly's labels.
"""

from __future__ import annotations

import html
import re
from datetime import UTC, date, datetime

from engine.reading import printable
from engine.statistics.proportions import Interval

DASH = "–"
MINUS = "−"

LABEL_TITLES = {"contaminated": "Contaminated", "clean": "Clean", "unknown": "Unknown"}
OUTCOME_TITLES = {
    "resolved": "Resolved",
    "unresolved": "Not resolved",
    "empty_patch": "Empty patch",
    "no_generation": "No generation",
    "no_logs": "No logs",
    "error": "Error",
    "not_submitted": "Not submitted",
}
BASIS_TITLES = {"published": "published", "estimated": "estimated", "assumed": "assumed", "probed": "probed"}

_MARKDOWN = re.compile(r"([!-/:-@\[-`{-~])")


def markdown(text: object) -> str:
    """Return `text` so that Markdown, Streamlit's directives and HTML in it show as typed."""
    return _MARKDOWN.sub(r"\\\1", printable(text))


def hover(text: object) -> str:
    """Return `text` so that Plotly, which reads a subset of HTML, shows it as typed."""
    return html.escape(printable(text))


def percent(share: float | None) -> str:
    """Return a share in [0, 1] as `78.8%`, or a dash."""
    return DASH if share is None else f"{100 * share:.1f}%"


def signed_percent(change: float | None) -> str:
    """Return a relative change as `−9.6%` or `+2.0%`, or a dash."""
    if change is None:
        return DASH
    return f"{change:+.1%}".replace("-", MINUS)


def signed_points(difference: float | None) -> str:
    """Return a difference of two shares in percentage points, `−7.5`, or a dash."""
    if difference is None:
        return DASH
    return f"{100 * difference:+.1f}".replace("-", MINUS)


def share_of(count: int, total: int) -> str:
    """Return `394/500`."""
    return f"{count}/{total}"


def interval(bounds: Interval | None) -> str:
    """Return an interval of shares as `[75.0–82.2]`, in percent, or an empty string where there is none."""
    return "" if bounds is None else f"[{100 * bounds.low:.1f}{DASH}{100 * bounds.high:.1f}]"


def points_interval(bounds: Interval | None) -> str:
    """Return an interval of differences as `[−11.3 to +2.0]`, in points, or an empty string."""
    if bounds is None:
        return ""
    return f"[{signed_points(bounds.low)} to {signed_points(bounds.high)}]"


def day(value: date | None) -> str:
    """Return a day as `2025-03-31`, or a dash."""
    return DASH if value is None else value.isoformat()


def utc_day(instant: datetime | None) -> str:
    """Return the UTC day of an instant as `2025-03-31`, or a dash."""
    return DASH if instant is None else day(instant.astimezone(UTC).date())


def probability(value: float | None) -> str:
    """Return a p- or q-value as `0.034`, `< 0.001` where three decimals show nothing, or a dash."""
    if value is None:
        return DASH
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def p_value(value: float, name: str = "p") -> str:
    """Return a p- or q-value with its name, as `p = 0.034` or `p < 0.001`."""
    shown = probability(value)
    return f"{name} {shown}" if shown.startswith("<") else f"{name} = {shown}"


def optional(value: object) -> str | None:
    """Return a value as text, None where it is missing."""
    return None if value is None else str(value)


def count(number: int, singular: str, plural: str | None = None) -> str:
    """Return `1 submission` or `1,820 submissions`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
