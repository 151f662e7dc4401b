"""Documents of a corpus and records of an evaluation set, from the formats training pipelines write.

Lines (JSON or plain text), Parquet, whole files, source trees and Hugging Face data sets, all streamed. What
cannot be used is counted in a `Tally`, never dropped silently.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from engine.overlap.streams import HashedFile, Limits, ShardError, Tally, chunks, compression, lines

Unit = Literal["file", "line", "paragraph"]
"""What one document of a plain text file is."""

JSON_SUFFIXES = (".jsonl", ".ndjson")
PARQUET_SUFFIXES = (".parquet",)
_PARQUET_ROWS = 16
"""Rows decoded together: a few bytes of a file can stand for a very long string in each of them."""
_BOM = b"\xef\xbb\xbf"
_BLANK_LINE = re.compile(rb"^\s*$")


def kind_of(path: Path) -> Literal["json", "parquet", "text"]:
    """Return the format that a file name announces; anything unknown is text."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if compression(path) is not None:
        suffixes = suffixes[:-1]
    last = suffixes[-1] if suffixes else ""
    if last in JSON_SUFFIXES:
        return "json"
    return "parquet" if last in PARQUET_SUFFIXES else "text"


def json_records(
    file: HashedFile, path: Path, limits: Limits, tally: Tally, *, offsets: bool = False
) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield (key, line, object) for every line of a JSON Lines file that holds an object.

    Args:
        file: The opened file, or a byte range of one.
        path: Its name, which tells the compression.
        limits: Bounds on line length and unpacked size.
        tally: Takes what is skipped.
        offsets: Name records by byte offset and not by line, for a range that starts inside a file.
    """
    for number, line, offset in lines(chunks(file, path, limits), limits.document_bytes):
        if line is None:
            tally.skip(
                f"line longer than {limits.document_bytes} bytes", number, "split it, or raise --max-document"
            )
            continue
        if file.start + offset == 0:
            line = line.removeprefix(_BOM)
        if _BLANK_LINE.match(line):
            continue
        try:
            value = json.loads(tally.decode(line, number))
        except (ValueError, RecursionError):
            tally.skip("line is no JSON", number, "correct or remove the line")
            continue
        if isinstance(value, dict):
            yield f"@{file.start + offset}" if offsets else str(number), number, value
        else:
            tally.skip("line is no JSON object", number, "give each line as an object with named fields")


def parquet_records(
    path: Path, columns: Iterable[str] | None, limits: Limits, tally: Tally
) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield (key, row, values) for every row of a Parquet file; strings come as they are or repaired.

    Raises:
        ShardError: If the file is damaged, lacks a column, has two of one name, or unpacks beyond `limits`.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            wanted = _columns(path, file.schema_arrow.names, columns)
            number = unpacked = 0
            for batch in file.iter_batches(batch_size=_PARQUET_ROWS, columns=wanted):
                unpacked += batch.nbytes
                limits.check_ratio(path, unpacked, path.stat().st_size)
                values = [_column_values(column) for column in batch.columns]
                for row in zip(*values, strict=True):
                    number += 1
                    yield (
                        str(number),
                        number,
                        {
                            name: tally.decode(value, number) if isinstance(value, bytes) else value
                            for name, value in zip(wanted, row, strict=True)
                        },
                    )
    except (pa.ArrowException, OSError) as error:
        raise ShardError(f"{path}: damaged Parquet file: {error}; write it again") from error


def _columns(path: Path, present: list[str], columns: Iterable[str] | None) -> list[str]:
    wanted = sorted(set(present)) if columns is None else list(dict.fromkeys(columns))
    for column in wanted:
        if column not in present:
            raise ShardError(f"{path}: no column {column!r}; it has {', '.join(sorted(set(present)))}")
        if present.count(column) > 1:
            raise ShardError(f"{path}: {present.count(column)} columns are called {column!r}; rename them")
    return wanted


def _column_values(column: Any) -> list[Any]:
    import pyarrow as pa

    # Strings as bytes: a Parquet file may call bytes a string that are no UTF-8.
    if pa.types.is_string(column.type):
        column = column.view(pa.binary())
    elif pa.types.is_large_string(column.type):
        column = column.view(pa.large_binary())
    values: list[Any] = column.to_pylist()
    return values


def text_records(
    file: HashedFile, path: Path, unit: Unit, limits: Limits, tally: Tally, *, offsets: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield (key, text) for every document of a plain text file.

    A document is a line, a paragraph (lines up to a blank one) or the whole file; the key is its first line.
    """
    if unit == "file":
        yield from _whole_file(file, path, limits, tally)
        return
    pending: list[bytes] = []
    first, length = "", 0
    for number, line, offset in lines(chunks(file, path, limits), limits.document_bytes):
        key = f"@{file.start + offset}" if offsets else str(number)
        if line is None:
            tally.skip(
                f"line longer than {limits.document_bytes} bytes", number, "split it, or raise --max-document"
            )
            continue
        blank = bool(_BLANK_LINE.match(line))
        if unit == "line":
            if not blank:
                yield key, tally.decode(line, number)
            continue
        if (blank or length > limits.document_bytes) and pending:
            yield first, tally.decode(b"\n".join(pending), number)
            pending, length = [], 0
        if not blank:
            first = first if pending else key
            pending.append(line)
            length += len(line) + 1
    if pending:
        yield first, tally.decode(b"\n".join(pending), None)


def _whole_file(file: HashedFile, path: Path, limits: Limits, tally: Tally) -> Iterator[tuple[str, str]]:
    held: list[bytes] = []
    length = 0
    for part in chunks(file, path, limits):
        length += len(part)
        if length <= limits.document_bytes:
            held.append(part)
        else:
            held.clear()
    if length > limits.document_bytes:
        tally.skip(
            f"file longer than {limits.document_bytes} bytes",
            None,
            "read it with --document paragraph or line, or raise --max-document",
        )
        return
    yield "1", tally.decode(b"".join(held), None)


def field_text(value: Any) -> str | None:
    """Return the text of a field: a string, or all strings inside a list or object, in order.

    Chat messages and lists of choices are read this way. None where there is no text at all.
    """
    if isinstance(value, str):
        return value
    # A stack of its own: JSON nests as deep as its writer likes.
    parts, pending = [], [value]
    while pending:
        match pending.pop():
            case str(text) if text:
                parts.append(text)
            case Mapping() as inner:
                pending += reversed(list(inner.values()))
            case list() | tuple() as inner:
                pending += reversed(inner)
    return "\n".join(parts) if parts else None


def field_names(record: Mapping[str, Any]) -> str:
    """Return the names of a record's fields for a message."""
    return ", ".join(sorted(map(str, record))) or "no field at all"
