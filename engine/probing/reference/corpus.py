"""What a reference dictionary is made of: repositories on disk, or the rows of a data set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.history.clones import is_repository_name
from engine.problems import BenchCheckerError, Problem
from engine.reading import clean_name, iter_records


@dataclass(frozen=True, slots=True)
class Located:
    """A repository on disk.

    Attributes:
        repository: Canonical name, `owner/name` in lower case.
        path: Git directory, or a plain folder of sources.
        is_git: Which of the two.
    """

    repository: str
    path: Path
    is_git: bool


def find_repositories(path: Path, canonical: Mapping[str, str]) -> Iterator[Located]:
    """Yield the repository at a path, or those in the folder.

    Args:
        path: A clone, or a folder of clones named `owner+name/repo`, `owner__name.git` or `owner/name.git`; a
            folder without git in it is one repository.
        canonical: Canonical name of each fork, in lower case; see `data/repository.csv`.

    Raises:
        BenchCheckerError: If there is nothing at the path.
    """
    if not path.is_dir():
        raise BenchCheckerError(f"{path}: no such folder")
    if is_git(path):
        yield _located(path, path, canonical)
        return
    found = sorted(
        child for depth in ("*", "*/*", "*/repo/.git") for child in path.glob(depth) if is_git(child)
    )
    if not found:
        yield Located(_name(path, canonical), path, False)
    for child in found:
        if child.name != ".git" or not is_git(child.parent):
            yield _located(child, path, canonical)


def is_git(path: Path) -> bool:
    """Whether a folder is a git directory or a work tree that holds one."""
    return any((place / "HEAD").is_file() and (place / "objects").is_dir() for place in (path, path / ".git"))


def dataset_rows(name: str, revision: str) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a data set on the hub, streamed, or of a local JSON lines or Parquet file.

    Raises:
        BenchCheckerError: If it cannot be read.
    """
    if Path(name).is_file():
        for record in iter_records(Path(name)):
            if isinstance(record, Problem):
                raise BenchCheckerError(str(record))
            yield record.value
        return
    if not revision:
        raise BenchCheckerError(f"{name}: a data set can change under its name; give --revision")
    try:
        import datasets
    except ImportError as error:
        raise BenchCheckerError(
            "reading a Hugging Face data set needs the extra `datasets`: pip install 'benchchecker[datasets]'"
        ) from error
    try:
        yield from datasets.load_dataset(name, revision=revision, split="train", streaming=True)
    except Exception as error:
        # The library raises whatever its many back ends raise; each means that nothing could be read.
        raise BenchCheckerError(f"{name}@{revision}: cannot be fetched: {clean_name(error)}") from error


def _located(git: Path, within: Path, canonical: Mapping[str, str]) -> Located:
    named = git.parent if git.name in {"repo", ".git"} and git != within else git
    return Located(_name(named, canonical), git, True)


def _name(path: Path, canonical: Mapping[str, str]) -> str:
    """Return the canonical name that a path tells, the last two folders where it has no separator."""
    if path.name == "repo":
        path = path.parent
    plain = path.name.removesuffix(".git").lower()
    for separator in ("+", "__"):
        if separator in plain:
            plain = plain.replace(separator, "/", 1)
            break
    else:
        plain = f"{path.resolve().parent.name.lower()}/{plain}"
    if not is_repository_name(plain):
        raise BenchCheckerError(f"{path}: its name does not tell owner and name; call it owner__name.git")
    return canonical.get(plain, plain)
