"""An OpenAI-compatible server that fails in the ways real ones do."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Script:
    """What the server does: a queue of behaviours, then a plain answer for ever.

    Attributes:
        text: The continuation of a plain answer.
        behaviours: Names of what to do first, one a request.
        asked: How often each prompt was asked.
        keys: Authorization headers that were sent.
        delay_s: Pause before each plain answer.
    """

    def __init__(self, text: str = "target(", *behaviours: str, delay_s: float = 0.0) -> None:
        self.text = text
        self.behaviours = deque(behaviours)
        self.asked: Counter[str] = Counter()
        self.keys: set[str] = set()
        self.bodies: list[dict[str, Any]] = []
        self.delay_s = delay_s
        self.lock = threading.Lock()


@contextmanager
def serving(script: Script) -> Iterator[str]:
    """Serve `script`, and give the address up to /v1."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with script.lock:
                script.asked[prompt_of(body)] += 1
                script.keys.add(self.headers.get("Authorization", ""))
                script.bodies.append(body)
                behaviour = script.behaviours.popleft() if script.behaviours else "plain"
            with suppress(BrokenPipeError, ConnectionResetError):
                behave(self, script, behaviour, body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("localhost", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def prompt_of(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"]) if "messages" in body else str(body["prompt"])


def behave(handler: BaseHTTPRequestHandler, script: Script, behaviour: str, body: dict[str, Any]) -> None:
    if behaviour.isdigit():
        headers = {"Retry-After": "0"} if behaviour == "429" else {}
        send(handler, int(behaviour), b'{"error": {"message": "no"}}', headers)
    elif behaviour == "hang":
        time.sleep(3)
    elif behaviour == "drop":
        handler.close_connection = True
    elif behaviour == "truncated":
        send(handler, 200, completion(script.text, body)[:-25])
    elif behaviour == "not json":
        send(handler, 200, b"<html>gateway</html>")
    elif behaviour == "no choices":
        send(handler, 200, json.dumps({"model": "m-1", "choices": []}).encode())
    else:
        time.sleep(script.delay_s)
        send(handler, 200, completion(script.text, body))


def completion(text: str, body: dict[str, Any]) -> bytes:
    count = body.get("n", 1)
    key = (
        (lambda t: {"message": {"role": "assistant", "content": t}})
        if "messages" in body
        else (lambda t: {"text": t})
    )
    choices = [{"index": i, "finish_reason": "stop", **key(text)} for i in range(count)]
    usage = {"prompt_tokens": 10, "completion_tokens": 3 * count}
    return json.dumps({"model": "m-1", "choices": choices, "usage": usage}).encode()


def send(
    handler: BaseHTTPRequestHandler, status: int, body: bytes, headers: dict[str, str] | None = None
) -> None:
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    for name, value in (headers or {}).items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)
