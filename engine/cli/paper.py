"""`benchchecker paper`: the paper's printed figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from engine.paths import DATA_DIR

Data = Annotated[Path, typer.Option(help="Folder of the fact files.")]


def register(app: typer.Typer) -> None:
    """Add the command group to the command line."""
    group = typer.Typer(no_args_is_help=True)
    group.command("transcribe")(transcribe)
    group.command("check")(check)
    app.add_typer(group, name="paper", help="The paper's printed figures, kept as the paper's.")


def transcribe(
    paper: Annotated[Path, typer.Argument(help="The paper's text as Markdown.")], data: Data = DATA_DIR
) -> None:
    """Write Tables 1 and 5 to 9 of the paper to the fact files, as printed."""
    from engine.paper.transcribe import transcribe as write_tables
    from engine.store.locking import exclusive
    from engine.store.provenance import record_run

    with exclusive(data):
        written = list(write_tables(paper, data))
    for path in written:
        typer.echo(path.relative_to(data).as_posix())
    record_run(data, f"paper transcribe {paper.name}", {}, {paper.name: paper}, written)


def check(data: Data = DATA_DIR) -> None:
    """Report where the printed cells of Tables 6 to 9 contradict one another."""
    from engine.paper.cells import CELL_TABLES, misprints, read_cells

    cells = [cell for table in CELL_TABLES for cell in read_cells(table, data)]
    found = misprints(cells)
    for problem in found:
        typer.echo(str(problem))
    typer.echo(f"{len(cells)} cells, {len(found)} contradictions")
