"""What a probe would cost, before anything is spent.

Prices come from a file of the reader's own, since they change: TOML with one table a model.

    [[price]]
    model = "gpt-4o-2024-08-06"
    input_per_million = 2.5
    output_per_million = 10.0
    currency = "USD"
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from pathlib import Path

from engine.probing.asking import BudgetSpent
from engine.probing.targets.protocol import Answer, AnswerState, Decoding
from engine.problems import BenchCheckerError

_CHARACTERS_PER_TOKEN = 3
"""Code has between three and four characters a token: an estimate should rather be too high."""
_FRAME_TOKENS = 80
"""Tokens of the instruction around a prompt in a conversation."""
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a model in its currency, for a million tokens read and written."""

    model: str
    input_per_million: float
    output_per_million: float
    currency: str = "USD"

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return the price of tokens read and written."""
        spent = prompt_tokens * self.input_per_million + completion_tokens * self.output_per_million
        return spent / _MILLION


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a probe would ask and cost.

    Attributes:
        requests: Requests that would be sent.
        prompt_tokens: Tokens they would hold, estimated.
        completion_tokens: The most tokens that would be written.
        cost: The most it would cost; None without a price.
        currency: Of `cost`.
    """

    requests: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    currency: str


def read_price(path: Path, model: str) -> Price:
    """Return the price of a model.

    Raises:
        BenchCheckerError: If the file cannot be read, or has no valid price of this model.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("price", [])
        found = next((table for table in tables if table.get("model") == model), None)
        if found is None:
            raise BenchCheckerError(f"{path}: no price of {model}: add a [[price]] with model = {model!r}")
        price = Price(
            model,
            float(found["input_per_million"]),
            float(found["output_per_million"]),
            str(found.get("currency", "USD")),
        )
    except (OSError, tomllib.TOMLDecodeError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise BenchCheckerError(f"{path}: no price file: {type(error).__name__}: {error}") from error
    if not all(0 <= amount < inf for amount in (price.input_per_million, price.output_per_million)):
        raise BenchCheckerError(f"{path}: a price of {model} is no amount of 0 or more: correct it")
    return price


def estimate(prompts: Iterable[str], decoding: Decoding, price: Price | None) -> Estimate:
    """Estimate what asking `prompts` would cost at most."""
    lengths = [_FRAME_TOKENS + -(-len(prompt) // _CHARACTERS_PER_TOKEN) for prompt in prompts]
    read, written = sum(lengths), len(lengths) * decoding.candidates * decoding.max_tokens
    cost = None if price is None else price.of(read, written)
    return Estimate(len(lengths), read, written, cost, "" if price is None else price.currency)


class Budget:
    """Adds up what answers cost, and stops at a limit.

    Args:
        price: Price of the model.
        limit: The most to spend, in the currency of the price.
        assumed: What an answer is taken to cost where the provider does not say how many tokens it was.
    """

    def __init__(self, price: Price, limit: float, assumed: float = 0.0) -> None:
        self.price = price
        self.limit = limit
        self.assumed = assumed
        self.spent = 0.0

    def spend(self, answer: Answer) -> None:
        """Count an answer.

        Raises:
            BudgetSpent: If the limit is reached.
        """
        if answer.prompt_tokens or answer.completion_tokens:
            self.spent += self.price.of(answer.prompt_tokens, answer.completion_tokens)
        elif answer.state is not AnswerState.FAILED:
            self.spent += self.assumed
        if self.spent >= self.limit:
            raise BudgetSpent(
                f"spent {self.spent:.4f} of {self.limit:g} {self.price.currency}: what was answered is kept; "
                "run again with a larger --budget to go on"
            )
