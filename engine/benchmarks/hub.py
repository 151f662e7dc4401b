"""Reads data sets from the Hugging Face hub, at a pinned revision."""

from __future__ import annotations

from collections.abc import Iterator

from engine.problems import BenchCheckerError
from engine.reading import Record, clean_name


def dataset_records(name: str, revision: str, split: str = "test") -> Iterator[Record]:
    """Yield the rows of a data set.

    Args:
        name: Its id, `owner/name`.
        revision: The commit to read: a data set can change under its name.
        split: The split to read.

    Raises:
        BenchCheckerError: If the extra `datasets` is not installed, or nothing can be fetched.
    """
    try:
        import datasets
    except ImportError as error:
        raise BenchCheckerError(
            "reading a Hugging Face data set needs the extra `datasets`: pip install 'benchchecker[datasets]'"
        ) from error
    try:
        rows = datasets.load_dataset(name, revision=revision, split=split)
    except Exception as error:
        # The library raises whatever its many back ends raise; each means that nothing could be read.
        raise BenchCheckerError(f"{name}@{revision}: cannot be fetched: {clean_name(error)}") from error
    yield from (Record(row) for row in rows)
