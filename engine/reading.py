"""Reads JSON, JSON lines, YAML and Parquet from outside, and says what is wrong with them.

Whatever a file holds, memory stays bounded and every fault becomes a `Problem` with its file, its line and a
remedy. Readers of a particular format start from the values given here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.problems import InvalidInputError, Problem, Severity

if TYPE_CHECKING:
    from pydantic import ValidationError

MAX_LINE_BYTES = 32 * 2**20
MAX_DOCUMENT_BYTES = 128 * 2**20
MAX_YAML_BYTES = 2**20
MAX_NAME_LENGTH = 300

_CHUNK = 2**20
_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"BZh", b"\xfd7zXZ")
"""How gzip, zstd, zip, bzip2 and xz begin, whatever the file is called."""
_ARCHIVES = {".zip", ".gz", ".tgz", ".tar", ".bz2", ".xz", ".zst", ".7z"}


@dataclass(frozen=True, slots=True)
class Record:
    """One value of a file of many.

    Attributes:
        value: The decoded JSON value, or a Parquet row.
        line: 1-based line it starts on, or None where the format has no lines.
    """

    value: Any
    line: int | None = None


def clean_name(text: object, limit: int = MAX_NAME_LENGTH) -> str:
    """Return `text` on one line, without control characters, at most `limit` characters long.

    Markup and formula characters stay: they are escaped where they are shown or exported.
    """
    kept = printable(" ".join(str(text)[: 4 * limit].split()))
    return kept if len(kept) <= limit else kept[: limit - 1] + "…"


def printable(text: object) -> str:
    """Return `text` on one line, with control and text-direction characters replaced."""
    return "".join(mark if mark.isprintable() else "\N{REPLACEMENT CHARACTER}" for mark in str(text))


def spelled(name: str) -> str:
    """Return a file's name as UTF-8 can spell it, other bytes in hexadecimal: disks take any."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def is_plain_name(text: str) -> bool:
    """Whether `text` can be one folder's name: no separator, not `..`, nothing hidden, bounded, printable."""
    return (
        0 < len(text) <= MAX_NAME_LENGTH
        and text.isprintable()
        and not text.startswith(".")
        and not any(character in text for character in "/\\:")
        and text == text.strip()
    )


def explain_validation(error: ValidationError) -> str:
    """Return what is wrong with a record, field by field, without the values."""
    return "; ".join(
        f"{'.'.join(clean_name(part, 60) for part in fault['loc']) or 'record'}: {fault['msg']}"
        for fault in error.errors(include_url=False, include_context=False, include_input=False)[:5]
    )


def read_json(path: Path) -> tuple[Any, list[Problem]]:
    """Return the value of a JSON file, and warnings about its encoding.

    Raises:
        InvalidInputError: If the file cannot be read as one JSON value.
    """
    raw, problems = _read_document(path, MAX_DOCUMENT_BYTES)
    return _parse_json(_decode(raw, path, None), path, None), problems


def read_yaml(path: Path) -> tuple[Any, list[Problem]]:
    """Return the value of a YAML file (plain types only), and warnings about its encoding.

    Raises:
        InvalidInputError: If the file cannot be read as YAML.
    """
    import yaml

    raw, problems = _read_document(path, MAX_YAML_BYTES)
    text = _decode(raw, path, None)
    try:
        return yaml.safe_load(text), problems
    except yaml.MarkedYAMLError as error:
        line = None if error.problem_mark is None else error.problem_mark.line + 1
        raise _invalid(path, line, f"not valid YAML: {error.problem}", "correct the file") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _invalid(path, None, f"not valid YAML: {clean_name(error)}", "correct the file") from error


def iter_records(path: Path) -> Iterator[Record | Problem]:
    """Yield the values of a JSON lines, JSON or Parquet file, and a `Problem` for each that cannot be read.

    A JSON list gives its items, any other JSON value itself. A `.json` file that holds JSON lines is read as
    such.
    """
    try:
        if not path.is_file():
            raise _invalid(path, None, "there is no such file", "check the path")
        if path.suffix in _ARCHIVES:
            raise _invalid(path, None, "is an archive, which is not read", "unpack it first")
        if path.suffix == ".parquet":
            yield from _parquet_records(path)
        elif path.suffix in {".jsonl", ".ndjson"} or _holds_json_lines(path):
            yield from _line_records(path)
        else:
            value, problems = read_json(path)
            yield from problems
            yield from (Record(item) for item in (value if isinstance(value, list) else [value]))
    except InvalidInputError as error:
        yield from error.problems
    except OSError as error:
        yield Problem(str(path), None, "", f"cannot be read: {error.strerror}", "check its permissions")


def _invalid(path: Path, line: int | None, message: str, remedy: str) -> InvalidInputError:
    return InvalidInputError([Problem(str(path), line, "", message, remedy)])


def _read_document(path: Path, limit: int) -> tuple[bytes, list[Problem]]:
    try:
        size = path.stat().st_size
        if size > limit:
            message = f"{size} bytes are more than the {limit} that are read at once"
            raise _invalid(path, None, message, "convert the file to JSON lines, one record a line")
        raw = path.read_bytes()
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise _invalid(path, None, message, "check the path and its permissions") from error
    return raw.removeprefix(_BOM), _encoding_warnings(path, raw[:_CHUNK])


def _encoding_warnings(path: Path, head: bytes) -> list[Problem]:
    found = []
    if head.startswith(_BOM):
        found.append(("starts with a byte order mark, which was ignored", "save it as UTF-8 without one"))
    if b"\r\n" in head:
        found.append(("has CRLF line ends, read as line ends", "nothing, or save it with LF line ends"))
    return [Problem(str(path), 1, "", text, remedy, Severity.WARNING) for text, remedy in found]


def _decode(raw: bytes, path: Path, line: int | None) -> str:
    if raw.startswith(_UTF16_BOMS):
        raise _invalid(path, line or 1, "is UTF-16, not UTF-8", "convert it: iconv -f UTF-16 -t UTF-8")
    if raw.startswith(_PACKED):
        raise _invalid(path, line or 1, "is packed, not text", "unpack it first")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        at = line or raw.count(b"\n", 0, error.start) + 1
        message = f"is not UTF-8 (byte 0x{raw[error.start]:02x}), perhaps Latin-1"
        raise _invalid(path, at, message, "convert it: iconv -f ISO-8859-1 -t UTF-8") from error


def _parse_json(text: str, path: Path, line: int | None) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        at = line or error.lineno
        if not text.strip():
            raise _invalid(path, at, "is empty", "fetch the file again") from error
        ended = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        message = "the JSON ends in the middle" if ended else f"not valid JSON: {error.msg}"
        remedy = "fetch the file again" if ended else "correct the file"
        raise _invalid(path, at, f"{message} (column {error.colno})", remedy) from error
    except RecursionError as error:
        raise _invalid(path, line, "not usable JSON: nested too deeply", "correct the file") from error
    except ValueError as error:
        # Python's own words on long numbers advise a programmer.
        why = "a number has thousands of digits" if "integer string" in str(error) else clean_name(error)
        raise _invalid(path, line, f"not usable JSON: {why}", "correct the file") from error


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse what the standard parser would settle silently: one key with two values."""
    found = dict(pairs)
    if len(found) < len(pairs):
        for key, value in pairs:
            if found[key] != value:
                raise ValueError(f"the key {key!r} has two values")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _holds_json_lines(path: Path) -> bool:
    """Whether the first line is a whole JSON value and more follows."""
    with path.open("rb") as stream:
        first = stream.readline(MAX_LINE_BYTES)
        more = any(line.strip() for line in iter(lambda: stream.readline(_CHUNK), b""))
    try:
        return more and isinstance(json.loads(first.removeprefix(_BOM)), dict)
    except (ValueError, RecursionError):
        return False


def _line_records(path: Path) -> Iterator[Record | Problem]:
    with path.open("rb") as stream:
        yield from _encoding_warnings(path, stream.read(_CHUNK))
        stream.seek(0)
        number = 0
        while raw := stream.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(raw.removesuffix(b"\n")) > MAX_LINE_BYTES:
                size = len(raw) + _skip_line(stream.readline)
                message = f"a line of {size} bytes; at most {MAX_LINE_BYTES} are read"
                yield Problem(str(path), number, "", message, "remove logs from the record, or split it")
                continue
            raw = raw.removeprefix(_BOM) if number == 1 else raw
            if not raw.strip():
                continue
            try:
                yield Record(_parse_json(_decode(raw, path, number), path, number), number)
            except InvalidInputError as error:
                yield from error.problems


def _skip_line(readline: Callable[[int], bytes]) -> int:
    """Read to the end of the line without keeping it; return the number of bytes skipped."""
    skipped = 0
    while chunk := readline(_CHUNK):
        skipped += len(chunk)
        if chunk.endswith(b"\n"):
            break
    return skipped


def _parquet_records(path: Path) -> Iterator[Record]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=256):
                yield from (Record(row) for row in batch.to_pylist())
    except (pa.ArrowException, OSError) as error:
        raise _invalid(path, None, f"not usable Parquet: {clean_name(error)}", "fetch it again") from error
