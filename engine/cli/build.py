"""`benchchecker build` and `benchchecker doctor`: the database from the fact files, and a look at both."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer

from engine.cli.options import Data, Database
from engine.paths import DATA_DIR, DATABASE

SHOWN_OF_A_KIND = 20


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("build")(build)
    app.command("doctor")(doctor)


def build(
    data: Data = DATA_DIR,
    database: Database = DATABASE,
    force: Annotated[bool, typer.Option(help="Build even if nothing changed.")] = False,
) -> None:
    """Build the database from the fact files; pages and other readers may stay open."""
    from engine.store.build import build_database

    report = build_database(data, database, force=force, progress=typer.echo)
    if report.rebuilt:
        total = sum(report.rows.values())
        typer.echo(f"{report.database.name}: {total:,} rows in {report.seconds:.1f} s")
    else:
        typer.echo(f"{report.database.name} already holds these facts")


def doctor(data: Data = DATA_DIR, database: Database = DATABASE) -> None:
    """Check counts, constraints, dates, references and provenance of the facts, and the database."""
    from engine.store.checks import CHECKS
    from engine.store.doctor import examine

    problems = examine(data, database)
    kinds = Counter((problem.file, problem.remedy) for problem in problems)
    shown: Counter[tuple[str, str]] = Counter()
    for problem in problems:
        kind = (problem.file, problem.remedy)
        shown[kind] += 1
        if shown[kind] <= SHOWN_OF_A_KIND:
            typer.echo(str(problem))
        elif shown[kind] == kinds[kind]:
            typer.echo(f"{problem.file}: and {kinds[kind] - SHOWN_OF_A_KIND} more of this kind")
    if problems:
        typer.echo(f"{len(problems)} findings")
        raise typer.Exit(1)
    typer.echo(f"nothing found: constraints, {len(CHECKS)} rules, provenance and database are in order")
