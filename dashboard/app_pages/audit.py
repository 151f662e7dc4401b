"""Audit a submission: how much of a results file's score is on samples the models cannot have seen?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from dashboard import audited, filters, queries, states, words
from dashboard.address import Address
from dashboard.database import snapshot
from dashboard.records import Catalogue, DetectorChoice
from engine.audit.audit import Audit, audit_file
from engine.audit.source import SeveralSubmissionsError
from engine.problems import BenchCheckerError, InvalidInputError
from engine.reading import MAX_DOCUMENT_BYTES, is_plain_name, printable
from engine.store.connection import Snapshot

_AUTO = "auto"
_NONE = "none"
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class _Asked:
    """Everything the address says about this page."""

    model: str | None
    cutoff: date | None
    benchmark: str | None
    detector: DetectorChoice
    threshold: float
    submission: str | None


def show() -> None:
    """Show the page."""
    database, address = snapshot(), Address()
    catalogue = queries.catalogue(database)
    st.title("How much of a results file is on clean samples?", anchor=False)
    if not catalogue.benchmarks or not catalogue.detectors:
        states.nothing_imported()
        return
    st.markdown(
        "Drop a results file and say which model wrote the patches, or its training cutoff. **It stays on "
        "the machine that serves this page**, your own if you started it there: the program counts, and "
        "forgets the file. Nothing is added to the leaderboard."
    )
    file = st.file_uploader(
        "Results file",
        key="audited-file",
        max_upload_size=MAX_DOCUMENT_BYTES // 2**20,
        help="A harness report, `results.json`, `per_instance_details.json` or a response matrix; JSON, JSON "
        'lines or Parquet. The least that will do: {"resolved_ids": ["django__django-11099"]}',
    )
    asked = _read(address, catalogue, database)
    address.notice()
    states.not_judged(asked.detector)
    if file is None or (asked.model is None and asked.cutoff is None):
        _say_what_is_missing(file is not None)
        return
    _audit(database, address, asked, file.name, file.getvalue())


def _read(address: Address, catalogue: Catalogue, database: Snapshot) -> _Asked:
    models = {row["model"]: row for row in queries.models(database) if row["cutoff"] is not None}
    titles = {key: printable(f"{row['title']} · {row['cutoff']}") for key, row in models.items()}
    benchmarks = {choice.benchmark: choice.title for choice in catalogue.benchmarks}
    with st.grid(5, min_column_width=160):
        model = filters.choose(
            address,
            "model",
            "Model",
            {_NONE: "Choose a model"} | titles,
            default=_NONE,
            hint="Its training cutoff decides which fixes it could have read.",
        )
        # Where both are given the day counts, and the model says which repositories were seen.
        cutoff = filters.choose_day(address, "cutoff", "Or a cutoff", date(2015, 1, 1), None)
        benchmark = filters.choose(
            address, "benchmark", "Benchmark", {_AUTO: "As the ids say"} | benchmarks, default=_AUTO
        )
        detector = filters.choose_detector(address, catalogue)
        threshold = filters.choose_threshold(address, detector)
    return _Asked(
        None if model == _NONE else model,
        cutoff,
        None if benchmark == _AUTO else benchmark,
        detector,
        threshold,
        address.text("submission"),
    )


def _say_what_is_missing(has_file: bool) -> None:
    missing = (
        "Now choose the **model** behind it, or give a **cutoff**: the last day of its training data."
        if has_file
        else "Nothing to show yet: drop a file above. The report that the benchmark's harness wrote will do, "
        'or the ids alone: `{"resolved_ids": ["django__django-11099", …]}`. Predictions say what was '
        "submitted, not what was resolved."
    )
    st.markdown(missing)
    st.markdown("The same without a browser, with the tables written to a folder:")
    states.commands(
        "benchchecker audit FILE --model MODEL -o audit\nbenchchecker audit FILE --cutoff 2025-03"
    )


def _audit(database: Snapshot, address: Address, asked: _Asked, name: str, content: bytes) -> None:
    shown = printable(name)
    try:
        with st.spinner("Counting …"):
            found = _audited(database, asked, name, content)
    except SeveralSubmissionsError as error:
        listed = {key: key for key in error.names}
        st.markdown(f"{words.markdown(shown)} holds {words.count(len(listed), 'submission')}. Which one?")
        filters.choose(address, "submission", "Submission", {_NONE: "Choose one"} | listed, default=_NONE)
        return
    except InvalidInputError as error:
        st.error(f"{words.markdown(shown)} cannot be audited.", icon=":material/error:")
        audited.show_problems(error.problems, shown)
        return
    except BenchCheckerError as error:
        st.error(
            f"{words.markdown(shown)} cannot be audited: {words.markdown(error)}.", icon=":material/error:"
        )
        return
    audited.show_verdict(found)
    audited.show_problems(found.file.problems, shown)
    audited.offer_files(database, found)
    audited.show_groups(found)


def _audited(database: Snapshot, asked: _Asked, name: str, content: bytes) -> Audit:
    with TemporaryDirectory() as folder:
        # A folder of its own gives `results.json` a name that says something.
        path = Path(folder) / "audited" / _file_name(name)
        path.parent.mkdir()
        path.write_bytes(content)
        return audit_file(
            database,
            path,
            models=() if asked.model is None else (asked.model,),
            cutoff=asked.cutoff,
            benchmark=asked.benchmark,
            detector=asked.detector.detector,
            threshold=asked.threshold,
            submission=asked.submission,
        )


def _file_name(name: str) -> str:
    """Return a name that can be written anywhere; its end tells how the file is read."""
    last = name.replace("\\", "/").rpartition("/")[2]
    if is_plain_name(last) and len(last.encode()) <= _LONGEST_NAME:
        return last
    suffix = Path(last).suffix.casefold()
    return f"audited{suffix}" if suffix.isascii() and suffix[1:].isalnum() else "audited"
