"""Reads a scan's result for a reviewer and for a report; a page only calls what stands here."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from engine.overlap.queue import Choice, QueueEntry, QueueItem, read_entries, read_items, read_pairs
from engine.overlap.result_tables import DATABASE_NAME
from engine.overlap.review import REVIEWS_NAME, Decision, Pair, Reviews, Verdict
from engine.overlap.rules import Rules
from engine.overlap.scores import Leak
from engine.problems import BenchCheckerError

if TYPE_CHECKING:
    import duckdb

# Connections of one process to one file share an instance; opening one while another closes the last fails.
_ONE_AT_A_TIME = threading.Lock()
_LEAKS = f"""
    WITH flagged_pair AS (SELECT item, item_sha256, document_sha256 FROM pair WHERE flagged)
    SELECT item.item, judged AND EXISTS (FROM shard WHERE documents > 0), item.flagged, token_share,
           count(flagged_pair.item) FILTER (WHERE verdict IS NULL OR verdict IN
               ({", ".join(repr(verdict.value) for verdict in Verdict if verdict.is_leak)})),
           count(flagged_pair.item)
    FROM item
    LEFT JOIN flagged_pair ON flagged_pair.item = item.item
    LEFT JOIN decided ON decided.item_sha256 = flagged_pair.item_sha256
         AND decided.document_sha256 = flagged_pair.document_sha256
    GROUP BY ALL ORDER BY item.item
"""


class ScanResult:
    """The result of a scan, with the verdicts beside it.

    Args:
        folder: The scan's folder.
        reviews: The verdicts; by default those in the folder.

    Raises:
        BenchCheckerError: If the folder holds no result.
    """

    def __init__(self, folder: Path, reviews: Reviews | None = None) -> None:
        self.database = folder / DATABASE_NAME
        if not self.database.is_file():
            raise BenchCheckerError(f"{folder}: no result of a scan; run `benchchecker overlap scan` first")
        self.reviews = reviews or Reviews(folder / REVIEWS_NAME)

    def queue(
        self,
        choice: Choice = Choice(),
        limit: int | None = None,
        offset: int = 0,
    ) -> list[QueueEntry]:
        """Return flagged pairs, the strongest first; documents of the same content once.

        Args:
            choice: Which pairs.
            limit: At most so many.
            offset: After the first so many.
        """
        current = self.reviews.current()
        with self._open(current) as connection:
            return read_entries(connection, current, choice, limit, offset)

    def queue_items(self, choice: Choice = Choice()) -> list[QueueItem]:
        """Return the items of the chosen pairs, in the order of the queue."""
        with self._open(self.reviews.current()) as connection:
            return read_items(connection, choice)

    def queue_pairs(self, choice: Choice = Choice()) -> list[Pair]:
        """Return what the chosen pairs are called, in the order of the queue."""
        with self._open(self.reviews.current()) as connection:
            return read_pairs(connection, choice)

    def flagged_documents(self) -> list[tuple[str, str]]:
        """Return item and document key of every flagged pair."""
        with self._open({}) as connection:
            rows = connection.execute("SELECT item, document FROM pair WHERE flagged ORDER BY ALL").fetchall()
        return [(item, document) for item, document in rows]

    def counts(self) -> dict[str, int]:
        """Return how many pairs of the queue are open, and how many have each verdict."""
        current = self.reviews.current()
        with self._open(current) as connection:
            rows = connection.execute(
                "SELECT coalesce(verdict, 'open'), count(*) FROM (SELECT DISTINCT item_sha256, "
                "document_sha256 FROM pair WHERE flagged) LEFT JOIN decided "
                "USING (item_sha256, document_sha256) GROUP BY ALL"
            ).fetchall()
        found = dict(rows)
        return {name: found.get(name, 0) for name in ("open", *(verdict.value for verdict in Verdict))}

    def leaks(self) -> dict[str, tuple[Leak, float]]:
        """Return what is known of each item, and its share of contaminated tokens.

        An item is leaked while a flagged pair of it is open or was called a copy or near-duplicate, or while
        the corpus as a whole holds enough of its n-grams; it is clean again when every flagged pair of it was
        called template or unrelated. Items that could not be judged are unknown; all are while no document
        was read.
        """
        with self._open(self.reviews.current()) as connection:
            rows = connection.execute(_LEAKS).fetchall()
        leaks = {}
        for item, judged, flagged, token_share, standing, pairs in rows:
            leaked = standing > 0 if pairs else flagged
            leak = Leak.LEAKED if leaked else Leak.CLEAN if judged else Leak.UNKNOWN
            leaks[item] = (leak, token_share)
        return leaks

    def record_leaks(self) -> dict[str, tuple[Leak, float]]:
        """Return what is known of each record: of an item, or of all fields of a record together.

        A record is leaked if one of its fields is, and clean only if all are; its share of contaminated
        tokens is the greatest of its fields'.
        """
        fields = self.table("scan")[0]["fields"]
        records: dict[str, tuple[Leak, float]] = {}
        order = (Leak.CLEAN, Leak.UNKNOWN, Leak.LEAKED)
        for item, (leak, share) in self.leaks().items():
            ends = (f"/{field}" for field in fields if len(fields) > 1 and item.endswith(f"/{field}"))
            record = item.removesuffix(next(ends, ""))
            before = records.get(record, (Leak.CLEAN, 0.0))
            records[record] = (max(leak, before[0], key=order.index), max(share, before[1]))
        return records

    def table(self, name: Literal["scan", "shard", "item"]) -> list[dict[str, Any]]:
        """Return the rows of a small table of the result."""
        with self._open({}) as connection:
            rows = connection.execute(f"SELECT * FROM {name} ORDER BY 1")
            names = [column[0] for column in rows.description or ()]
            return [dict(zip(names, row, strict=True)) for row in rows.fetchall()]

    def rules(self) -> Rules:
        """Return the rules of the scan."""
        return Rules(**json.loads(self.table("scan")[0]["rules"]))

    def reasons(self) -> dict[str, tuple[int, int]]:
        """Return, for each rule, how many pairs and how many items it flagged."""
        with self._open({}) as connection:
            rows = connection.execute(
                "SELECT reason, count(*), count(DISTINCT item) FROM (SELECT item, unnest(reasons) AS reason "
                "FROM pair WHERE flagged) GROUP BY reason ORDER BY reason"
            ).fetchall()
        return {reason: (pairs, items) for reason, pairs, items in rows}

    @contextmanager
    def _open(self, current: dict[tuple[str, str], Decision]) -> Iterator[duckdb.DuckDBPyConnection]:
        import duckdb
        import pyarrow as pa

        with _ONE_AT_A_TIME:
            connection = None
            try:
                connection = duckdb.connect(str(self.database), read_only=True)
                decided = [(*key, one.verdict.value) for key, one in current.items()]
                columns = zip(*decided, strict=True) if decided else ([], [], [])
                names = ("item_sha256", "document_sha256", "verdict")
                connection.register(
                    "decided",
                    pa.table(
                        {
                            name: pa.array(list(values), pa.string())
                            for name, values in zip(names, columns, strict=True)
                        }
                    ),
                )
                yield connection
            except duckdb.Error as error:
                raise BenchCheckerError(
                    f"{self.database}: no result of a scan can be read ({error}); run the scan again"
                ) from error
            finally:
                if connection is not None:
                    connection.close()
