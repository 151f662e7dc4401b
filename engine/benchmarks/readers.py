"""Reads the samples of a benchmark from the reader's own copy of its data set."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.benchmarks.catalogue import Benchmark
from engine.benchmarks.hub import dataset_records
from engine.benchmarks.ids import parse_sample_id
from engine.benchmarks.records import RecordError, sample_from_record
from engine.benchmarks.sample import Sample
from engine.problems import BenchCheckerError, Loaded, Problem, Severity
from engine.reading import Record, clean_name, iter_records

_FILE_SUFFIXES = {".json", ".jsonl", ".ndjson", ".parquet"}
_DATASET_ID = re.compile(r"(?P<name>[\w.-]+/[\w.-]+)(?:@(?P<revision>[\w./-]+))?", re.ASCII)


def read_samples(source: Path | str, benchmark: Benchmark, *, strict: bool = False) -> Loaded[Sample]:
    """Read samples from a JSON lines, JSON or Parquet file, or a Hugging Face data set.

    Args:
        source: A path, or a data set id `owner/name@revision`. The revision may be left out where it is the
            one pinned for `benchmark`.
        benchmark: The benchmark that the samples belong to; its levels are used to read difficulties.
        strict: Raise on the first reading if any record could not be used.

    Returns:
        The samples in the order of the source, each id once, and the problems.

    Raises:
        InvalidInputError: Under `strict`, if a record was left out.
        BenchCheckerError: If the data set cannot be fetched or its revision is not pinned.
    """
    rows: dict[str, Sample] = {}
    problems: list[Problem] = []
    for item in _records(source, benchmark):
        if isinstance(item, Problem):
            problems.append(item)
            continue
        subject = _subject(item.value)
        try:
            sample, doubts = sample_from_record(item.value, benchmark)
        except RecordError as error:
            problems.append(
                Problem(str(source), item.line, subject, str(error), "correct the record, or leave it out")
            )
            continue
        problems += [
            Problem(str(source), item.line, sample.sample, doubt, "check the record", Severity.WARNING)
            for doubt in doubts
        ]
        if sample.sample in rows:
            problems.append(_duplicate(source, item.line, sample, rows[sample.sample]))
        else:
            rows[sample.sample] = sample
    loaded = Loaded(tuple(rows.values()), tuple(problems))
    return loaded.strict() if strict else loaded


def _records(source: Path | str, benchmark: Benchmark) -> Iterator[Record | Problem]:
    path = Path(source)
    dataset = _DATASET_ID.fullmatch(str(source))
    is_file = path.exists() or isinstance(source, Path) or path.suffix in _FILE_SUFFIXES
    if dataset is not None and not is_file:
        return _pinned_records(dataset["name"], dataset["revision"], benchmark)
    return _unfold(iter_records(path))


def _unfold(records: Iterator[Record | Problem]) -> Iterator[Record | Problem]:
    """Give the entries of a mapping from id to record as records that name their id."""
    for record in records:
        value = record.value if isinstance(record, Record) else None
        if isinstance(value, dict) and value and all(_is_entry(key, entry) for key, entry in value.items()):
            for key, entry in value.items():
                yield Record({"instance_id": key, **entry})
        else:
            yield record


def _is_entry(key: str, entry: Any) -> bool:
    return parse_sample_id(key) is not None and isinstance(entry, dict)


def _pinned_records(name: str, revision: str | None, benchmark: Benchmark) -> Iterator[Record]:
    if revision is None and name.casefold() == (benchmark.dataset or "").casefold():
        revision = benchmark.revision
    if revision is None:
        raise BenchCheckerError(
            f"{name}: a data set can change under its name; say which one is meant, as {name}@<commit>"
        )
    return dataset_records(name, revision)


def _subject(value: Any) -> str:
    if not isinstance(value, Mapping):
        return ""
    name = value.get("instance_id") or "/".join(
        str(value[key]) for key in ("org", "repo", "number") if value.get(key) is not None
    )
    return clean_name(name)


def _duplicate(source: Path | str, line: int | None, again: Sample, first: Sample) -> Problem:
    # Only the texts decide: the same sample twice does no harm, two different ones under one id do.
    if again == replace(first, extra=again.extra):
        return Problem(str(source), line, again.sample, "occurs twice, alike", "remove one", Severity.WARNING)
    return Problem(
        str(source),
        line,
        again.sample,
        "occurs twice with different contents; the first was used",
        "remove the wrong one",
    )
