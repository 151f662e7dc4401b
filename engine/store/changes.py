"""What a command would change in the fact files, to be shown or applied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.store.facts import Fact, column_types, fact_path, key_columns, table, write_facts

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class TableChange:
    """The rows of one fact table before and after a command.

    Attributes:
        name: Name of the table.
        before: Rows in the file, by primary key.
        after: Rows as they shall be, by primary key.
    """

    name: str
    before: Mapping[Key, Fact]
    after: Mapping[Key, Fact]

    @property
    def added(self) -> tuple[Key, ...]:
        """Keys that are new, sorted."""
        return tuple(sorted(self.after.keys() - self.before.keys()))

    @property
    def removed(self) -> tuple[Key, ...]:
        """Keys that are gone, sorted."""
        return tuple(sorted(self.before.keys() - self.after.keys()))

    @property
    def changed(self) -> tuple[Key, ...]:
        """Keys of rows with another value, sorted."""
        common = self.before.keys() & self.after.keys()
        return tuple(sorted(key for key in common if self.before[key] != self.after[key]))

    def __bool__(self) -> bool:
        """Whether the table changes at all."""
        return self.before != self.after

    def describe(self, limit: int = 20) -> Iterator[str]:
        """Yield one line per row that changes, at most `limit` of each kind."""
        for sign, keys in (("+", self.added), ("-", self.removed), ("~", self.changed)):
            for key in keys[:limit]:
                detail = f": {self._difference(key)}" if sign == "~" else ""
                yield f"{sign} {self.name} {' '.join(str(part) for part in key)}{detail}"
            if len(keys) > limit:
                yield f"{sign} {self.name} and {len(keys) - limit} more"

    def _difference(self, key: Key) -> str:
        old, new = self.before[key], self.after[key]
        return ", ".join(
            f"{column} {old[column]!r} → {new[column]!r}" for column in old if old[column] != new[column]
        )


def compare(name: str, before: Iterable[Fact], after: Iterable[Fact]) -> TableChange:
    """Return the change of table `name` from the rows `before` to the rows `after`.

    A column that a row leaves out is empty.
    """
    fact = table(name)
    columns, key = tuple(column_types(fact)), key_columns(fact)

    def by_key(rows: Iterable[Fact]) -> dict[Key, Fact]:
        complete = ({column: row.get(column) for column in columns} for row in rows)
        return {tuple(row[column] for column in key): row for row in complete}

    return TableChange(name, by_key(before), by_key(after))


def apply(data: Path, changes: Iterable[TableChange]) -> list[Path]:
    """Write the fact file of each table that changes or has none, in the order given; return these."""
    return [
        write_facts(data, change.name, change.after.values())
        for change in changes
        if change or not fact_path(data, change.name).exists()
    ]
