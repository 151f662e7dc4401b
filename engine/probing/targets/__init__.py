"""Models that can be asked: one protocol, whether they sit behind an address, on this disk or in a file.

    target.answers(requests, decoding) -> yields an Answer for every request, in any order

- `replay.Replay`: answers given beforehand; `recorded.read_answers` reads them from JSON lines.
- `endpoint.Endpoint`: any OpenAI-compatible address, completions or chat.
- `local.LocalModel`: a transformers model on this machine.
"""

from engine.probing.targets.protocol import Answer, AnswerState, Decoding, Request, Target

__all__ = ["Answer", "AnswerState", "Decoding", "Request", "Target"]
