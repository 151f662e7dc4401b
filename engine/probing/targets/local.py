"""A causal language model on this machine, sampled in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

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
        ids, mask = torch.tensor(rows, device=device), torch.tensor(masks, device=device)
        with torch.inference_mode():
            output = self._continuations(ids, mask, decoding)
        each = len(output) // len(prompts)
        for index, (request, tokens) in enumerate(prompts):
            written = output[index * each : (index + 1) * each]
            texts = tuple(self._text(tokens, row) for row in written.tolist())
            yield Answer(
                request.key,
                AnswerState.ANSWERED if any(text.strip() for text in texts) else AnswerState.EMPTY,
                texts,
                self.model.revision,
                len(tokens),
                int(written.numel()),
            )

    def _continuations(self, ids: Any, mask: Any, decoding: Decoding) -> Any:
        """Return sampled tokens, shape (prompts * candidates, tokens), candidates of a prompt together.

        Each prompt is read once and its state copied to its candidates: `generate` would read it for each.
        """
        import torch

        end = self.model.tokenizer.eos_token_id
        each = decoding.candidates if decoding.temperature > 0 else 1
        places = (mask.cumsum(-1) - 1).clamp_min(0)
        read = self.model.model(
            input_ids=ids, attention_mask=mask, position_ids=places, use_cache=True, logits_to_keep=1
        )
        state = read.past_key_values
        state.batch_repeat_interleave(each)
        logits = read.logits[:, -1].repeat_interleave(each, 0)
        mask, place = mask.repeat_interleave(each, 0), places[:, -1:].repeat_interleave(each, 0)
        written, ended = [], torch.zeros(len(logits), dtype=torch.bool, device=ids.device)
        for index in range(decoding.max_tokens):
            chosen = self._drawn(logits, decoding.temperature)
            if end is not None:
                chosen = chosen.masked_fill(ended, end)
                ended |= chosen == end
            written.append(chosen)
            if index + 1 == decoding.max_tokens or bool(ended.all()):
                break
            place = place + 1
            mask = torch.cat([mask, mask.new_ones(len(mask), 1)], dim=1)
            step = self.model.model(
                input_ids=chosen[:, None],
                attention_mask=mask,
                position_ids=place,
                past_key_values=state,
                use_cache=True,
            )
            logits = step.logits[:, -1]
        return torch.stack(written, dim=1)

    @staticmethod
    def _drawn(logits: Any, temperature: float) -> Any:
        import torch

        if temperature == 0:
            return logits.argmax(-1)
        return torch.multinomial(torch.softmax(logits.float() / temperature, -1), 1).squeeze(-1)

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
