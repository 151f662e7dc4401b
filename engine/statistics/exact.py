"""Fisher's exact test for many 2 x 2 tables at once, and false-discovery control over submissions."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln
from scipy.stats import false_discovery_control

from engine.statistics.arrays import Floats, Ints

Alternative = Literal["two-sided", "less", "greater"]

# Two tables count as equally probable within this factor: log-factorials of a few thousand are exact to about
# 1e-12, and R's fisher.test uses the same margin.
_TIE = 1 + 1e-7
_CELLS_AT_ONCE = 1_000_000


def fisher_p_values(
    k1: ArrayLike, n1: ArrayLike, k2: ArrayLike, n2: ArrayLike, alternative: Alternative = "two-sided"
) -> Floats:
    """Return p-values of Fisher's exact test of k1 of n1 against k2 of n2.

    The two-sided value sums every table no more probable than the one observed. Tables further than twelve
    standard deviations (and thirty) from both the mean and the observed one are left out: together they are
    less probable than 1e-25.

    Args:
        k1: Successes of the first group (clean), any shape.
        n1: Size of the first group, same shape.
        k2: Successes of the second group (contaminated).
        n2: Size of the second group.
        alternative: `less` asks whether the first group's odds are lower, `greater` whether they are higher.

    Returns:
        p-values of the broadcast shape; NaN where a group is empty, 1 where only one table is possible.

    Raises:
        ValueError: If any count is negative or exceeds its group.
    """
    columns = np.broadcast_arrays(*(np.asarray(column, dtype=np.int64) for column in (k1, n1, k2, n2)))
    shape = columns[0].shape
    tables = np.stack([column.ravel() for column in columns], axis=-1)
    if np.any(tables[:, [0, 2]] < 0) or np.any(tables[:, [0, 2]] > tables[:, [1, 3]]):
        raise ValueError("Fisher's test needs 0 <= k <= n in both groups")
    # Many submissions share their margins, and scenarios without unknown samples are all alike.
    unique, inverse = np.unique(tables, axis=0, return_inverse=True)
    p_values = np.full(len(unique), np.nan)
    filled = unique[(unique[:, 1] > 0) & (unique[:, 3] > 0)]
    lowest, highest = _support(filled)
    found = np.empty(len(filled))
    # Tables of like width together, so that one wide table does not pad all others.
    order = np.argsort(highest - lowest, kind="stable")
    for rows in np.array_split(order, 1 + int((highest - lowest + 1).sum()) // _CELLS_AT_ONCE):
        if len(rows):
            found[rows] = _hypergeometric_tails(filled[rows], lowest[rows], highest[rows], alternative)
    p_values[(unique[:, 1] > 0) & (unique[:, 3] > 0)] = found
    return p_values[inverse.ravel()].reshape(shape)


def _support(tables: Ints) -> tuple[Ints, Ints]:
    """Smallest and largest k1 that matter for each table, rows of (k1, n1, k2, n2), none of them empty."""
    k1, n1, k2, n2 = tables.T
    size, total = n1 + n2, k1 + k2
    mean = total * n1 / size
    variance = mean * (n2 / size) * (size - total) / np.maximum(size - 1, 1)
    reach = 12 * np.sqrt(variance) + 30
    lowest = np.maximum(np.maximum(0, total - n2), np.floor(np.minimum(mean, k1) - reach))
    highest = np.minimum(np.minimum(total, n1), np.ceil(np.maximum(mean, k1) + reach))
    return lowest.astype(np.int64), highest.astype(np.int64)


def _hypergeometric_tails(tables: Ints, first: Ints, last: Ints, alternative: Alternative) -> Floats:
    """p-values of non-empty tables, summed over their support from `first` to `last`."""
    k1, n1, k2, n2 = tables.T[:, :, None]
    total, lowest, highest = k1 + k2, first[:, None], last[:, None]
    support = lowest + np.arange(int((last - first).max()) + 1)
    possible = support <= highest
    x = np.where(possible, support, lowest)
    log_factorial = gammaln(np.arange(int((n1 + n2).max()) + 1) + 1.0)

    def choose(n: Ints, k: Ints) -> Floats:
        return np.asarray(log_factorial[n] - log_factorial[k] - log_factorial[n - k])

    log_probability = choose(n1, x) + choose(n2, total - x) - choose(n1 + n2, total)
    probability = np.where(possible, np.exp(log_probability), 0.0)
    if alternative == "less":
        extreme = x <= k1
    elif alternative == "greater":
        extreme = x >= k1
    else:
        observed = np.exp(choose(n1, k1) + choose(n2, k2) - choose(n1 + n2, total))
        extreme = probability <= observed * _TIE
    # The padding repeats the lowest table with probability 0, so that it may be counted as extreme.
    return np.asarray(np.minimum(1.0, np.where(extreme, probability, 0.0).sum(axis=1)))


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    """Return p-values adjusted for the false discovery rate over one family of tests.

    Args:
        p_values: One test an element, shape (n,); NaN marks a test that could not be made and is left out.

    Returns:
        Adjusted values, shape (n,), NaN where the input is.
    """
    values = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(values.shape, np.nan)
    made = ~np.isnan(values)
    if made.any():
        adjusted[made] = false_discovery_control(values[made], method="bh")
    return adjusted
