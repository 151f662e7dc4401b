"""`benchchecker audit`: how much of a results file's score is on samples the models cannot have seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.export import PRINT_FORMATS, write_table
from engine.cli.options import Data, Database, Detector, Threshold, read_day
from engine.paths import DATA_DIR, DATABASE

if TYPE_CHECKING:
    from engine.audit.audit import Audit

_PROBLEMS_SHOWN = 20
_REASONS_SHOWN = 3


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("audit")(audit)


def audit(
    file: Annotated[
        Path, typer.Argument(help="A harness report, results.json, response matrix or a submission's folder.")
    ],
    model: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", help="Model behind it, by key, alias or title; may be repeated."),
    ] = None,
    cutoff: Annotated[
        str | None,
        typer.Option(help="Last day of training data, 2025-03-31 or 2025-03; outweighs the models' own."),
    ] = None,
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", "-b", help="Key of the benchmark (default: as the ids say).")
    ] = None,
    detector: Detector = None,
    threshold: Threshold = None,
    submission: Annotated[
        str | None, typer.Option(help="Which one, of a file that holds several submissions.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Folder for the tables, as CSV, JSON, Parquet, LaTeX and Markdown."
        ),
    ] = None,
    data: Data = DATA_DIR,
    database: Database = DATABASE,
) -> None:
    """Audit a results file: the rate on contaminated and on clean samples, and whether they differ.

    Nothing is imported and nothing leaves this machine.
    """
    from engine.audit.audit import audit_file
    from engine.store.connection import Reader

    found = audit_file(
        Reader(database).snapshot(),
        file,
        models=model or (),
        cutoff=read_day(cutoff) if cutoff else None,
        benchmark=benchmark,
        detector=detector,
        threshold=threshold,
        submission=submission,
        data=data,
    )
    for problem in found.file.problems[:_PROBLEMS_SHOWN]:
        typer.echo(str(problem), err=True)
    if (more := len(found.file.problems) - _PROBLEMS_SHOWN) > 0:
        typer.echo(f"… and {more} more", err=True)
    for line in _told(found):
        typer.echo(line)
    if output is not None:
        _write(found, output)


def _write(audit: Audit, folder: Path) -> None:
    from engine.export.audit import audit_table, audited_samples, printed_audit
    from engine.export.writers import FORMATS, SUFFIXES
    from engine.problems import BenchCheckerError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BenchCheckerError(f"{folder} cannot be made: {error} (check --output)") from error
    for form in FORMATS:
        compared = (printed_audit if form in PRINT_FORMATS else audit_table)(audit)
        write_table(compared, form, str(folder / f"comparison.{SUFFIXES[form]}"))
        write_table(audited_samples(audit), form, str(folder / f"samples.{SUFFIXES[form]}"))
    typer.echo(f"{folder}: comparison and samples as {', '.join(FORMATS)}")


def _told(audit: Audit) -> Iterator[str]:
    """Yield the lines that a reader sees: names come from files, so each is one line of printable text."""
    from engine.export.audit import groups, printed_audit, printed_share

    whole, asked = audit.overall, audit.asked
    models = f" of {', '.join(asked.titles)}" if asked.titles else ""
    yield f"{audit.file.submission}: {audit.benchmark_title}, {whole.before.n} samples"
    labelling = f"detector {audit.detector} at {audit.threshold:g}"
    yield f"cutoff {asked.exposure.cutoff} ({asked.basis}){models}; {labelling}"
    yield ""
    yield f"verdict: {whole.judgement.verdict.value}"
    yield from (f"  {sentence}" for sentence in whole.judgement.sentences)
    yield ""
    yield f"before        {printed_share(whole.before, whole.before_interval)}"
    yield f"contaminated  {printed_share(whole.contaminated, whole.contaminated_interval)}"
    yield f"clean         {printed_share(whole.clean, whole.clean_interval)}"
    if whole.unknown.n:
        yield f"unknown       {whole.unknown.k}/{whole.unknown.n}, counted as neither"
        yield from (f"  {number}: {why}" for why, number in audit.unknown_reasons[:_REASONS_SHOWN])
    if whole.difference is not None and (bounds := whole.difference_interval) is not None:
        yield (
            f"clean minus contaminated {100 * whole.difference:+.1f} points "
            f"[{100 * bounds.low:+.1f} to {100 * bounds.high:+.1f}], p = {whole.p_value:.3g}"
        )
    yield ""
    yield from _columns([[str(cell) for cell in row] for row in printed_audit(audit).rows])
    small = sum(found.too_small for _, _, found in groups(audit))
    if small:
        yield f"{small} groups have too few clean or contaminated samples to say anything"


def _columns(rows: list[list[str]]) -> Iterator[str]:
    heading = ["", "before", "contaminated", "clean", "unknown", "verdict"]
    widths = [max(len(row[place]) for row in [heading, *rows]) for place in range(len(heading))]
    for row in [heading, *rows]:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
