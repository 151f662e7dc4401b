"""Says what is wrong with a file that a command cannot read or write, without a traceback."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from engine.problems import BenchCheckerError

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


def plain_file_errors(command: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Make a command end with the system's word on a file and not with a traceback."""

    @wraps(command)
    def guarded(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
        try:
            return command(*args, **kwargs)
        except BrokenPipeError:
            raise  # whoever read the output has gone: nothing to say to them
        except OSError as error:
            place = "" if error.filename is None else f"{printable(str(error.filename))}: "
            raise BenchCheckerError(
                f"{place}{error.strerror or error}; check the path, its permissions and the space on its disk"
            ) from error

    return guarded


def printable(text: str) -> str:
    """Return text with what a terminal would act on replaced."""
    return "".join(mark if mark.isprintable() else "\N{REPLACEMENT CHARACTER}" for mark in text)
