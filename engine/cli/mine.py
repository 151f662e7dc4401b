"""`benchchecker mine`: the queries that tell whether a model saw a repository."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.label import Mapping as SourcesFile
from engine.cli.label import Repos, find_repositories
from engine.cli.options import Data, read_day
from engine.cli.reference import FOLDER
from engine.paths import CACHE_DIR, DATA_DIR

if TYPE_CHECKING:
    from datetime import date

    from engine.probing.queries import Query

_KINDS = ("clone", "text", "cooccurrence")


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("mine")(mine_command)


def mine_command(
    repo: Annotated[str, typer.Option(help="Repository, as in django/django; a folder of sources will do.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="File for the queries, JSON lines.")],
    repos: Repos = Path("repos"),
    at: Annotated[str | None, typer.Option(help="Day of the snapshot, or month (default: newest).")] = None,
    kind: Annotated[
        list[str] | None, typer.Option(help="clone, text or cooccurrence; repeatable (default: all).")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Keep so many queries, the best.")] = None,
    entropy: Annotated[bool, typer.Option(help="Score how far each prefix gives its target away.")] = True,
    model: Annotated[
        str | None, typer.Option(help="Folder of the causal model for that (default: what is at hand).")
    ] = None,
    reference: Annotated[Path, typer.Option(help="Folder of the reference dictionary.")] = FOLDER,
    mapping: SourcesFile = None,
    data: Data = DATA_DIR,
) -> None:
    """Mine a repository for repeated passages with a word that only it would use.

    The file holds text of the repository: keep it with your clones, not among the facts.
    """
    from engine.probing.mining import mine
    from engine.probing.queries import PatternKind, write_queries
    from engine.probing.reference.dictionary import read_dictionary

    unknown = sorted(set(kind or ()) - set(_KINDS))
    if unknown:
        raise typer.BadParameter(f"--kind: {', '.join(unknown)} is not one of {', '.join(_KINDS)}")
    texts = _texts(repo, repos, mapping, data, None if at is None else read_day(at))
    typer.echo(f"{repo}: {len(texts)} files", err=True)
    with _steps() as progress:
        kinds = [PatternKind(name) for name in kind or _KINDS]
        queries = mine(texts, repo.lower(), read_dictionary(reference), kinds, progress)
    if entropy:
        scored = _scored(queries[:limit], model)
        queries = [query for query in scored if query.entropy]
        typer.echo(f"{len(scored) - len(queries)} left out: their prefix gives the target away", err=True)
    write_queries(out, queries[:limit])
    typer.echo(_summary(queries[:limit], out))


def _texts(repo: str, repos: Path, mapping: Path | None, data: Path, day: date | None) -> dict[str, str]:
    from engine.history.repository import RepositoryHistory
    from engine.probing.mining import folder_texts, snapshot_texts
    from engine.problems import BenchCheckerError

    git = find_repositories(repos, mapping, CACHE_DIR, data).path(repo.lower())
    if git is not None:
        history = RepositoryHistory.open(git)
        try:
            return snapshot_texts(history, day)
        finally:
            history.close()
    if Path(repo).is_dir() and day is None:
        return folder_texts(Path(repo))
    raise BenchCheckerError(f"{repo}: not among the clones in {repos}; clone it, or name them with --repos")


@contextmanager
def _steps() -> Iterator[Callable[[str], None]]:
    """Show the step at work and the time since the start."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("reading")

        def show(step: str) -> None:
            # A step may also say what was left out, which must stay to be read.
            bar.console.print(step)
            bar.update(task, description=step)

        yield show


def _scored(queries: list[Query], model: str | None) -> list[Query]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    from engine.probing.causal import load_causal
    from engine.probing.entropy import EntropyScorer, with_entropy

    scorer = EntropyScorer(load_causal(model))
    columns = (TextColumn("entropy"), BarColumn(), MofNCompleteColumn(), TimeLeft())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("entropy")

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        return with_entropy(queries, scorer, show)


def _summary(queries: list[Query], out: Path) -> str:
    counts = Counter(query.kind.value for query in queries)
    kinds = ", ".join(f"{counts[kind]} {kind}" for kind in _KINDS)
    return f"{out}: {len(queries)} queries ({kinds})"
