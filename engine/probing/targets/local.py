"""A causal language model on this machine, sampled in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.probing.causal import CausalModel
from engine.probing.targets.protocol import Answer, AnswerState, Decoding, Request


@dataclass(frozen=True)
class LocalModel:
    """A loaded model as a black box: only the sampled texts leave it.

    Attributes:
        model: The model and its tokenizer.
        batch: Prompts at once; each is sampled as often as there are candidates.
        longest_prompt: Prompt tokens kept, from the end; shorter where the model's context is.
    """

    model: CausalModel
    batch: int = 32
    longest_prompt: int = 512
    paid: bool = False
    chats: bool = False

    @property
    def name(self) -> str:
        """The model."""
        return self.model.name

    def answers(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[Answer]:
        """See `Target.answers`. The same requests, decoding and seed give the same answers."""
        import torch

        room = min(self.longest_prompt, self.model.context - decoding.max_tokens)
        prompts = [(request, self.model.encode(request.prompt)[-room:]) for request in requests]
        # Prompts of a like length share a batch, so that little is padded.
        prompts.sort(key=lambda pair: len(pair[1]))
        generator_state = torch.random.get_rng_state()
        try:
            torch.manual_seed(decoding.seed)
            for first in range(0, len(prompts), self.batch):
                yield from self._sample(prompts[first : first + self.batch], decoding)
        finally:
            torch.random.set_rng_state(generator_state)

    def _sample(self, prompts: list[tuple[Request, list[int]]], decoding: Decoding) -> Iterator[Answer]:
        import torch

        pad = self.model.tokenizer.pad_token_id or 0
        width = max(1, max(len(tokens) for _, tokens in prompts))
        rows = [[pad] * (width - len(tokens)) + tokens for _, tokens in prompts]
        masks = [[0] * (width - len(tokens)) + [1] * len(tokens) for _, tokens in prompts]
        device = self.model.model.device
        sampled = decoding.temperature > 0
        with torch.inference_mode():
            output = self.model.model.generate(
                input_ids=torch.tensor(rows, device=device),
                attention_mask=torch.tensor(masks, device=device),
                do_sample=sampled,
                **({"temperature": decoding.temperature, "top_k": 0, "top_p": 1.0} if sampled else {}),
                num_return_sequences=decoding.candidates if sampled else 1,
                max_new_tokens=decoding.max_tokens,
                pad_token_id=pad,
            )
        each = len(output) // len(prompts)
        for index, (request, tokens) in enumerate(prompts):
            written = output[index * each : (index + 1) * each, width:]
            texts = tuple(self._text(tokens, row) for row in written.tolist())
            yield Answer(
                request.key,
                AnswerState.ANSWERED if any(text.strip() for text in texts) else AnswerState.EMPTY,
                texts,
                self.model.revision,
                len(tokens),
                int(written.numel()),
            )

    def _text(self, prompt: list[int], written: list[int]) -> str:
        """Return what `written` adds to the prompt; some tokenizers drop a blank at the start of a text."""
        tail = prompt[-4:]
        decode = self.model.tokenizer.decode
        before = decode(tail, skip_special_tokens=True)
        both = decode(tail + written, skip_special_tokens=True)
        return (
            str(both[len(before) :])
            if both.startswith(before)
            else str(decode(written, skip_special_tokens=True))
        )
