"""Bytes of one file of a corpus: bounded, decompressed, hashed as they are read.

A file is read up to the size it had when it was opened. One that changed meanwhile, that is damaged or that
unpacks to far more than it holds raises `ShardError`: nothing of it is counted.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from engine.problems import BenchCheckerError, Problem, Severity

CHUNK_BYTES = 1 << 20
_LISTED_PER_REASON = 5
_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2", ".lz4": "lz4"}


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what is read from a corpus.

    Attributes:
        document_bytes: Longest document (or line); a longer one is counted and left out.
        ratio: Largest ratio of unpacked to packed bytes, once `ratio_floor` bytes are unpacked.
        ratio_floor: Unpacked bytes below which any ratio is accepted.
    """

    document_bytes: int = 16 << 20
    ratio: int = 200
    ratio_floor: int = 64 << 20

    def check_ratio(self, path: Path, unpacked: int, packed: int) -> None:
        """Refuse a file that unpacks to far more than it holds.

        Raises:
            ShardError: If `unpacked` bytes are more than `packed` ones may give.
        """
        if unpacked > max(self.ratio_floor, self.ratio * packed):
            raise ShardError(
                f"{path}: unpacks to more than {self.ratio} times its size; "
                "if that is meant, raise --max-ratio"
            )


class ShardError(BenchCheckerError):
    """A shard that cannot be read whole; its rows are discarded and it stays to be scanned."""


@dataclass(slots=True)
class Tally:
    """What was read of a shard and what was left out, and why.

    Attributes:
        source: Name of the shard, for messages.
        documents: Documents read.
        skipped: Number of documents left out, by reason.
        repaired: Documents with bytes that are no UTF-8, read with replacement characters.
        problems: The first few of each kind, with their place.
    """

    source: str
    documents: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    repaired: int = 0
    problems: list[Problem] = field(default_factory=list)

    def skip(self, reason: str, line: int | None, remedy: str, subject: str = "") -> None:
        """Count a document left out for `reason`; the first few are listed."""
        self.skipped[reason] += 1
        if self.skipped[reason] <= _LISTED_PER_REASON:
            self.problems.append(Problem(self.source, line, subject, reason, remedy))

    def decode(self, data: bytes, line: int | None, subject: str = "") -> str:
        """Decode UTF-8; bytes that are none become replacement characters and are counted."""
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            self.repaired += 1
            if self.repaired <= _LISTED_PER_REASON:
                message, remedy = "bytes that are no UTF-8", "read with replacement characters"
                self.problems.append(Problem(self.source, line, subject, message, remedy, Severity.WARNING))
            return data.decode("utf-8", errors="replace")


class HashedFile:
    """A file opened for one pass: readable, hashed, and checked for change at the end.

    Attributes:
        start: Offset of the first byte that is read.
        raw_bytes: Bytes read so far, before decompression.
    """

    def __init__(self, path: Path, start: int = 0, end: int | None = None) -> None:
        self._path = path
        self.start = start
        self._stream: BinaryIO = path.open("rb")
        self._before = os.fstat(self._stream.fileno())
        self._stream.seek(start)
        self._left = (self._before.st_size if end is None else end) - start
        self._digest = hashlib.sha256()
        self.raw_bytes = 0
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        """Read at most `size` bytes, never past the size the file had when opened."""
        wanted = self._left if size < 0 else min(size, self._left)
        data = self._stream.read(wanted)
        self._left -= len(data)
        self.raw_bytes += len(data)
        self._digest.update(data)
        return data

    def finish(self) -> str:
        """Return the SHA-256 of what was read.

        Raises:
            ShardError: If the file changed while it was read, or not all of it was.
        """
        while self._left and self.read(CHUNK_BYTES):
            pass
        after = self._path.stat()
        same = (after.st_size, after.st_mtime_ns) == (self._before.st_size, self._before.st_mtime_ns)
        if self._left or not same:
            raise ShardError(f"{self._path}: changed while it was read; scan again when it is complete")
        return self._digest.hexdigest()

    def close(self) -> None:
        """Close the file."""
        self._stream.close()
        self.closed = True


def storable(text: str) -> str:
    """Return `text` as UTF-8 can spell it: JSON can hold half a surrogate pair, and so can a file's name."""
    return text.encode("utf-8", "replace").decode("utf-8")


def compression(path: Path) -> str | None:
    """Return the codec that a file's last suffix names, or None."""
    return _COMPRESSIONS.get(path.suffix.lower())


def chunks(file: HashedFile, path: Path, limits: Limits) -> Iterator[bytes]:
    """Yield the unpacked bytes of `file` in chunks of at most `CHUNK_BYTES`.

    Raises:
        ShardError: If the file is damaged, truncated, or unpacks beyond `limits`.
    """
    codec = compression(path)
    if codec is None:
        while data := file.read(CHUNK_BYTES):
            yield data
        return
    import pyarrow as pa

    unpacked = 0
    try:
        with pa.CompressedInputStream(pa.PythonFile(file, mode="r"), codec) as stream:
            while data := stream.read(CHUNK_BYTES):
                unpacked += len(data)
                limits.check_ratio(path, unpacked, file.raw_bytes)
                yield data
    except OSError as error:
        raise ShardError(f"{path}: damaged {codec} file: {error}; fetch or write it again") from error


def lines(parts: Iterator[bytes], longest: int) -> Iterator[tuple[int, bytes | None, int]]:
    r"""Split a stream of bytes at `\n`.

    Yields:
        1-based line number, the line without its end, and the offset of its first byte. A line longer than
        `longest` bytes comes as None, without ever being held.
    """
    number, offset, held, too_long = 1, 0, b"", False
    length = 0
    for part in parts:
        *whole, rest = part.split(b"\n")
        for piece in whole:
            length += len(piece)
            fits = not too_long and length <= longest
            yield number, held + piece if fits else None, offset
            number, offset, held, too_long, length = number + 1, offset + length + 1, b"", False, 0
        length += len(rest)
        too_long = too_long or length > longest
        held = b"" if too_long else held + rest
    if length:
        yield number, None if too_long else held, offset
