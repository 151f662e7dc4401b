"""`benchchecker findings`: the paper's Findings 1 to 8 beside ours, and whether they hold."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from engine.cli.export import PRINT_FORMATS, Formatted, Output, Siunitx, write_table
from engine.cli.options import Data, Database
from engine.paths import DATA_DIR, DATABASE


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("findings")(findings)


def findings(
    form: Formatted = "markdown",
    siunitx: Siunitx = False,
    output: Output = "-",
    readme: Annotated[
        Path | None, typer.Option(help="Put the table between the markers of this file instead.")
    ] = None,
    data: Data = DATA_DIR,
    database: Database = DATABASE,
) -> None:
    """Write each finding of the paper beside ours, and whether it holds.

    By each detector at its own threshold, read off rates as in the paper, and within samples.
    """
    from engine.export.findings import findings_table, printed_findings
    from engine.report.findings import findings as read
    from engine.report.readme import write_readme
    from engine.store.connection import Reader

    found = read(Reader(database).snapshot(), data)
    if readme is None:
        write_table(
            (printed_findings if form in PRINT_FORMATS else findings_table)(found), form, output, siunitx
        )
    elif write_readme(readme, found):
        typer.echo(f"{readme}: written anew")
    else:
        typer.echo(f"{readme}: up to date")
