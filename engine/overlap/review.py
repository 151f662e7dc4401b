"""The review queue: flagged pairs, what a reader decided about them, and how to take that back.

Verdicts lie in a database of their own and refer to the content of item and document (their hashes), so that
they survive a rescan, a moved file and a new name. Nothing is deleted: a verdict taken back stays in the
history.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, fields, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from engine.problems import BenchCheckerError
from engine.reading import clean_name
from engine.store.facts import replacing
from engine.store.locking import exclusive

if TYPE_CHECKING:
    import duckdb

REVIEWS_NAME = "reviews.duckdb"


_NO_DECISION = (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError)
"""What reading a line of something else raises."""


class Verdict(StrEnum):
    """What a reader says of a flagged pair."""

    COPY = "copy"
    NEAR_DUPLICATE = "near-duplicate"
    TEMPLATE = "template"
    UNRELATED = "unrelated"

    @property
    def is_leak(self) -> bool:
        """Whether the item counts as leaked."""
        return self in (Verdict.COPY, Verdict.NEAR_DUPLICATE)


_DDL = f"""
CREATE TABLE IF NOT EXISTS verdict (
    verdict_id UUID PRIMARY KEY,
    item_sha256 VARCHAR NOT NULL,
    document_sha256 VARCHAR NOT NULL,
    item VARCHAR NOT NULL,
    document VARCHAR NOT NULL,
    verdict VARCHAR NOT NULL CHECK (verdict IN ({", ".join(repr(verdict.value) for verdict in Verdict)})),
    note VARCHAR NOT NULL,
    reviewer VARCHAR NOT NULL,
    decided_at TIMESTAMPTZ NOT NULL,
    undone_at TIMESTAMPTZ
)
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair as a verdict refers to it: by content, with the names it had then."""

    item_sha256: str
    document_sha256: str
    item: str
    document: str


@dataclass(frozen=True, slots=True)
class Decision:
    """One verdict in the history.

    Attributes:
        verdict_id: A UUID: importing the same decision twice changes nothing.
        pair: What it is about.
        verdict: What was decided.
        note: Free text.
        reviewer: Who decided: a person, or the model that judged.
        decided_at: When.
        undone_at: When it was taken back, None while it stands.
    """

    verdict_id: str
    pair: Pair
    verdict: Verdict
    note: str
    reviewer: str
    decided_at: datetime
    undone_at: datetime | None = None


Seen = Decision | Literal["any"] | None


class DecidedMeanwhile(BenchCheckerError):
    """Somebody else decided a pair after its reviewer had looked at it.

    Attributes:
        standing: What stands now, None if the verdict was taken back.
    """

    def __init__(self, standing: Decision | None) -> None:
        self.standing = standing
        now = f"{standing.verdict.value} by {standing.reviewer}" if standing else "open again"
        super().__init__(f"the pair was decided meanwhile, it is {now}; look again before you decide")


class Reviews:
    """The verdicts, in a DuckDB file that each call opens, one process or thread at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def decide(
        self,
        pair: Pair,
        verdict: Verdict,
        reviewer: str,
        note: str = "",
        *,
        seen: Seen = "any",
    ) -> Decision:
        """Store a verdict; it replaces an earlier one for the same pair, which stays in the history.

        Args:
            pair: What it is about.
            verdict: What was decided.
            reviewer: Who decides.
            note: Free text.
            seen: The verdict that the reviewer saw standing; another one that stands by now is not replaced.

        Raises:
            DecidedMeanwhile: If somebody else decided since.
            BenchCheckerError: If the reviewer has no name or the file cannot be opened.
        """
        if not reviewer.strip():
            raise BenchCheckerError("a verdict needs the name of its reviewer")
        decision = Decision(str(uuid.uuid4()), pair, verdict, note, reviewer.strip(), datetime.now(UTC))
        with self._open() as connection:
            _unchanged(connection, pair, seen)
            _insert(connection, [decision])
        return decision

    def undo(self, pair: Pair, *, seen: Seen = "any") -> Decision | None:
        """Take back the standing verdict of a pair; the one before it stands again.

        Args:
            pair: What it is about.
            seen: The verdict to take back, as in `decide`.

        Raises:
            DecidedMeanwhile: If another verdict stands by now.

        Returns:
            The verdict taken back, None if there was none.
        """
        with self._open() as connection:
            standing = _unchanged(connection, pair, seen)
            if standing is None:
                return None
            undone = replace(standing, undone_at=datetime.now(UTC))
            _take_back(connection, undone)
        return undone

    def history(self) -> list[Decision]:
        """Return every decision, those taken back too, in the order they were made."""
        if not self.path.exists():
            return []
        with self._open() as connection:
            return _history(connection)

    def current(self) -> dict[tuple[str, str], Decision]:
        """Return the standing verdict of each pair, by the hashes of item and document."""
        return _standing(self.history())

    def exported(self) -> str:
        """Return the whole history as JSON Lines."""
        rows = (
            asdict(one)
            | {
                "decided_at": one.decided_at.isoformat(),
                "undone_at": one.undone_at.isoformat() if one.undone_at else None,
            }
            for one in self.history()
        )
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)

    def export(self, path: Path) -> int:
        """Write the whole history as JSON Lines; return how many decisions it has."""
        content = self.exported()
        with replacing(path) as temporary:
            temporary.write_text(content, encoding="utf-8", newline="\n")
        return content.count("\n")

    def import_from(self, path: Path) -> int:
        """Add the decisions of an export; see `import_lines`."""
        return self.import_lines(path.read_bytes(), str(path))

    def import_lines(self, content: bytes, source: str) -> int:
        """Add the decisions of an export that are not here yet; return how many there were.

        Args:
            content: JSON Lines, as `exported` gives them.
            source: Where they are from, for messages.

        Raises:
            BenchCheckerError: If a line is no decision; then nothing is added.
        """
        decisions = []
        for number, line in enumerate(content.split(b"\n"), start=1):
            if not line.strip():
                continue
            try:
                decisions.append(_parse(json.loads(line)))
            except _NO_DECISION as error:
                raise BenchCheckerError(
                    f"{source}:{number}: no verdict ({clean_name(error)}); nothing imported"
                ) from error
        with self._open() as connection:
            known = {one.verdict_id: one for one in _history(connection)}
            changes = 0
            for one in decisions:
                before = known.get(one.verdict_id)
                if before is None:
                    _insert(connection, [one])
                elif one.undone_at is not None and before.undone_at is None:
                    _take_back(connection, one)
                else:
                    continue
                known[one.verdict_id] = one
                changes += 1
        return changes

    @contextmanager
    def _open(self) -> Iterator[duckdb.DuckDBPyConnection]:
        import duckdb

        # DuckDB refuses a file that another process has open: writers wait for one another instead.
        with exclusive(self.path.parent):
            try:
                connection = duckdb.connect(str(self.path))
            except duckdb.Error as error:
                raise BenchCheckerError(f"{self.path}: cannot be opened ({error}); is it in use?") from error
            try:
                connection.execute("BEGIN")
                connection.execute(_DDL)
                yield connection
                connection.execute("COMMIT")
            finally:
                connection.close()


def _history(connection: duckdb.DuckDBPyConnection) -> list[Decision]:
    names = [field.name for field in fields(Pair)]
    rows = connection.execute(
        f"SELECT verdict_id, {', '.join(names)}, verdict, note, reviewer, decided_at, undone_at "
        "FROM verdict ORDER BY decided_at, verdict_id"
    ).fetchall()
    return [
        Decision(
            str(row[0]), Pair(*row[1:5]), Verdict(row[5]), row[6], row[7], _utc(row[8]), _utc_or_none(row[9])
        )
        for row in rows
    ]


def _unchanged(connection: duckdb.DuckDBPyConnection, pair: Pair, seen: Seen) -> Decision | None:
    standing = _standing(_history(connection)).get((pair.item_sha256, pair.document_sha256))
    if seen not in ("any", standing):
        raise DecidedMeanwhile(standing)
    return standing


def _standing(history: Iterable[Decision]) -> dict[tuple[str, str], Decision]:
    """Return the last decision of each pair that was not taken back."""
    return {(one.pair.item_sha256, one.pair.document_sha256): one for one in history if one.undone_at is None}


def _take_back(connection: duckdb.DuckDBPyConnection, one: Decision) -> None:
    connection.execute(
        "UPDATE verdict SET undone_at = ? WHERE verdict_id = ?", [one.undone_at, one.verdict_id]
    )


def _insert(connection: duckdb.DuckDBPyConnection, decisions: Sequence[Decision]) -> None:
    for one in decisions:
        connection.execute(
            "INSERT INTO verdict VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                one.verdict_id,
                *astuple(one.pair),
                one.verdict.value,
                one.note,
                one.reviewer,
                one.decided_at,
                one.undone_at,
            ],
        )


def _parse(row: dict[str, Any]) -> Decision:
    undone = row["undone_at"]
    texts = {name: str(row[name]) for name in ("note", "reviewer")}
    pair = Pair(**{field.name: str(row["pair"][field.name]) for field in fields(Pair)})
    if not texts["reviewer"].strip():
        raise ValueError("it has no reviewer")
    "".join((*texts.values(), *astuple(pair))).encode()  # half a surrogate pair cannot be stored
    return Decision(
        verdict_id=str(uuid.UUID(row["verdict_id"])),
        pair=pair,
        verdict=Verdict(row["verdict"]),
        note=texts["note"],
        reviewer=texts["reviewer"],
        decided_at=datetime.fromisoformat(row["decided_at"]).astimezone(UTC),
        undone_at=None if undone is None else datetime.fromisoformat(undone).astimezone(UTC),
    )


def _utc(value: datetime) -> datetime:
    return value.astimezone(UTC)


def _utc_or_none(value: datetime | None) -> datetime | None:
    return None if value is None else value.astimezone(UTC)
