"""Entropy of targets under a small causal model, in batches, kept between runs."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.paths import CACHE_DIR
from engine.probing.causal import CausalModel
from engine.probing.entropy.relations import Context
from engine.probing.queries import Query
from engine.probing.words import PARTS

CONTEXT_TOKENS = 256
"""Tokens of the prefix that the model sees; more cost time and hardly change the loss of one word."""
BATCH = 16
SCORES = CACHE_DIR / "entropy.sqlite"

Pair = tuple[str, str]
"""Prefix and target."""
Progress = Callable[[int, int], None]
"""Called with the number of queries scored and their total."""


@dataclass(frozen=True, slots=True)
class _Encoded:
    """Token ids, and for each that belongs to the target its place and whether the prefix gives it away."""

    ids: list[int]
    places: list[tuple[int, bool]]


class EntropyScorer:
    """Scores targets; each (model, revision, prefix, target) once.

    Args:
        model: The reference model; the paper's is Qwen2.5-Coder-0.5B.
        cache: SQLite file of scores.
    """

    def __init__(self, model: CausalModel, cache: Path = SCORES) -> None:
        self._model = model
        cache.parent.mkdir(parents=True, exist_ok=True)
        self._scores = sqlite3.connect(cache, timeout=30)
        self._scores.execute("CREATE TABLE IF NOT EXISTS score (key BLOB PRIMARY KEY, nats REAL NOT NULL)")

    def score(self, pairs: Sequence[Pair], progress: Progress = lambda done, total: None) -> list[float]:
        """Return the entropy of each target in nats: the largest loss of its remaining sub-tokens.

        A sub-token that lies in a part of the word that the prefix has, or has a relative of, is only
        appended to the context. Where none remains, the prefix gives the target away: the entropy is 0.
        """
        found = {pair: self._read(pair) for pair in pairs}
        missing = [pair for pair, score in found.items() if score is None]
        # Alike in length, a batch has little padding.
        missing.sort(key=lambda pair: len(pair[0]))
        done = len(found) - len(missing)
        progress(done, len(found))
        for start in range(0, len(missing), BATCH):
            batch = missing[start : start + BATCH]
            scores = list(self._compute(batch))
            self._write(batch, scores)
            found.update(zip(batch, scores, strict=True))
            done += len(batch)
            progress(done, len(found))
        return [float(found[pair] or 0.0) for pair in pairs]

    def _compute(self, pairs: Sequence[Pair]) -> Iterator[float]:
        import torch

        encoded = [self._encode(*pair) for pair in pairs]
        longest = max(len(entry.ids) for entry in encoded)
        padding = self._model.tokenizer.pad_token_id
        ids = torch.tensor([entry.ids + [padding] * (longest - len(entry.ids)) for entry in encoded])
        mask = torch.tensor([[1] * len(entry.ids) + [0] * (longest - len(entry.ids)) for entry in encoded])
        device = self._model.model.device
        # Only the last positions of a row are needed, but rows end at different places.
        widest = max(longest - entry.places[0][0] for entry in encoded) + 1
        with torch.inference_mode():
            logits: Any = self._model.model(
                input_ids=ids.to(device),
                attention_mask=mask.to(device),
                logits_to_keep=min(widest, longest),
            ).logits
        offset = longest - logits.shape[1]
        for row, entry in enumerate(encoded):
            remaining = [place for place, is_given in entry.places if not is_given and place > 0]
            losses = [
                float(-torch.log_softmax(logits[row, place - 1 - offset].float(), -1)[entry.ids[place]])
                for place in remaining
            ]
            yield max(losses, default=0.0)

    def _encode(self, prefix: str, target: str) -> _Encoded:
        """Encode both as one text: where the target's first token begins is the tokenizer's affair."""
        encoding = self._model.tokenizer(
            prefix + target, add_special_tokens=False, return_offsets_mapping=True
        )
        ids, spans = encoding["input_ids"], encoding["offset_mapping"]
        first = next(place for place, (_, end) in enumerate(spans) if end > len(prefix))
        start = max(0, first - CONTEXT_TOKENS)
        context = Context(prefix)
        given = [
            (match.start() + len(prefix), match.end() + len(prefix), context.gives_away(match.group()))
            for match in PARTS.finditer(target)
        ]
        places = [
            (place - start, _is_given(spans[place], given, len(prefix))) for place in range(first, len(ids))
        ]
        return _Encoded(list(ids[start:]), places)

    def _key(self, pair: Pair) -> bytes:
        parts = (self._model.name, self._model.revision, str(CONTEXT_TOKENS), *pair)
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()

    def _read(self, pair: Pair) -> float | None:
        row = self._scores.execute("SELECT nats FROM score WHERE key = ?", (self._key(pair),)).fetchone()
        return None if row is None else float(row[0])

    def _write(self, pairs: Sequence[Pair], scores: Sequence[float]) -> None:
        rows = [(self._key(pair), score) for pair, score in zip(pairs, scores, strict=True)]
        with self._scores:
            self._scores.executemany("INSERT OR REPLACE INTO score VALUES (?, ?)", rows)


def with_entropy(
    queries: Iterable[Query], scorer: EntropyScorer, progress: Progress = lambda done, total: None
) -> list[Query]:
    """Return the queries with their entropy set, in the same order."""
    rows = list(queries)
    scores = scorer.score([(query.prefix, query.target) for query in rows], progress)
    return [replace(query, entropy=score) for query, score in zip(rows, scores, strict=True)]


def _is_given(span: tuple[int, int], parts: Sequence[tuple[int, int, bool]], start: int) -> bool:
    """Whether each part of the target that a token touches is given away; one that touches none is."""
    begin, end = max(span[0], start), span[1]
    return all(is_given for first, last, is_given in parts if begin < last and end > first)
