"""`benchchecker build`: the database from the fact files."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.cli.options import Data, Database
from engine.paths import DATA_DIR, DATABASE


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("build")(build)


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
