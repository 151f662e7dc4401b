"""Options that several commands share."""

from __future__ import annotations

import calendar
from datetime import date
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


Data = Annotated[Path, typer.Option(help="Folder of the fact files.")]
Database = Annotated[Path, typer.Option(help="DuckDB file that `build` makes.")]
Detector = Annotated[
    str | None, typer.Option("--detector", "-d", help="Key of the detector [default: the facts' own].")
]
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold", "-t", help="Score from which a fix counts as present [default: the detector's]."
    ),
]
