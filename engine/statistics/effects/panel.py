"""The matrix that all effects are estimated from: submissions by samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from engine.statistics.arrays import Bools
from engine.statistics.cells import CONTAMINATED, UNKNOWN


@dataclass(frozen=True, slots=True)
class Panel:
    """Outcome and label of each sample at each submission's cutoff, all of shape (submissions, samples).

    Attributes:
        resolved: Whether the submission resolved the sample.
        contaminated: Whether the sample is contaminated at the submission's cutoff.
        known: Whether it is known to be contaminated or clean; cells that are not take no part in anything.
    """

    resolved: Bools
    contaminated: Bools
    known: Bools

    def __post_init__(self) -> None:
        if self.resolved.ndim != 2 or not (
            self.resolved.shape == self.contaminated.shape == self.known.shape
        ):
            raise ValueError("a panel needs three matrices of shape (submissions, samples)")

    @classmethod
    def from_labels(cls, resolved: ArrayLike, labels: ArrayLike) -> Panel:
        """Make a panel from outcomes and label codes (`cells.label_codes`) of shape (submissions, samples).

        Raises:
            ValueError: If the shapes differ.
        """
        codes = np.asarray(labels)
        return cls(np.asarray(resolved, dtype=np.bool_), codes == CONTAMINATED, codes != UNKNOWN)

    def only(self, cells: ArrayLike) -> Panel:
        """Return the panel with every cell outside `cells` (broadcast to the matrix) unknown."""
        return Panel(self.resolved, self.contaminated, self.known & np.asarray(cells, dtype=np.bool_))

    @property
    def varying(self) -> int:
        """Samples that are clean for one submission and contaminated for another.

        Only these say anything about an effect within samples.
        """
        clean = (self.known & ~self.contaminated).any(axis=0)
        return int(np.sum(clean & (self.known & self.contaminated).any(axis=0)))
