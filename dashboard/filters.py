"""Filters: widgets that show what the address says and write back what the reader chooses.

The address is read first and the widget is set to it on every run, so the two cannot drift apart. A widget's
own value only counts in its callback, which puts it into the address.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import streamlit as st

from dashboard.address import Address, write
from dashboard.records import BenchmarkChoice, Catalogue, CutoffChoice, DetectorChoice
from engine.reading import printable
from engine.store.connection import Snapshot

ALL = "all"
_MODELS_NAMED = 2


@dataclass(frozen=True, slots=True)
class Scope:
    """What every page needs to know: the benchmark, and how its samples are labelled."""

    benchmark: BenchmarkChoice
    detector: DetectorChoice
    threshold: float

    def parameters(self) -> dict[str, str]:
        """Return the scope as the query string of a link."""
        return {"benchmark": self.benchmark.benchmark, **labelling(self.detector, self.threshold)}

    @property
    def level_titles(self) -> dict[str, str]:
        """Titles of the benchmark's levels of difficulty, easiest first."""
        return {level.difficulty: level.title for level in self.benchmark.levels}

    def notes(self, database: Snapshot) -> dict[str, str]:
        """Return the scope as the notes of a download."""
        return self.parameters() | {"database": database.version}


def labelling(detector: DetectorChoice, threshold: float) -> dict[str, str]:
    """Return detector and threshold as the query string of a link."""
    return {"detector": detector.detector, "threshold": f"{threshold:g}"}


def choose(
    address: Address,
    name: str,
    label: str,
    options: Mapping[str, str],
    *,
    default: str,
    clears: Sequence[str] = (),
    hint: str | None = None,
) -> str:
    """Offer one of `options` (titles by key) and return the key in the address.

    Args:
        address: The address of this run.
        name: Name in the address.
        label: Above the widget.
        options: Title by key.
        default: Key meant when the address says nothing.
        clears: Names taken out of the address when this one changes, because they depend on it.
        hint: Help text.
    """
    value = address.one_of(name, options, default)
    key = _seed(name, value)
    st.selectbox(
        label,
        list(options),
        format_func=lambda option: options.get(option, option),
        key=key,
        on_change=_chosen,
        args=(name, default, clears),
        help=hint,
        filter_mode="contains" if len(options) > 8 else None,
    )
    return value


def choose_many(
    address: Address,
    name: str,
    label: str,
    options: Mapping[str, str],
    empty: str,
    *,
    most: int | None = None,
) -> tuple[str, ...]:
    """Offer any of `options` (titles by key), at most `most`, and return those in the address.

    An address may hold more than `most`: the first ones count.
    """
    values = address.many_of(name, options)[:most]
    key = _seed(name, list(values))
    st.multiselect(
        label,
        list(options),
        format_func=lambda option: options.get(option, option),
        key=key,
        on_change=_chosen_many,
        args=(name,),
        placeholder=empty,
        max_selections=most,
        select_all=False,
    )
    return values


def choose_day(address: Address, name: str, label: str, first: date | None, last: date | None) -> date | None:
    """Offer a day and return the one in the address."""
    value = address.day(name)
    key = _seed(name, value)
    days = [day for day in (first, last, value) if day is not None]
    st.date_input(
        label,
        value=None,
        min_value=min(days, default=None),
        max_value=max(days, default=None),
        format="YYYY-MM-DD",
        key=key,
        on_change=_chosen_day,
        args=(name,),
    )
    return value


def choose_benchmark(address: Address, catalogue: Catalogue) -> BenchmarkChoice:
    """Offer the benchmarks."""
    titles = {choice.benchmark: choice.title for choice in catalogue.benchmarks}
    default = catalogue.benchmarks[0].benchmark
    dependent = ("difficulty", "framework", "model", "page", "submission", "first", "second")
    return catalogue.benchmark(
        choose(address, "benchmark", "Benchmark", titles, default=default, clears=dependent)
    )


def choose_detector(address: Address, catalogue: Catalogue) -> DetectorChoice:
    """Offer the detectors."""
    titles = {
        choice.detector: choice.title if choice.judged_samples else f"{choice.title} (not run yet)"
        for choice in catalogue.detectors
    }
    key = choose(
        address,
        "detector",
        "Detector",
        titles,
        default=catalogue.detectors[0].detector,
        clears=("threshold", "page"),
        hint="\n\n".join(f"**{choice.title}.** {choice.description}" for choice in catalogue.detectors),
    )
    return catalogue.detector(key)


def choose_threshold(address: Address, detector: DetectorChoice) -> float:
    """Offer the score from which a fix counts as present."""
    value = address.number("threshold", 0.0, 1.0, detector.threshold)
    key = _seed("threshold", value)
    st.slider(
        "Threshold",
        0.0,
        1.0,
        step=0.01,
        key=key,
        on_change=_chosen_number,
        args=("threshold", detector.threshold),
        help="A sample whose score is at least this counts as still in the repository. "
        f"The detector's own threshold is {detector.threshold:g}.",
    )
    return value


def choose_scope(address: Address, catalogue: Catalogue) -> Scope:
    """Offer benchmark, detector and threshold, in this order."""
    benchmark = choose_benchmark(address, catalogue)
    detector = choose_detector(address, catalogue)
    return Scope(benchmark, detector, choose_threshold(address, detector))


def choose_cutoff(
    address: Address,
    choices: Sequence[CutoffChoice],
    *,
    hint: str = "Last day of the training data, inclusive.",
) -> date | None:
    """Offer the cutoffs of the registry, latest first, and return the one in the address.

    Any other day in the address counts as well: a paper may link to a cutoff that no model here has.

    Returns:
        The cutoff, None where there is none to choose.
    """
    titles = {choice.cutoff.isoformat(): _cutoff_title(choice) for choice in choices}
    asked = address.day("cutoff")
    if asked is not None and asked.isoformat() not in titles:
        titles[asked.isoformat()] = f"{asked} · no model in the registry"
    if not titles:
        return None
    default = next(iter(titles))
    return date.fromisoformat(
        choose(address, "cutoff", "Training cutoff", titles, default=default, hint=hint)
    )


def _cutoff_title(choice: CutoffChoice) -> str:
    named = ", ".join(choice.models[:_MODELS_NAMED])
    more = len(choice.models) - _MODELS_NAMED
    return printable(f"{choice.cutoff} · {named}" + (f" and {more} more" if more > 0 else ""))


def clear(names: Iterable[str]) -> None:
    """Take `names` out of the address."""
    write(dict.fromkeys(names))


def _seed(name: str, value: object) -> str:
    key = f"filter-{name}"
    st.session_state[key] = value
    return key


def _chosen(name: str, default: str, clears: Sequence[str]) -> None:
    value = st.session_state[f"filter-{name}"]
    write({name: None if value == default else value, **dict.fromkeys(clears)})


def _chosen_many(name: str) -> None:
    write({name: st.session_state[f"filter-{name}"], "page": None})


def _chosen_day(name: str) -> None:
    day = st.session_state[f"filter-{name}"]
    write({name: None if day is None else day.isoformat(), "page": None})


def _chosen_number(name: str, default: float) -> None:
    number = st.session_state[f"filter-{name}"]
    write({name: None if number == default else f"{number:g}", "page": None})
