"""The state of every page, kept in its address, so that a link reproduces the view.

The query string is the only place where a filter lives: a widget shows what the address says and writes back
what the reader chooses, and the browser's back button undoes a choice. A value that this database does not
know is not used, and `notice` says so: a link from last year may name a detector that is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TypeVar
from urllib.parse import urlencode

import streamlit as st

from dashboard import words

Changes = Mapping[str, str | Iterable[str] | None]
Default = TypeVar("Default")


@dataclass(slots=True)
class Address:
    """The query string of this run.

    Attributes:
        rejected: `name=value` of everything asked for that could not be used.
    """

    rejected: list[str] = field(default_factory=list)

    def text(self, name: str) -> str | None:
        """Return the value of `name`, None where it is absent or empty."""
        return st.query_params.get(name) or None

    def one_of(self, name: str, options: Iterable[str], default: str) -> str:
        """Return the value of `name` if it is one of `options`, else `default`."""
        value = self.text(name)
        if value is None:
            return default
        if value in set(options):
            return value
        return self._reject(name, value, default)

    def many_of(self, name: str, options: Iterable[str]) -> tuple[str, ...]:
        """Return the values of `name` that are among `options`, in the order of the options."""
        asked = {value for value in st.query_params.get_all(name) if value}
        known = tuple(option for option in options if option in asked)
        for value in sorted(asked.difference(known)):
            self._reject(name, value, None)
        return known

    def day(self, name: str) -> date | None:
        """Return the day in `name`, None where it is absent or no day."""
        value = self.text(name)
        if value is None:
            return None
        try:
            return date.fromisoformat(value)
        except ValueError:
            return self._reject(name, value, None)

    def number(self, name: str, low: float, high: float, default: float) -> float:
        """Return the number in `name` if it lies in [low, high], else `default`."""
        value = self.text(name)
        if value is None:
            return default
        try:
            number = float(value)
        except ValueError:
            return self._reject(name, value, default)
        return number if low <= number <= high else self._reject(name, value, default)

    def notice(self) -> None:
        """Tell the reader, once, which parts of the address could not be followed."""
        if self.rejected:
            asked = ", ".join(f"{words.markdown(entry)}" for entry in self.rejected)
            st.warning(
                f"This address asks for something the database does not have: {asked}. "
                "The view below leaves it out.",
                icon=":material/link_off:",
            )
            self.rejected.clear()

    def _reject(self, name: str, value: str, default: Default) -> Default:
        self.rejected.append(f"{name}={value[:80]}")
        return default


def write(changes: Changes) -> None:
    """Put `changes` into the address as one step of the browser's history; None takes a name out."""
    st.query_params.from_dict(_changed(changes))


def link(changes: Changes) -> str:
    """Return the address of this page with `changes`, relative to any page at the same place."""
    return f"?{urlencode(_changed(changes), doseq=True)}"


def _changed(changes: Changes) -> dict[str, list[str]]:
    current = {name: st.query_params.get_all(name) for name in st.query_params}
    for name, value in changes.items():
        current[name] = [] if value is None else [value] if isinstance(value, str) else list(value)
    return {name: values for name, values in current.items() if values}
