"""Any OpenAI-compatible address: plain completion, or a conversation that asks for a continuation."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

from engine.probing.targets.prompts import chat_messages, is_refusal
from engine.probing.targets.protocol import Answer, AnswerState, Decoding, Request
from engine.probing.targets.recorded import answer_from_body
from engine.problems import BenchCheckerError

KEY_VARIABLE = "OPENAI_API_KEY"
_GARBLED_ATTEMPTS = 3
"""How often an answer that is no JSON is asked for; the client's own retries cover the other failures."""


class EndpointRefuses(BenchCheckerError):
    """The address refuses every request: the key, the model or the address is wrong."""


class Pace:
    """Spaces the starts of requests over all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next = 0.0

    def wait(self, per_minute: float | None) -> None:
        """Return when the next request may start."""
        if per_minute is None:
            return
        with self._lock:
            now = time.monotonic()
            start = max(now, self._next)
            self._next = start + 60.0 / per_minute
        time.sleep(max(0.0, start - now))


@dataclass(frozen=True)
class Endpoint:
    """A model behind an address.

    The key is read from the environment when it is needed. It is in no field, no message and no file.

    Attributes:
        model: The provider's name of the model.
        base_url: Address up to `/v1`; None for the client's default.
        chats: Ask in a conversation instead of plain completion.
        key_variable: Environment variable that holds the key.
        concurrency: Requests in flight at once.
        per_minute: Most requests started in a minute; None for no limit.
        timeout_s: Seconds to wait for one answer.
        retries: How often a request is tried again after a timeout, a lost connection, 429 or 5xx, with
            exponential back-off or as long as `Retry-After` says.
        paid: Whether a request costs money.
    """

    model: str
    base_url: str | None = None
    chats: bool = True
    key_variable: str = KEY_VARIABLE
    concurrency: int = 8
    per_minute: float | None = None
    timeout_s: float = 60.0
    retries: int = 6
    paid: bool = True
    _pace: Pace = field(default_factory=Pace, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The model."""
        return self.model

    def answers(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[Answer]:
        """See `Target.answers`.

        Raises:
            BenchCheckerError: If there is no key, or the address refuses this key or model.
        """
        client = self._client()
        pool = ThreadPoolExecutor(self.concurrency)
        waiting: set[Future[Answer]] = set()
        left = iter(requests)
        try:
            while True:
                # Only what is in flight is submitted: the caller marks a request as sent when it is taken.
                for request in left:
                    waiting.add(pool.submit(self._answer, client, request, decoding))
                    if len(waiting) >= self.concurrency:
                        break
                if not waiting:
                    return
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def _client(self) -> Any:
        try:
            import openai
        except ImportError as error:
            raise BenchCheckerError(
                "asking an address needs the extra `probe`: `pip install -e '.[probe]'`"
            ) from error
        key = os.environ.get(self.key_variable)
        if not key:
            raise BenchCheckerError(
                f"no key: put it into the environment variable {self.key_variable} "
                "(any text for a server that needs none)"
            )
        return openai.OpenAI(
            api_key=key, base_url=self.base_url, timeout=self.timeout_s, max_retries=self.retries
        )

    def _answer(self, client: Any, request: Request, decoding: Decoding) -> Answer:
        import openai

        note = ""
        for _ in range(_GARBLED_ATTEMPTS):
            self._pace.wait(self.per_minute)
            try:
                body = json.loads(self._send(client, request, decoding))
                return self._checked(answer_from_body(request.key, body))
            except (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError) as error:
                raise EndpointRefuses(
                    f"{self.model} at {self.base_url or 'the default address'} refuses: HTTP "
                    f"{error.status_code} (check the model, the address and {self.key_variable})"
                ) from None
            except openai.APIStatusError as error:
                return Answer(request.key, AnswerState.FAILED, note=f"HTTP {error.status_code}")
            except openai.APIError as error:
                return Answer(request.key, AnswerState.FAILED, note=type(error).__name__)
            except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
                note = f"the answer is no completion: {type(error).__name__}"
        return Answer(request.key, AnswerState.FAILED, note=note)

    def _send(self, client: Any, request: Request, decoding: Decoding) -> str:
        asked = {
            "model": self.model,
            "temperature": decoding.temperature,
            "n": decoding.candidates,
            "max_tokens": decoding.max_tokens,
        }
        if self.chats:
            messages = chat_messages(request)
            raw = client.chat.completions.with_raw_response.create(messages=messages, **asked)
        else:
            raw = client.completions.with_raw_response.create(prompt=request.prompt, **asked)
        return str(raw.text() if callable(raw.text) else raw.text)

    def _checked(self, answer: Answer) -> Answer:
        """Call an answer refused when the model declines in every candidate."""
        declined = self.chats and answer.texts and all(map(is_refusal, answer.texts))
        if not declined:
            return answer
        return Answer(
            answer.key,
            AnswerState.REFUSED,
            answer.texts,
            answer.revision,
            answer.prompt_tokens,
            answer.completion_tokens,
        )
