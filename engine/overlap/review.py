"""The review queue: flagged pairs, what a reader decided about them, and how to take that back.

Verdicts lie in a database of their own and refer to the content of item and document (their hashes), so that
they survive a rescan, a moved file and a new name. Nothing is deleted: a verdict taken back stays in the
history.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.problems import BenchCheckerError
from engine.store.facts import replacing

if TYPE_CHECKING:
    import duckdb

REVIEWS_NAME = "reviews.duckdb"


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
CURRENT = """
    SELECT * EXCLUDE (undone_at) FROM verdict WHERE undone_at IS NULL
    QUALIFY row_number() OVER (
        PARTITION BY item_sha256, document_sha256 ORDER BY decided_at DESC, verdict_id DESC
    ) = 1
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


class Reviews:
    """The verdicts, in a DuckDB file that is opened for each call only."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def decide(self, pair: Pair, verdict: Verdict, reviewer: str, note: str = "") -> Decision:
        """Store a verdict; it replaces an earlier one for the same pair.

        Raises:
            BenchCheckerError: If the reviewer has no name or the file is in use.
        """
        if not reviewer.strip():
            raise BenchCheckerError("a verdict needs the name of its reviewer")
        decision = Decision(str(uuid.uuid4()), pair, verdict, note, reviewer.strip(), datetime.now(UTC))
        self._insert([decision])
        return decision

    def undo(self, pair: Pair) -> Decision | None:
        """Take back the standing verdict of a pair; the one before it stands again.

        Returns:
            The verdict taken back, None if there was none.
        """
        with self._open() as connection:
            rows = connection.execute(
                f"SELECT verdict_id FROM ({CURRENT}) WHERE item_sha256 = ? AND document_sha256 = ?",
                [pair.item_sha256, pair.document_sha256],
            ).fetchall()
            if not rows:
                return None
            connection.execute(
                "UPDATE verdict SET undone_at = ? WHERE verdict_id = ?", [datetime.now(UTC), rows[0][0]]
            )
        return next(one for one in self.history() if one.verdict_id == str(rows[0][0]))

    def history(self) -> list[Decision]:
        """Return every decision, those taken back too, in the order they were made."""
        if not self.path.exists():
            return []
        with self._open() as connection:
            names = [field.name for field in fields(Pair)]
            rows = connection.execute(
                f"SELECT verdict_id, {', '.join(names)}, verdict, note, reviewer, decided_at, undone_at "
                "FROM verdict ORDER BY decided_at, verdict_id"
            ).fetchall()
        return [
            Decision(
                str(row[0]),
                Pair(*row[1:5]),
                Verdict(row[5]),
                row[6],
                row[7],
                _utc(row[8]),
                _utc_or_none(row[9]),
            )
            for row in rows
        ]

    def current(self) -> dict[tuple[str, str], Decision]:
        """Return the standing verdict of each pair, by the hashes of item and document."""
        return {
            (one.pair.item_sha256, one.pair.document_sha256): one
            for one in self.history()
            if one.undone_at is None
        }

    def export(self, path: Path) -> int:
        """Write the whole history as JSON Lines; return how many decisions it has."""
        history = self.history()
        with replacing(path) as temporary, temporary.open("w", encoding="utf-8") as stream:
            for one in history:
                row = asdict(one) | {
                    "pair": asdict(one.pair),
                    "decided_at": one.decided_at.isoformat(),
                    "undone_at": one.undone_at.isoformat() if one.undone_at else None,
                }
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")
        return len(history)

    def import_from(self, path: Path) -> int:
        """Add the decisions of an export that are not here yet; return how many there were.

        Raises:
            BenchCheckerError: If a line is no decision; then nothing is added.
        """
        known = {one.verdict_id: one for one in self.history()}
        new, undone = [], []
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
            if not line.strip():
                continue
            try:
                one = _parse(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise BenchCheckerError(f"{path}:{number}: no verdict ({error}); nothing imported") from error
            if one.verdict_id not in known:
                new.append(one)
            elif one.undone_at is not None and known[one.verdict_id].undone_at is None:
                undone.append(one)
        self._insert(new)
        with self._open() as connection:
            for one in undone:
                connection.execute(
                    "UPDATE verdict SET undone_at = ? WHERE verdict_id = ?", [one.undone_at, one.verdict_id]
                )
        return len(new) + len(undone)

    def _insert(self, decisions: Sequence[Decision]) -> None:
        with self._open() as connection:
            for one in decisions:
                connection.execute(
                    "INSERT INTO verdict VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    [
                        one.verdict_id,
                        one.pair.item_sha256,
                        one.pair.document_sha256,
                        one.pair.item,
                        one.pair.document,
                        one.verdict.value,
                        one.note,
                        one.reviewer,
                        one.decided_at,
                        one.undone_at,
                    ],
                )

    @contextmanager
    def _open(self) -> Iterator[duckdb.DuckDBPyConnection]:
        import duckdb

        self.path.parent.mkdir(parents=True, exist_ok=True)
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


def _parse(row: dict[str, Any]) -> Decision:
    undone = row["undone_at"]
    return Decision(
        verdict_id=str(uuid.UUID(row["verdict_id"])),
        pair=Pair(**{field.name: str(row["pair"][field.name]) for field in fields(Pair)}),
        verdict=Verdict(row["verdict"]),
        note=str(row["note"]),
        reviewer=str(row["reviewer"]),
        decided_at=datetime.fromisoformat(row["decided_at"]).astimezone(UTC),
        undone_at=None if undone is None else datetime.fromisoformat(undone).astimezone(UTC),
    )


def _utc(value: datetime) -> datetime:
    return value.astimezone(UTC)


def _utc_or_none(value: datetime | None) -> datetime | None:
    return None if value is None else value.astimezone(UTC)
