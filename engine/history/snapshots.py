"""Which first-parent commit a branch showed at the end of a day.

The snapshot at day D is the last commit of the first-parent chain, in chain order, whose committer date is
not after D (UTC). Committer dates are not monotone along the chain (rebases, skewed clocks, imports), so a
commit is the snapshot only on days before every later commit's day. With S(i) the smallest day among commit i
and its successors, which never falls along the chain, positions [i, j) are the snapshots of exactly the days
from S(i) to the day before S(j).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import numpy as np
import numpy.typing as npt

from engine.history.errors import DayAfterHistory, DayBeforeHistory, HistoryUnavailable

_SECONDS_PER_DAY = 86_400
_EPOCH = date(1970, 1, 1)
# Git stores any 64-bit number as a date; Python's calendar ends with the year 9999.
_LAST_SECOND = int(datetime(9999, 12, 30, tzinfo=UTC).timestamp())


@dataclass(frozen=True, slots=True)
class FirstParentCommit:
    """A commit of the default branch's first-parent chain.

    Attributes:
        position: Place in the chain, 0 for the root.
        sha: Full commit id.
        committed_at: Committer date, UTC.
    """

    position: int
    sha: str
    committed_at: datetime

    @property
    def day(self) -> date:
        """UTC day of the committer date."""
        return self.committed_at.date()


class FirstParentChain:
    """The first-parent commits of a branch, oldest first, and the days each one stands for."""

    def __init__(self, shas: Sequence[str], committed: Sequence[int]) -> None:
        """Take the chain.

        Args:
            shas: Commit ids, oldest first.
            committed: Committer dates in seconds since 1970-01-01 UTC; those outside the years 1970 to 9999
                are moved to the nearest end.

        Raises:
            HistoryUnavailable: If the chain is empty.
            ValueError: If the two differ in length.
        """
        if not shas:
            raise HistoryUnavailable("the branch has no commits")
        if len(shas) != len(committed):
            raise ValueError("as many dates as commits are needed")
        self._shas = tuple(shas)
        self._seconds = tuple(min(max(second, 0), _LAST_SECOND) for second in committed)
        days = np.asarray(self._seconds, dtype=np.int64) // _SECONDS_PER_DAY
        # One more than the head's day closes the last window: what came after the head is not known.
        suffix_minima = np.minimum.accumulate(days[::-1])[::-1]
        self._reached: npt.NDArray[np.int64] = np.append(suffix_minima, days[-1] + 1)
        self._positions = {sha: position for position, sha in enumerate(self._shas)}

    def __len__(self) -> int:
        return len(self._shas)

    def __getitem__(self, position: int) -> FirstParentCommit:
        """Return the commit at `position`, 0 for the root; negative positions count from the head."""
        position = range(len(self))[position]
        moment = datetime.fromtimestamp(self._seconds[position], UTC)
        return FirstParentCommit(position, self._shas[position], moment)

    @property
    def head(self) -> FirstParentCommit:
        """The last commit."""
        return self[-1]

    @property
    def first_day(self) -> date:
        """The first day that has a snapshot."""
        return _to_date(self._reached[0])

    @property
    def last_day(self) -> date:
        """The last day that has a known snapshot: the head's day."""
        return self.head.day

    def position_of(self, sha: str) -> int | None:
        """Return the position of a commit of the chain, or None for any other commit."""
        return self._positions.get(sha)

    def snapshot_at(self, day: date) -> FirstParentCommit:
        """Return the snapshot at the end of `day` (UTC).

        Raises:
            DayBeforeHistory: If no commit is that old.
            DayAfterHistory: If the head is older than `day`.
        """
        number = (day - _EPOCH).days
        if number < self._reached[0]:
            raise DayBeforeHistory(day, self.first_day)
        if number >= self._reached[-1]:
            raise DayAfterHistory(day, self.last_day)
        return self[int(np.searchsorted(self._reached, number, side="right")) - 1]

    def days(self, start: int, stop: int) -> tuple[date, date] | None:
        """Return the first and last day whose snapshot has a position in [start, stop).

        The days between them all have such a snapshot. None if there is no such day: each commit in the range
        was overtaken, before its own day was over or by a later commit with an earlier date.
        """
        if not 0 <= start < stop <= len(self):
            raise IndexError(f"positions [{start}, {stop}) are not within [0, {len(self)})")
        first, after = self._reached[start], self._reached[stop]
        return None if first >= after else (_to_date(first), _to_date(after - 1))

    def window(self, position: int) -> tuple[date, date] | None:
        """Return the first and last day at whose end this commit is the snapshot; None if there is none."""
        return self.days(position, position + 1)


def _to_date(number: int | np.int64) -> date:
    return _EPOCH + timedelta(days=int(number))
