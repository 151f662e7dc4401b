"""Which command made each fact file, from what, and with which versions: `data/run.jsonl`, one run a line."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from engine.problems import BenchCheckerError
from engine.store.facts import column_types, replacing, table
from engine.store.locking import exclusive
from engine.store.schema import FACTS

RUNS_NAME = "run.jsonl"
_PACKAGES = (
    "benchchecker",
    "duckdb",
    "gitpython",
    "numpy",
    "pyarrow",
    "rapidfuzz",
    "scipy",
    "tree-sitter",
    "tree-sitter-java",
    "tree-sitter-python",
    "unidiff",
)


def installed_versions() -> dict[str, str]:
    """Return the version of Python and of every package that can change a fact."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def fact_digests(data: Path) -> dict[str, str]:
    """Return the SHA-256 of every fact file that `data` has, by file name, in the order of the schema."""
    paths = [data / f"{fact.name}.{fact.suffix}" for fact in FACTS]
    return {path.name: file_sha256(path) for path in paths if path.is_file()}


def data_sha256(data: Path) -> str:
    """Return one digest over the names and contents of all fact files of `data`."""
    return hashlib.sha256(json.dumps(fact_digests(data)).encode()).hexdigest()


def read_runs(data: Path) -> list[dict[str, Any]]:
    """Read the recorded runs, oldest first; a missing file has none.

    Raises:
        BenchCheckerError: If a line is not a JSON object.
    """
    path = data / RUNS_NAME
    if not path.exists():
        return []
    runs = []
    with path.open(encoding="utf-8") as stream:
        for number, line in enumerate(stream, start=1):
            try:
                run = json.loads(line)
                instants = {key: datetime.fromisoformat(run[key]) for key in ("started_at", "finished_at")}
                runs.append({column: run[column] for column in column_types(table("run"))} | instants)
            except (ValueError, KeyError, TypeError) as error:
                raise BenchCheckerError(
                    f"{path.name}:{number}: {error!r} (repair or delete the line)"
                ) from error
    return runs


def record_run(
    data: Path,
    command: str,
    configuration: Mapping[str, Any],
    inputs: Mapping[str, Path | str],
    outputs: Iterable[Path],
    *,
    started_at: datetime | None = None,
) -> str:
    """Record that `command` made `outputs`. The same run recorded again changes nothing.

    Args:
        data: Data folder, whose `run.jsonl` is appended to.
        command: What was typed, without paths of one machine.
        configuration: Settings that can change the outputs; values that JSON can hold.
        inputs: What was read, by a name that means something elsewhere: a file, which is hashed, or the
            revision of what is not a file (a commit, a data set's revision).
        outputs: Files written, within `data`.
        started_at: Start of the run, UTC; now if left out.

    Returns:
        The run's id, a digest of command, configuration, inputs and outputs.
    """
    finished_at = datetime.now(UTC)
    what = {
        "command": command,
        "configuration": dict(configuration),
        "inputs": {
            name: file_sha256(value) if isinstance(value, Path) else value for name, value in inputs.items()
        },
        "outputs": {path.relative_to(data).as_posix(): file_sha256(path) for path in outputs},
    }
    run = hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:16]
    record = {
        "run": run,
        **what,
        "started_at": (started_at or finished_at).astimezone(UTC).isoformat(timespec="seconds"),
        "finished_at": finished_at.isoformat(timespec="seconds"),
        "versions": installed_versions(),
    }
    with exclusive(data):
        if all(known["run"] != run for known in read_runs(data)):
            path = data / RUNS_NAME
            before = path.read_text(encoding="utf-8") if path.exists() else ""
            with replacing(path) as temporary:
                temporary.write_text(before + json.dumps(record) + "\n", encoding="utf-8", newline="\n")
    return run


def run_rows(data: Path) -> list[dict[str, Any]]:
    """Return the rows of the table `run`."""
    nested = ("versions", "configuration", "inputs", "outputs")
    return [run | {key: json.dumps(run[key], sort_keys=True) for key in nested} for run in read_runs(data)]
