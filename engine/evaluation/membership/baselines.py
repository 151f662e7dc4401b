"""Membership scores from logits, the baselines of the paper's Table 3. Higher says member.

Every baseline sees the same windows of the same texts. Loss (Yeom et al. 2018), zlib and reference-calibrated
loss (Carlini et al. 2021), Min-K% (Shi et al. 2024) and Min-K%++ (Zhang et al. 2025).
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.probing.causal import CausalModel
from engine.statistics.arrays import Floats

LOWEST_SHARE = 0.2
"""The K of Min-K%: this share of the least likely tokens counts."""
_WINDOW = 256
_BATCH = 8


@dataclass(frozen=True, slots=True)
class TokenScores:
    """What a model says about each token of a text.

    Attributes:
        log_probability: Natural logarithm, shape (tokens,).
        mean: Mean log-probability over the vocabulary at that place, weighted by probability.
        deviation: Standard deviation of the same.
    """

    log_probability: Floats
    mean: Floats
    deviation: Floats


def token_scores(model: CausalModel, text: str) -> TokenScores:
    """Score the tokens of a text in windows; the first token of a window has no score."""
    import torch

    ids = model.encode(text)
    windows = [ids[start : start + _WINDOW] for start in range(0, len(ids), _WINDOW)]
    windows = [window for window in windows if len(window) > 1]
    parts: list[tuple[Floats, Floats, Floats]] = []
    for first in range(0, len(windows), _BATCH):
        for length in sorted({len(window) for window in windows[first : first + _BATCH]}):
            batch = [window for window in windows[first : first + _BATCH] if len(window) == length]
            rows = torch.tensor(batch)
            with torch.inference_mode():
                logits = model.model(input_ids=rows).logits[:, :-1].float()
            logs = torch.log_softmax(logits, dim=-1)
            chances = logs.exp()
            mean = (chances * logs).sum(-1)
            variance = (chances * logs.square()).sum(-1) - mean.square()
            said = logs.gather(-1, rows[:, 1:, None]).squeeze(-1)
            parts.append(
                (
                    said.flatten().double().numpy(),
                    mean.flatten().double().numpy(),
                    variance.clamp_min(1e-12).sqrt().flatten().double().numpy(),
                )
            )
    if not parts:
        empty = np.zeros(0)
        return TokenScores(empty, empty, empty)
    said_all, means, deviations = (np.concatenate(column) for column in zip(*parts, strict=True))
    return TokenScores(said_all, means, deviations)


def lowest_mean(values: Floats, share: float = LOWEST_SHARE) -> float:
    """Return the mean of the lowest share of values, at least one of them; 0 without any."""
    if not values.size:
        return 0.0
    count = max(1, int(share * values.size))
    return float(np.partition(values, count - 1)[:count].mean())


def loss_a_character(scores: TokenScores, text: str) -> float:
    """Return nats a character: losses a token of two vocabularies cannot be compared."""
    return -float(scores.log_probability.sum()) / max(1, len(text))


def baseline_scores(scores: TokenScores, text: str, reference: float) -> dict[str, float]:
    """Return the score of each baseline for one text.

    Args:
        scores: Of the model under test.
        text: The text, whose compressed size calibrates the loss.
        reference: `loss_a_character` of a model that has not seen the members.
    """
    loss = -float(scores.log_probability.sum())
    tokens = max(1, scores.log_probability.size)
    return {
        "loss": -loss / tokens,
        "zlib": -loss / len(zlib.compress(text.encode("utf-8", "replace"))),
        "min_k": lowest_mean(scores.log_probability),
        "min_k_plus": lowest_mean((scores.log_probability - scores.mean) / scores.deviation),
        "reference": reference - loss_a_character(scores, text),
    }


def repository_text(texts: Mapping[str, str], characters: int) -> str:
    """Return the text that baselines score: the start of a share's files, one after the other."""
    return "\n".join(texts[path] for path in sorted(texts))[:characters]
