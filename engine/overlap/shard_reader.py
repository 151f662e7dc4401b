"""One pass over a shard of a corpus: its documents, what was left out, and a hash of what was read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.overlap.corpus import HUB_PREFIX, CorpusOptions, Shard, tree_files
from engine.overlap.records import field_names, field_text, json_records, parquet_records, text_records
from engine.overlap.streams import HashedFile, ShardError, Tally
from engine.problems import BenchCheckerError

_BINARY_PROBE = 8192


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a shard: its key inside the shard, and its text."""

    key: str
    text: str


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
                yield from self._records(parquet_records(path, columns, options.limits, self.tally))
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
