"""`benchchecker export`: leaderboards, labels and the paper's tables for other programs and for papers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from engine.cli.options import Data, Database, Detector, Threshold, read_day
from engine.paths import DATA_DIR, DATABASE

if TYPE_CHECKING:
    from engine.export.table import Table

# As in engine.export.writers, which a test compares: importing it here would load pyarrow for --help.
FormatName = Literal["csv", "json", "latex", "parquet", "markdown"]
PRINT_FORMATS = ("latex", "markdown")

Benchmarked = Annotated[str, typer.Option("--benchmark", "-b", help="Key of the benchmark.")]
Formatted = Annotated[FormatName, typer.Option("--format", "-f", help="Format of the table.")]
Output = Annotated[str, typer.Option("--output", "-o", help="File to write, or - for standard output.")]
Siunitx = Annotated[bool, typer.Option(help="In LaTeX, align numbers in columns of siunitx.")]
Day = Annotated[str | None, typer.Option(help="A day, 2025-03-31, or a month, 2025-03.")]


def register(app: typer.Typer) -> None:
    """Add the command group to the command line."""
    group = typer.Typer(no_args_is_help=True)
    group.command("leaderboard")(export_leaderboard)
    group.command("labels")(export_labels)
    group.command("table")(export_table)
    app.add_typer(group, name="export", help="Write leaderboards, labels and the paper's tables.")


def export_leaderboard(
    benchmark: Benchmarked,
    detector: Detector = None,
    threshold: Threshold = None,
    difficulty: Annotated[str | None, typer.Option(help="Count the samples at this level only.")] = None,
    framework: Annotated[list[str] | None, typer.Option(help="Keep this framework; may be repeated.")] = None,
    model: Annotated[list[str] | None, typer.Option(help="Keep this model; may be repeated.")] = None,
    submitted_from: Day = None,
    submitted_to: Day = None,
    open_weights: Annotated[
        bool | None, typer.Option(help="Keep open weights only, or the others only.")
    ] = None,
    sort: Annotated[
        Literal["before", "after"],
        typer.Option(help="Best first by all samples, or by clean ones as the page opens."),
    ] = "before",
    top: Annotated[int | None, typer.Option(min=1, help="Write the first rows only.")] = None,
    compact: Annotated[
        bool, typer.Option(help="In LaTeX and Markdown, only places, rates, intervals and verdicts.")
    ] = False,
    form: Formatted = "csv",
    siunitx: Siunitx = False,
    output: Output = "-",
    database: Database = DATABASE,
) -> None:
    """Write every submission before and after its contaminated samples are left out.

    CSV, JSON and Parquet have every figure; LaTeX and Markdown have the form of the paper's tables, or with
    `--compact` one that fits on a page.
    """
    from dataclasses import replace

    from engine.export.leaderboard import leaderboard_table, printed_leaderboard, printed_ranking
    from engine.leaderboard.board import by_clean_rate, leaderboard
    from engine.leaderboard.filters import Filters
    from engine.leaderboard.source import level_titles
    from engine.store.connection import Reader

    filters = Filters(
        frameworks=tuple(framework or ()),
        models=tuple(model or ()),
        submitted_from=read_day(submitted_from) if submitted_from else None,
        submitted_to=read_day(submitted_to) if submitted_to else None,
        open_weights=open_weights,
    )
    snapshot = Reader(database).snapshot()
    board = leaderboard(snapshot, benchmark, detector, threshold, difficulty=difficulty, filters=filters)
    rows = by_clean_rate(board.rows) if sort == "after" else board.rows
    shown = replace(board, rows=tuple(rows[:top]))
    if form not in PRINT_FORMATS:
        table = leaderboard_table(shown)
    elif compact:
        table = printed_ranking(shown)
    else:
        table = printed_leaderboard(shown, level_titles(snapshot, benchmark))
    write_table(replace(table, notes=(*table.notes, ("order", f"rate {sort}"))), form, output, siunitx)


def export_labels(
    benchmark: Benchmarked,
    cutoff: Annotated[str, typer.Option(help="Last day of training data; a month means its last day.")],
    detector: Detector = None,
    threshold: Threshold = None,
    model: Annotated[
        list[str] | None, typer.Option(help="Model whose repository presence counts; may be repeated.")
    ] = None,
    form: Formatted = "csv",
    siunitx: Siunitx = False,
    output: Output = "-",
    database: Database = DATABASE,
) -> None:
    """Write the label of every sample at a cutoff, and what it rests on."""
    from engine.export.labels import labels_table
    from engine.store.connection import Reader

    day = read_day(cutoff)
    snapshot = Reader(database).snapshot()
    write_table(
        labels_table(snapshot, benchmark, day, detector, threshold, tuple(model or ())), form, output, siunitx
    )


def export_table(
    paper: Annotated[int, typer.Option(min=6, max=9, help="Number of the paper's table.")],
    detector: Annotated[str, typer.Option("--detector", "-d", help="Key of the detector.")] = "paper",
    threshold: Threshold = None,
    cutoffs: Annotated[
        Literal["ours", "paper"],
        typer.Option(help="Cutoffs of our registry, or those that the paper's clean totals imply."),
    ] = "ours",
    form: Formatted = "csv",
    siunitx: Siunitx = False,
    output: Output = "-",
    data: Data = DATA_DIR,
    database: Database = DATABASE,
) -> None:
    """Write our version of one of the paper's Tables 6 to 9 beside the paper's own cells."""
    from engine.export.paper import paper_table, printed_paper_table
    from engine.export.paper_comparison import compare_with_paper
    from engine.store.connection import Reader

    snapshot = Reader(database).snapshot()
    compared = compare_with_paper(snapshot, data, paper, detector, threshold, cutoffs=cutoffs)
    write_table(
        (printed_paper_table if form in PRINT_FORMATS else paper_table)(compared), form, output, siunitx
    )


def write_table(table: Table, form: FormatName, output: str, siunitx: bool = False) -> None:
    """Write a table to a file, or to standard output where `output` is `-`.

    Raises:
        BenchCheckerError: If the file cannot be written.
    """
    from engine.export.writers import encode
    from engine.problems import BenchCheckerError
    from engine.store.facts import replacing

    content = encode(table, form, siunitx=siunitx)
    if output == "-":
        sys.stdout.buffer.write(content)
        return
    try:
        with replacing(Path(output)) as temporary:
            temporary.write_bytes(content)
    except OSError as error:
        raise BenchCheckerError(f"{output} cannot be written: {error} (check --output)") from error
