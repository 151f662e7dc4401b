"""The embedders that detectors are named after."""

from __future__ import annotations

from functools import cache

from engine.paths import CACHE_DIR
from engine.presence.embedders import Embedder, EmbedderUnavailable
from engine.presence.embedders.line_text import plain_text, without_names
from engine.presence.embedders.sentence import JINA_MODEL, from_folder, minilm
from engine.presence.embedders.vector_cache import CachedEmbedder
from engine.presence.embedding_similarity import EmbeddingSimilarity

VECTORS = CACHE_DIR / "vectors.sqlite"
JINA_FOLDER = CACHE_DIR / "models" / JINA_MODEL.partition("/")[2]


@cache
def minilm_similarity() -> EmbeddingSimilarity:
    """Return the similarity by the small model of the extra `models`, one for each process.

    Raises:
        EmbedderUnavailable: If the extra is not installed.
    """
    return EmbeddingSimilarity(_kept(minilm()), without_names)


@cache
def jina_similarity() -> EmbeddingSimilarity:
    """Return the similarity by the paper's model, read from `JINA_FOLDER`, one for each process.

    Raises:
        EmbedderUnavailable: If the model is not there, with how to get it.
    """
    if not JINA_FOLDER.is_dir():
        raise EmbedderUnavailable(
            f"{JINA_MODEL} is not at {JINA_FOLDER}: "
            f"`hf download {JINA_MODEL} --revision COMMIT --local-dir {JINA_FOLDER}`"
        )
    return EmbeddingSimilarity(_kept(from_folder(JINA_FOLDER)), plain_text)


def _kept(embedder: Embedder) -> CachedEmbedder:
    return CachedEmbedder(embedder, VECTORS)
