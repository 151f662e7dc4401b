"""`benchchecker reference`: in how many repositories a word occurs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.options import Data
from engine.paths import CACHE_DIR, DATA_DIR

if TYPE_CHECKING:
    from engine.probing.reference.corpus import Located

FOLDER = DATA_DIR / "reference"


def register(app: typer.Typer) -> None:
    """Add the command group to the command line."""
    group = typer.Typer(no_args_is_help=True)
    group.command("build")(build)
    group.command("look")(look)
    app.add_typer(group, name="reference", help="Count in how many repositories each word occurs.")


def build(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Clones, folders of clones, or folders of sources.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the dictionary.")] = DATA_DIR
    / "reference",
    dataset: Annotated[
        list[str] | None,
        typer.Option(help="Data set of the hub, or a JSON lines or Parquet file."),
    ] = None,
    revision: Annotated[str, typer.Option(help="Commit of the data sets.")] = "",
    text_field: Annotated[str, typer.Option(help="Field of a row with the source text.")] = "new_contents",
    repository_field: Annotated[
        str, typer.Option(help="Field of a row with the repository, or several with commas between.")
    ] = "repos",
    shards: Annotated[
        Path,
        typer.Option(help="Folder of shards; all in it are merged, whoever made them."),
    ] = CACHE_DIR / "reference",
    data: Data = DATA_DIR,
) -> None:
    """Count the words of repositories, in bounded memory. Stopped at any moment, it goes on where it was.

    Only hashes of words with the number of repositories are kept, of words that two or more hold.
    """
    from engine.history.summary import known_sources
    from engine.probing.reference.corpus import find_repositories
    from engine.probing.reference.shards import merge_shards
    from engine.problems import BenchCheckerError

    if not paths and not dataset and not any(shards.glob("*.parquet")):
        raise BenchCheckerError("nothing to read: give a path, or --dataset")
    canonical = {source.lower(): name for name, source in known_sources(data).items()}
    located = [found for path in paths or () for found in find_repositories(path, canonical)]
    _count_repositories(located, shards)
    for name in dataset or ():
        _count_rows(name, revision, text_field, repository_field, shards)
    kept = merge_shards(shards.glob("*.parquet"), out)
    typer.echo(f"{out}: {kept:,} words in two repositories or more")


def look(
    words: Annotated[list[str], typer.Argument(help="Words, as they are spelled in code.")],
    reference: Annotated[Path, typer.Option(help="Folder of the dictionary.")] = FOLDER,
) -> None:
    """Print in how many reference repositories words occur; 0 also stands for one."""
    from engine.probing.reference.dictionary import read_dictionary

    dictionary = read_dictionary(reference)
    for word in words:
        typer.echo(f"{word}\t{dictionary.count(word)} of {dictionary.size}")


def _count_repositories(located: Iterable[Located], shards: Path) -> None:
    from rich.progress import track

    from engine.probing.reference.building import repository_shard
    from engine.problems import BenchCheckerError

    for entry in track(list(located), description="repositories"):
        try:
            repository_shard(entry, shards)
        except BenchCheckerError as error:
            typer.echo(f"{entry.repository}: left out: {error}", err=True)


def _count_rows(name: str, revision: str, text_field: str, repository_field: str, shards: Path) -> None:
    from engine.probing.reference.building import ROWS_PER_SHARD, dataset_shards
    from engine.probing.reference.corpus import dataset_rows
    from engine.problems import BenchCheckerError

    rows = dataset_rows(name, revision)
    try:
        for number, _ in enumerate(
            dataset_shards(rows, f"{name}@{revision}", text_field, repository_field, shards), start=1
        ):
            typer.echo(f"{name}: {number * ROWS_PER_SHARD:,} rows", err=True)
    except KeyError as error:
        raise BenchCheckerError(f"{name}: rows have no field {error}; name it with an option") from error
