"""`benchchecker report`: every table and figure, for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from engine.cli.export import Siunitx
from engine.cli.options import Data, Database
from engine.paths import DATA_DIR, DATABASE


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("report")(report)


def report(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write to.")],
    detector: Annotated[
        list[str] | None,
        typer.Option("--detector", "-d", help="Key of a detector; may be repeated (default: all)."),
    ] = None,
    siunitx: Siunitx = False,
    images: Annotated[bool, typer.Option(help="Draw SVG, PNG and PDF, which needs Chromium.")] = True,
    data: Data = DATA_DIR,
    database: Database = DATABASE,
) -> None:
    """Write every table and figure, with captions, and one page that needs nothing else.

    Tables as CSV, Parquet, LaTeX and Markdown; figures as HTML, and as SVG, PNG and PDF where kaleido finds a
    browser.
    """
    from engine.report.parts import parts
    from engine.report.writing import write_report
    from engine.store.connection import Reader
    from engine.store.labels import choose_detector

    snapshot = Reader(database).snapshot()
    for name in detector or ():
        choose_detector(snapshot, name)
    meta = snapshot.meta
    intro = [
        f"Made from the facts {meta.data_sha256}, in a database built at {meta.built_at:%Y-%m-%d %H:%M} UTC.",
        "Every rate has n and an interval; each caption names detector, threshold and facts.",
    ]
    written = write_report(
        parts(snapshot, data, detector or ()),
        output,
        intro=intro,
        siunitx=siunitx,
        images=images,
        told=lambda name: typer.echo(name, err=True),
    )
    if written.no_images is not None:
        typer.echo(f"figures are HTML only: {written.no_images}", err=True)
    typer.echo(f"{written.page}: {written.tables} tables, {written.figures} figures")
