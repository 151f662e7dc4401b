"""What a corpus consists of: shards that can be read alone, each with a name, a signature and a hash.

A corpus is given as paths or names:

- a file: JSON Lines (`.jsonl`, `.ndjson`), Parquet or plain text, the line formats also packed
  (`.gz`, `.zst`, `.bz2`, `.lz4`);
- a directory: every file in it as above;
- `tree:DIRECTORY`: a source tree, every file in it one document;
- `hf:NAME`, `hf:NAME/CONFIG@SPLIT`: a Hugging Face data set, or a local directory laid out as one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Literal

from engine.overlap.records import Unit, kind_of
from engine.overlap.streams import Limits, ShardError, Tally, compression
from engine.problems import BenchCheckerError
from engine.reading import spelled

TREE_PREFIX = "tree:"
HUB_PREFIX = "hf:"
_VERSION_CONTROL = {".git", ".hg", ".svn"}

ShardKind = Literal["json", "parquet", "text", "tree", "hub"]


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """How the documents of a corpus are read.

    Attributes:
        fields: Fields of a record that hold its text; several are joined by a blank line.
        id_field: Field that names a record; without one its line or row number does.
        unit: What one document of a plain text file is.
        limits: Bounds on what is read.
        split_bytes: An unpacked file of lines longer than this is cut into shards of this size.
    """

    fields: tuple[str, ...] = ("text",)
    id_field: str | None = None
    unit: Unit = "file"
    limits: Limits = field(default_factory=Limits)
    split_bytes: int = 256 << 20


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of a corpus that is read, marked and appended alone.

    Attributes:
        name: As the user gave it, with a byte range where a file was cut.
        kind: Format.
        path: File or directory; for a data set of the hub its name.
        start: First byte, for a cut file.
        end: Byte after the last, None for the whole file.
    """

    name: str
    kind: ShardKind
    path: str
    start: int = 0
    end: int | None = None

    @property
    def key(self) -> str:
        """A short name that is safe as a file name and unique to this shard."""
        return hashlib.sha256(self.name.encode("utf-8", "surrogateescape")).hexdigest()[:20]

    def signature(self) -> str:
        """Return what tells, without reading it, whether the shard changed: sizes and times.

        Raises:
            ShardError: If it is not there any more.
        """
        if self.kind == "hub":
            return "hub"
        try:
            if self.kind != "tree":
                status = Path(self.path).stat()
                return f"{status.st_size}:{status.st_mtime_ns}"
            files = [path.stat() for path in tree_files(Path(self.path), Tally(self.name))]
        except OSError as error:
            raise ShardError(f"{self.name}: cannot be read: {error.strerror}") from error
        newest = max((status.st_mtime_ns for status in files), default=0)
        return f"{len(files)}:{sum(status.st_size for status in files)}:{newest}"


def discover(sources: Sequence[str], options: CorpusOptions) -> list[Shard]:
    """Return the shards of a corpus, in the order given, each once.

    A file that is given by several names counts once, under the first.

    Raises:
        BenchCheckerError: If a source does not exist or a directory is empty.
    """
    found: dict[tuple[str, str, int], Shard] = {}
    for source in sources:
        for shard in _shards_of(source, options):
            place = shard.path if shard.kind == "hub" else str(Path(shard.path).absolute())
            found.setdefault((shard.kind, place, shard.start), shard)
    return list(found.values())


def _shards_of(source: str, options: CorpusOptions) -> Iterator[Shard]:
    if source.startswith(HUB_PREFIX):
        yield Shard(source, "hub", source.removeprefix(HUB_PREFIX))
        return
    path = Path(source.removeprefix(TREE_PREFIX))
    if not path.exists():
        raise BenchCheckerError(f"{source}: no such file or directory")
    if source.startswith(TREE_PREFIX):
        if not path.is_dir():
            raise BenchCheckerError(f"{source}: is no directory; give a file without {TREE_PREFIX!r}")
        yield Shard(spelled(path.as_posix()), "tree", str(path))
    elif path.is_dir():
        files = sorted(child for child in path.rglob("*") if child.is_file())
        if not files:
            raise BenchCheckerError(f"{source}: holds no file")
        for child in files:
            yield from _file_shards(child, options)
    else:
        yield from _file_shards(path, options)


def _file_shards(path: Path, options: CorpusOptions) -> Iterator[Shard]:
    kind, name, size = kind_of(path), spelled(path.as_posix()), path.stat().st_size
    of_lines = kind == "json" or (kind == "text" and options.unit == "line")
    if not of_lines or compression(path) is not None or size <= options.split_bytes:
        yield Shard(name, kind, str(path))
        return
    cuts = [0, *(_line_start(path, at) for at in range(options.split_bytes, size, options.split_bytes)), size]
    for start, end in pairwise(cuts):
        if start < end:
            yield Shard(f"{name}[{start}-{end}]", kind, str(path), start, end)


def _line_start(path: Path, at: int) -> int:
    with path.open("rb") as stream:
        stream.seek(at)
        while part := stream.read(1 << 20):
            found = part.find(b"\n")
            if found >= 0:
                return at + found + 1
            at += len(part)
    return at


def tree_files(root: Path, tally: Tally) -> Iterator[Path]:
    """Yield the regular files of a source tree in order; links are counted and not followed."""
    for directory, names, files in os.walk(root):
        names[:] = sorted(name for name in names if name not in _VERSION_CONTROL)
        for name in sorted(files):
            path = Path(directory) / name
            if path.is_symlink():
                tally.skip("symbolic link", None, "scan what it points to", path.relative_to(root).as_posix())
            elif path.is_file():
                yield path
