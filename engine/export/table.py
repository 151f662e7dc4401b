"""A table with named and typed columns: what every export and download is made from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

Value = str | int | float | bool | date | None
Kind = Literal["text", "integer", "real", "boolean", "day"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        name: Name for programs, in CSV, JSON and Parquet.
        kind: Type of its values; any may be None.
        title: Heading for people, in LaTeX and Markdown; the name if left out.
        decimals: Decimal places for people, of a real number.
    """

    name: str
    kind: Kind = "text"
    title: str = ""
    decimals: int = 3

    @property
    def heading(self) -> str:
        """What people see."""
        return self.title or self.name


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values, and what a reader must know about them.

    Attributes:
        columns: The columns.
        rows: A value for each column; None where it is missing or not defined.
        notes: How the table was made (benchmark, detector, threshold, digest of the facts), by name.

    Raises:
        ValueError: If a row does not have one value for each column, or two columns have the same name.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if len({column.name for column in self.columns}) != len(self.columns):
            raise ValueError("two columns have the same name")
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row has {len(row)} values for {len(self.columns)} columns")


def from_records(
    columns: Sequence[Column], records: Iterable[dict[str, Any]], notes: Sequence[tuple[str, str]] = ()
) -> Table:
    """Make a table from records; a key that a record lacks is an error, one without a column is left out."""
    rows = tuple(tuple(record[column.name] for column in columns) for record in records)
    return Table(tuple(columns), rows, tuple(notes))
