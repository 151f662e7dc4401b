"""Reads blobs through one long-lived git process, so that a thousand reads cost no thousand processes."""

from __future__ import annotations

import contextlib
import os
from typing import IO, TYPE_CHECKING, cast

from engine.history.errors import BlobTooLarge, HistoryError, MissingBlob
from engine.history.git_command import GitCommand, is_full_id

if TYPE_CHECKING:
    from git.cmd import Git

DEFAULT_SIZE_LIMIT = 4 * 1024 * 1024
"""Largest blob read, in bytes. Source files judged by a detector are far smaller."""

_CHUNK = 1 << 16


class ObjectReader:
    """Looks objects up and reads blobs. Not for use by several threads at once."""

    def __init__(self, git: GitCommand, size_limit: int = DEFAULT_SIZE_LIMIT) -> None:
        self._contents = _Conversation(git, "--batch")
        self._headers = _Conversation(git, "--batch-check")
        self.size_limit = size_limit

    def read(self, blob: str) -> bytes:
        """Return the content of a blob.

        Raises:
            MissingBlob: If the object is absent, unreadable or no blob.
            BlobTooLarge: If it is larger than the limit.
            ValueError: If `blob` is not a full object id.
        """
        _require_id(blob)
        header = self._contents.ask(blob)
        if header is None or len(header) != 3:
            raise MissingBlob(blob)
        _, kind, size_text = header
        size = int(size_text)
        content = self._contents.receive(size, keep=kind == "blob" and size <= self.size_limit)
        if content is not None:
            return content
        if kind == "blob" and size > self.size_limit:
            raise BlobTooLarge(blob, size, self.size_limit)
        raise MissingBlob(blob, f"it is a {kind}" if kind != "blob" else "it cannot be read")

    def has(self, blob: str) -> bool:
        """Whether the object is in the object store."""
        _require_id(blob)
        header = self._headers.ask(blob)
        return header is not None and len(header) == 3

    def blob_in_commit(self, commit: str, path: str) -> str | None:
        """Return the blob at `path` in the tree of any commit; None if commit or path is absent or no file.

        Raises:
            HistoryError: If no tree can hold such a path.
            ValueError: If `commit` is not a full object id.
        """
        _require_id(commit)
        # Git reads a leading ./ or ../ as relative to the working directory and gives up altogether.
        parts = path.split("/")
        if "\n" in path or "\0" in path or any(part in ("", ".", "..") for part in parts):
            raise HistoryError(f"not a path within a repository: {path!r}")
        header = self._headers.ask(f"{commit}:{path}")
        if header is None or len(header) != 3 or header[1] != "blob":
            return None
        return header[0]

    def close(self) -> None:
        """End the git processes; the next call starts them anew."""
        self._contents.close()
        self._headers.close()


def _require_id(text: str) -> None:
    if not is_full_id(text):
        raise ValueError(f"not a full object id: {text!r}")


class _Conversation:
    """One `git cat-file` process that answers a line with a header and perhaps a body."""

    def __init__(self, git: GitCommand, mode: str) -> None:
        self._git = git
        self._mode = mode
        self._process: Git.AutoInterrupt | None = None

    def ask(self, name: str) -> list[str] | None:
        """Send one name; return the words of the header, or None where git gave up on it and ended."""
        if self._process is None:
            self._process = self._git.start("cat-file", self._mode)
            os.set_blocking(self._process.stderr.fileno(), False)
        # Git reports each damaged object on its error stream; unread, the pipe would fill and block it.
        with contextlib.suppress(BlockingIOError):
            os.read(self._process.stderr.fileno(), _CHUNK)
        try:
            self._process.stdin.write(name.encode("utf-8", "surrogateescape") + b"\n")
            self._process.stdin.flush()
            line = cast("bytes", self._process.stdout.readline())
        except BrokenPipeError:
            line = b""
        if not line.endswith(b"\n"):
            self.close()
            return None
        answer = line.decode("utf-8", "surrogateescape").removesuffix("\n")
        # "<name> missing" repeats the name, which may hold spaces; a header is id, kind and size.
        return ["missing"] if answer.endswith((" missing", " ambiguous")) else answer.split(" ")

    def receive(self, size: int, *, keep: bool) -> bytes | None:
        """Read the body after a header; None when it is not wanted, or git ended within it."""
        if self._process is None:
            raise RuntimeError("ask comes before receive")
        stream = cast("IO[bytes]", self._process.stdout)
        body = bytearray()
        left = size + 1  # git ends each body with a line feed
        while left > 0:
            chunk = stream.read(min(left, max(_CHUNK, size + 1) if keep else _CHUNK))
            if not chunk:
                self.close()
                return None
            left -= len(chunk)
            if keep:
                body += chunk
        return bytes(body[:size]) if keep else None

    def close(self) -> None:
        """End the process: GitPython ends it when nothing refers to it any more."""
        self._process = None
