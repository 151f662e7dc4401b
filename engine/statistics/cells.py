"""Counts of samples by label, level of difficulty and repository, for many submissions at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.statistics.arrays import Counts
from engine.store.schema import LABELS

Labels = NDArray[np.int8]
CONTAMINATED, CLEAN, UNKNOWN = (LABELS.index(label) for label in ("contaminated", "clean", "unknown"))


def label_codes(labels: ArrayLike) -> Labels:
    """Turn the words `contaminated`, `clean` and `unknown` into codes, keeping the shape.

    Raises:
        ValueError: If any other word occurs.
    """
    words = np.asarray(labels, dtype=np.str_)
    codes = np.full(words.shape, -1, dtype=np.int8)
    for code, label in enumerate(LABELS):
        codes[words == label] = code
    if np.any(codes < 0):
        strange = sorted(set(words[codes < 0].ravel().tolist()))
        raise ValueError(f"unknown labels {strange}, expected {', '.join(LABELS)}")
    return codes


@dataclass(frozen=True, slots=True)
class Cells:
    """Resolved and all samples in each cell.

    Attributes:
        levels: Names of the levels of difficulty, in order; None stands for samples without one and is last.
        counts: Shape (submissions, labels, levels, repositories), labels in the order of the schema.
    """

    levels: tuple[str | None, ...]
    counts: Counts

    def label(self, code: int) -> Counts:
        """Return the counts of one label, shape (submissions, levels, repositories)."""
        return Counts(self.counts.k[:, code], self.counts.n[:, code])


def count_cells(
    resolved: ArrayLike,
    labels: ArrayLike,
    difficulty: Sequence[str | None] | None = None,
    levels: Sequence[str] | None = None,
    repository: Sequence[str] | None = None,
) -> Cells:
    """Count the samples of a benchmark by label, level and repository.

    Args:
        resolved: Booleans of shape (submissions, samples). The samples are those of the benchmark: its size
            is the denominator whatever a submission reported.
        labels: Codes from `label_codes`, shape (submissions, samples), or (samples,) when all share a cutoff.
        difficulty: Level of each sample, None where it has none.
        levels: Order of the levels; by default as they occur.
        repository: Repository of each sample.

    Raises:
        ValueError: If shapes do not fit, or a level or label is not known.
    """
    solved = np.asarray(resolved, dtype=np.bool_)
    if solved.ndim != 2:
        raise ValueError(f"resolved must have shape (submissions, samples), got {solved.shape}")
    codes = np.broadcast_to(np.asarray(labels), solved.shape)
    if np.any((codes < 0) | (codes >= len(LABELS))):
        raise ValueError(f"label codes must lie between 0 and {len(LABELS) - 1}")
    samples = solved.shape[1]
    names, level_of = _factor(difficulty, samples, levels, "difficulty")
    repositories, repository_of = _factor(repository, samples, None, "repository")
    cells = len(names) * len(repositories)
    # One bin for each submission, label, outcome and cell.
    bins = (len(solved), len(LABELS), 2, cells)
    outcome = 2 * codes.astype(np.int64) + solved
    offset = np.arange(len(solved))[:, None] * (len(LABELS) * 2 * cells)
    index = offset + outcome * cells + (level_of * len(repositories) + repository_of)
    found = np.bincount(index.ravel(), minlength=int(np.prod(bins))).reshape(bins)
    shape = (len(solved), len(LABELS), len(names), len(repositories))
    return Cells(names, Counts(found[:, :, 1].reshape(shape), found.sum(axis=2).reshape(shape)))


def _factor(
    values: Sequence[str | None] | None, samples: int, order: Sequence[str] | None, what: str
) -> tuple[tuple[str | None, ...], NDArray[np.int64]]:
    """Names of a grouping and the index of each sample's; None comes last, and alone without a grouping."""
    if values is None:
        return (None,), np.zeros(samples, dtype=np.int64)
    if len(values) != samples:
        raise ValueError(f"{what} names {len(values)} samples, resolved {samples}")
    known = dict.fromkeys(order if order is not None else (value for value in values if value is not None))
    names: tuple[str | None, ...] = (*known, None) if None in values or not known else tuple(known)
    index = {name: position for position, name in enumerate(names)}
    strange = sorted({str(value) for value in values if value not in index})
    if strange:
        raise ValueError(f"{what} {', '.join(strange)} is not among the levels given")
    return names, np.array([index[value] for value in values], dtype=np.int64)
