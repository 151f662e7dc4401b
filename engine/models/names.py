"""How names of models are compared: in submissions the same model is spelled in many ways."""

from __future__ import annotations

import re


def name_key(name: str, *, whole: bool = False) -> str:
    """Return `name` in lower case with its words joined by single hyphens.

    `openai/GPT-5_2025.08.07` becomes `gpt-5-2025-08-07`: what stands before the last slash says who serves a
    model (or is the address of its page), not which it is. With `whole`, slashes separate words like any
    other character, for a text that is no name.
    """
    text = name if whole else name.rstrip("/").rpartition("/")[2]
    return "-".join(re.findall(r"[^\W_]+", text.casefold()))
