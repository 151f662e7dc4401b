"""Whether the outcomes of a submission agree with the rate that its leaderboard prints."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

# A leaderboard that lost a sample divides by one or a few less than the benchmark's size.
_LOST_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Agreement:
    """How outcomes and printed rate go together.

    Attributes:
        total: The denominator that gives the printed rate, or None if the rate is unknown or fits none.
        note: What a reader must know, or None.
        usable: Whether the outcomes can stand for the printed rate.
    """

    total: int | None
    note: str | None
    usable: bool


def agreement(resolved: int, size: int, reported_rate: float | None) -> Agreement:
    """Compare a count of resolved samples with the rate that a leaderboard prints.

    The rate is compared at the precision it is printed with, a tenth of a per cent at least. If the
    benchmark's size does not give it, the largest denominator that does is looked for, down to one per cent
    below the size. If none does, the outcomes are those of another run.

    Args:
        resolved: Number of resolved samples.
        size: Number of samples of the benchmark.
        reported_rate: The printed rate, from 0 to 1, or None.
    """
    if reported_rate is None:
        return Agreement(None, None, usable=True)
    # Rounded, so that a rate that was computed and not read is not taken for one of fifteen digits.
    printed = round(Decimal(str(reported_rate)) * 100, 4)
    exponent = printed.normalize().as_tuple().exponent
    digits = max(1, -exponent) if isinstance(exponent, int) else 1
    for total in range(size, int(size * (1 - _LOST_SHARE)) - 1, -1):
        if abs(Decimal(100 * resolved) / total - printed) <= Decimal("0.5") * Decimal(10) ** -digits:
            if total == size:
                return Agreement(size, None, usable=True)
            note = (
                f"the leaderboard's {printed:.{digits}f}% is {resolved} of {total}, "
                f"here it is of {size}: which samples it left out is not known"
            )
            return Agreement(total, note, usable=True)
    share = 100 * resolved / size
    note = (
        f"its outcomes give {resolved} of {size} ({share:.1f}%) but the leaderboard says "
        f"{printed:.{digits}f}%: outcomes not used"
    )
    return Agreement(None, note, usable=False)
