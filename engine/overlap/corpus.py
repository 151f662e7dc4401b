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
from typing import Any, Literal

from engine.overlap.records import (
    Unit,
    field_names,
    field_text,
    json_records,
    kind_of,
    parquet_records,
    text_records,
)
from engine.overlap.streams import HashedFile, Limits, ShardError, Tally, compression
from engine.problems import BenchCheckerError

TREE_PREFIX = "tree:"
HUB_PREFIX = "hf:"
_VERSION_CONTROL = {".git", ".hg", ".svn"}
_BINARY_PROBE = 8192

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


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a shard: its key inside the shard, and its text."""

    key: str
    text: str


def discover(sources: Sequence[str], options: CorpusOptions) -> list[Shard]:
    """Return the shards of a corpus, in the order given, each once.

    Raises:
        BenchCheckerError: If a source does not exist or a directory is empty.
    """
    found: dict[str, Shard] = {}
    for source in sources:
        for shard in _shards_of(source, options):
            found.setdefault(shard.name, shard)
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
        yield Shard(path.as_posix(), "tree", str(path))
    elif path.is_dir():
        files = sorted(child for child in path.rglob("*") if child.is_file())
        if not files:
            raise BenchCheckerError(f"{source}: holds no file")
        for child in files:
            yield from _file_shards(child, options)
    else:
        yield from _file_shards(path, options)


def _file_shards(path: Path, options: CorpusOptions) -> Iterator[Shard]:
    kind, name, size = kind_of(path), path.as_posix(), path.stat().st_size
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


class ShardReader:
    """One pass over a shard.

    Iterate to get its documents; when that ends without an error the totals are complete.

    Attributes:
        tally: What was read and left out.
        raw_bytes: Bytes read from disk, before unpacking (for a data set of the hub: bytes of text).
        digest: SHA-256 of what was read, once the iteration is over.
    """

    def __init__(self, shard: Shard, options: CorpusOptions) -> None:
        self._shard, self._options = shard, options
        self.tally = Tally(shard.name)
        self.raw_bytes = 0
        self.digest = ""

    def __iter__(self) -> Iterator[Document]:
        """Yield every document.

        Raises:
            ShardError: If the shard cannot be read whole.
        """
        match self._shard.kind:
            case "tree":
                documents = self._tree()
            case "hub":
                documents = self._hub()
            case _:
                documents = self._file()
        for document in documents:
            self.tally.documents += 1
            yield document

    def _file(self) -> Iterator[Document]:
        shard, options, path = self._shard, self._options, Path(self._shard.path)
        try:
            file = HashedFile(path, shard.start, shard.end)
        except OSError as error:
            raise ShardError(f"{shard.name}: cannot be read: {error.strerror}") from error
        try:
            if shard.kind == "text":
                for key, text in text_records(
                    file, path, options.unit, options.limits, self.tally, offsets=shard.end is not None
                ):
                    yield Document(key, text)
            elif shard.kind == "json":
                yield from self._records(
                    json_records(file, path, options.limits, self.tally, offsets=shard.end is not None)
                )
            else:
                columns = [*options.fields, *([options.id_field] if options.id_field else [])]
                yield from self._records(parquet_records(path, columns, self.tally))
            self.digest = file.finish()
            self.raw_bytes = file.raw_bytes
        finally:
            file.close()

    def _records(self, records: Iterator[tuple[str, int, dict[str, Any]]]) -> Iterator[Document]:
        used, names = False, ""
        for key, line, record in records:
            texts = [text for name in self._options.fields if (text := field_text(record.get(name)))]
            if not texts:
                names = names or field_names(record)
                self.tally.skip("no text in the chosen field", line, f"fields here: {names}; see --field")
                continue
            text = "\n\n".join(texts)
            if len(text) > self._options.limits.document_bytes:
                self.tally.skip("document too long", line, "split it, or raise --max-document")
                continue
            used = True
            name = record.get(self._options.id_field) if self._options.id_field else None
            yield Document(key if name is None else str(name), text)
        if not used and names:
            raise ShardError(
                f"{self._shard.name}: no record has text in {', '.join(self._options.fields)}; "
                f"fields there: {names}; choose with --field"
            )

    def _tree(self) -> Iterator[Document]:
        root, limits = Path(self._shard.path), self._options.limits
        whole = hashlib.sha256()
        for path in tree_files(root, self.tally):
            name = path.relative_to(root).as_posix()
            try:
                file = HashedFile(path)
            except OSError as error:
                raise ShardError(f"{path}: cannot be read: {error.strerror}") from error
            try:
                data = file.read(limits.document_bytes + 1)
                whole.update(name.encode("utf-8", "surrogateescape") + b"\0" + file.finish().encode())
                self.raw_bytes += file.raw_bytes
            finally:
                file.close()
            if b"\0" in data[:_BINARY_PROBE]:
                self.tally.skip("binary file", None, "nothing to compare", name)
            elif len(data) > limits.document_bytes:
                self.tally.skip("file too long", None, "raise --max-document", name)
            else:
                yield Document(name, self.tally.decode(data, None, name))
        self.digest = whole.hexdigest()

    def _hub(self) -> Iterator[Document]:
        whole = hashlib.sha256()
        for document in self._records(_hub_rows(self._shard.path)):
            data = document.text.encode("utf-8", "surrogatepass")
            whole.update(data + b"\0")
            self.raw_bytes += len(data)
            yield document
        self.digest = whole.hexdigest()


def _hub_rows(source: str) -> Iterator[tuple[str, int, dict[str, Any]]]:
    try:
        import datasets
    except ImportError as error:
        raise BenchCheckerError(
            "a data set of the hub needs: pip install 'benchchecker[datasets]'"
        ) from error
    name, _, split = source.partition("@")
    config = None
    if not Path(name).is_dir() and name.count("/") > 1:
        name, _, config = name.rpartition("/")
    try:
        rows = datasets.load_dataset(name, config, split=split or "train", streaming=True)
        for number, row in enumerate(rows, start=1):
            yield str(number), number, dict(row)
    except (ValueError, OSError, datasets.exceptions.DatasetNotFoundError) as error:
        raise ShardError(f"{HUB_PREFIX}{source}: {error}") from error
