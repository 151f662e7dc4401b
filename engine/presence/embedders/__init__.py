"""Embedding models for code: one protocol, models from disk or a hub, vectors kept between runs."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.problems import BenchCheckerError

Vectors = NDArray[np.float32]
"""Shape (texts, dimensions); each row has length 1."""


class EmbedderUnavailable(BenchCheckerError):
    """The packages or the model that an embedder needs are not at hand."""


class Embedder(Protocol):
    """Turns texts into vectors whose inner product is their similarity.

    Attributes:
        name: Name of the model, to which a threshold belongs.
        revision: Which version of it; vectors of two revisions are never mixed.
    """

    name: str
    revision: str

    def encode(self, texts: list[str]) -> Vectors:
        """Return one vector of length 1 for each text.

        Raises:
            EmbedderUnavailable: If the model cannot be loaded.
        """
        ...
