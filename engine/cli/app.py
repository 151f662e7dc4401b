"""Assembles the command line.

A command group is a module with `register(app)`. Modules import what is heavy (torch, duckdb, git) inside
their commands, so that `benchchecker --help` answers at once.
"""

from __future__ import annotations

import errno
import importlib
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from engine.problems import BenchCheckerError

COMMAND_MODULES: tuple[str, ...] = (
    "engine.cli.audit",
    "engine.cli.build",
    "engine.cli.calibrate",
    "engine.cli.evaluate",
    "engine.cli.explain",
    "engine.cli.export",
    "engine.cli.findings",
    "engine.cli.import_",
    "engine.cli.label",
    "engine.cli.mine",
    "engine.cli.models",
    "engine.cli.overlap",
    "engine.cli.paper",
    "engine.cli.probe",
    "engine.cli.reference",
    "engine.cli.report",
    "engine.cli.verify",
)


class _Commands(TyperGroup):
    """Says what is wrong with a file that a command cannot read or write, without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # whoever read the output has gone: nothing to say to them
        except OSError as error:
            if error.filename is None and error.errno != errno.ENOSPC:
                raise
            from engine.reading import printable

            place = "" if error.filename is None else f"{printable(error.filename)}: "
            raise BenchCheckerError(
                f"{place}{error.strerror}; check the path, its permissions and the space on its disk"
            ) from error


def build_app() -> typer.Typer:
    """Return the whole command line with every group registered."""
    app = typer.Typer(
        name="benchchecker",
        cls=_Commands,
        help="How much of a code leaderboard is ability, and how much is memory.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
    )
    for module in COMMAND_MODULES:
        importlib.import_module(module).register(app)
    return app


def main() -> None:
    """Run the command line; errors a user can act on are printed without a traceback."""
    try:
        build_app()()
    except BenchCheckerError as error:
        print(f"benchchecker: {error}", file=sys.stderr)
        sys.exit(1)
