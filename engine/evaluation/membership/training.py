"""Small causal models with known members. torch and transformers are needed, a graphics card is not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engine.evaluation.membership.plan import Training
from engine.probing.causal import SMOLLM2, CausalModel, load_causal

_VOCABULARY = 8192
_WARM_UP = 0.05
_END = "<|end|>"

Progress = Callable[[int, int], None]
"""Called with the number of steps taken and of all."""


def train_tokenizer(texts: Sequence[str], folder: Path) -> Path:
    """Train a byte-level BPE tokenizer and return its folder.

    Args:
        texts: Text of neither members nor others: a vocabulary made of members would give them away.
        folder: Where it goes; one that is there is kept.
    """
    if folder.is_dir():
        return folder
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=_VOCABULARY, special_tokens=[_END], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    fast: Any = PreTrainedTokenizerFast
    fast = fast(tokenizer_object=tokenizer, eos_token=_END, pad_token=_END)
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    fast.save_pretrained(str(part))
    part.rename(folder)
    return folder


def train(
    texts: Sequence[str],
    training: Training,
    seed: int,
    tokenizer: Path,
    folder: Path,
    progress: Progress = lambda step, steps: None,
) -> dict[int, Path]:
    """Train one model and keep it after each dose; what is there already is not made again.

    Args:
        texts: Source files of the members.
        training: How.
        seed: Seed of weights and of the order of windows.
        tokenizer: Folder of the tokenizer, for a model from scratch.
        folder: Folder of the kept models, `dose-N`.
        progress: Told after every step.

    Returns:
        Folder of the model by dose.
    """
    kept = {dose: folder / f"dose-{dose}" for dose in training.doses}
    if all(path.is_dir() for path in kept.values()):
        return kept
    import torch

    torch.manual_seed(seed)
    model = _new_model(tokenizer) if training.kind == "scratch" else load_causal(SMOLLM2)
    stream = _stream(texts, model)
    windows = len(stream) // training.window
    steps_an_epoch = max(1, windows // training.batch)
    steps = steps_an_epoch * max(training.doses)
    network = model.model.train().to(torch.float32)
    optimiser = torch.optim.AdamW(network.parameters(), lr=training.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, training.rate, total_steps=steps + 1, pct_start=_WARM_UP
    )
    generator = torch.Generator().manual_seed(seed)
    for epoch in range(1, max(training.doses) + 1):
        # Windows begin elsewhere in every epoch, so that a passage is not always cut at the same place.
        shift = int(torch.randint(0, training.window, (1,), generator=generator))
        starts = torch.randperm(windows - 1, generator=generator) * training.window + shift
        for index in range(steps_an_epoch):
            chosen = starts[index * training.batch : (index + 1) * training.batch]
            batch = torch.stack([stream[start : start + training.window] for start in chosen])
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = network(input_ids=batch, labels=batch).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            optimiser.zero_grad(set_to_none=True)
            progress((epoch - 1) * steps_an_epoch + index + 1, steps)
        if epoch in kept:
            _keep(model, kept[epoch], {"loss": float(loss.detach()), "tokens": len(stream), "seed": seed})
    return kept


def _new_model(tokenizer: Path) -> CausalModel:
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    loaded = AutoTokenizer.from_pretrained(str(tokenizer))
    config = LlamaConfig(
        vocab_size=len(loaded),
        hidden_size=192,
        intermediate_size=512,
        num_hidden_layers=6,
        num_attention_heads=6,
        max_position_embeddings=512,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=loaded.eos_token_id,
        pad_token_id=loaded.pad_token_id,
    )
    return CausalModel("scratch", "new", loaded, LlamaForCausalLM(config))


def _stream(texts: Sequence[str], model: CausalModel) -> Any:
    import torch

    end = model.tokenizer.eos_token_id
    tokens = [token for text in texts for token in (*model.encode(text), end)]
    return torch.tensor(tokens)


def _keep(model: CausalModel, folder: Path, about: dict[str, float]) -> None:
    import torch

    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    state = {name: tensor.to(torch.bfloat16) for name, tensor in model.model.state_dict().items()}
    model.model.save_pretrained(str(part), state_dict=state)
    model.tokenizer.save_pretrained(str(part))
    (part / "training.json").write_text(json.dumps(about), encoding="utf-8")
    part.rename(folder)
