"""Options that several commands share."""

from __future__ import annotations

import calendar
from datetime import date
from math import inf
from pathlib import Path
from typing import Annotated

import typer


def read_day(text: str) -> date:
    """Read a day, `2025-03-31`, or a month, `2025-03`, which means its last day."""
    try:
        if len(text) == len("2025-03"):
            year, month = (int(part) for part in text.split("-"))
            return date(year, month, calendar.monthrange(year, month)[1])
        return date.fromisoformat(text)
    except (ValueError, calendar.IllegalMonthError) as error:
        raise typer.BadParameter(
            f"{text!r} is neither a day like 2025-03-31 nor a month like 2025-03"
        ) from error


def read_share(value: float | None) -> float | None:
    """Refuse what is no share from 0 to 1; a range would let `nan` through, below which nothing lies."""
    if value is not None and not 0 <= value <= 1:
        raise typer.BadParameter(f"{value:g} does not lie between 0 and 1")
    return value


def read_amount(value: float | None) -> float | None:
    """Refuse what is no amount above 0: nothing would ever exceed a limit of `nan`."""
    if value is not None and not 0 < value < inf:
        raise typer.BadParameter(f"{value:g} is no amount above 0")
    return value


Data = Annotated[Path, typer.Option(help="Folder of the fact files.")]
Database = Annotated[Path, typer.Option(help="DuckDB file that `build` makes.")]
Detector = Annotated[
    str | None, typer.Option("--detector", "-d", help="Key of the detector (default: the facts' own).")
]
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        "-t",
        callback=read_share,
        help="Score from which a fix counts as present (default: the detector's).",
    ),
]
