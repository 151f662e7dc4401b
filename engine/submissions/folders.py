"""Finds the submissions in a folder of the public experiments.

A split holds one folder a submission, each with `metadata.yaml` and its results, at
`evaluation/<split>/<folder>` for SWE-bench and `evaluation/<language>/<split>/<folder>` for Multi-SWE-bench.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine.problems import Problem, Severity
from engine.reading import clean_name, is_plain_name

METADATA_NAME = "metadata.yaml"
RESULT_NAMES = (
    "results/results.json",
    "results.json",
    "per_instance_details.json",
    "final_report.json",
    "results/final_report.json",
    "report.json",
    "results/report.json",
)
PREDICTION_NAMES = ("all_preds.jsonl", "preds.json", "all_preds.json", "preds.jsonl")
_FILE_SUFFIXES = {".json", ".jsonl", ".ndjson"}


def is_submission_folder(folder: Path) -> bool:
    """Whether a folder holds one submission."""
    return any((folder / name).is_file() for name in (METADATA_NAME, *RESULT_NAMES))


def first_file(folder: Path, names: tuple[str, ...]) -> Path | None:
    """Return the first of `names` that is a file inside `folder`, links out of it refused."""
    root = folder.resolve()
    for name in names:
        path = folder / name
        if path.is_file() and path.resolve().is_relative_to(root):
            return path
    return None


def submissions_in(folder: Path) -> Iterator[Path | Problem]:
    """Yield the submission folders of a split, or the result files of a flat folder, sorted by name.

    A link that leads out of the folder, and a name that could not be one folder's, are problems.
    """
    if is_submission_folder(folder):
        yield folder
        return
    root = folder.resolve()
    found = False
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if not path.resolve().is_relative_to(root):
            yield _refused(path, "leads out of the folder", "copy what it points to")
        elif not is_plain_name(path.name):
            yield _refused(path, "has a name that cannot be read safely", "rename it")
        elif path.is_dir() and not is_submission_folder(path):
            yield _refused(path, "holds no results", "nothing, if it is no submission", Severity.WARNING)
        elif path.is_dir() or path.suffix in _FILE_SUFFIXES:
            found = True
            yield path
    if not found:
        message = "holds no submission: no metadata.yaml, results or reports, here or one level down"
        yield _refused(folder, message, "give the folder of one split, such as evaluation/verified")


def name_from_file(path: Path) -> str:
    """Return the submission that a result file belongs to: its folder for a standard name, else its stem."""
    standard = {Path(name).name for name in (*RESULT_NAMES, *PREDICTION_NAMES)}
    if path.name not in standard:
        return path.stem
    folder = path.resolve().parent
    return folder.parent.name if folder.name == "results" else folder.name


def _refused(path: Path, message: str, remedy: str, severity: Severity = Severity.ERROR) -> Problem:
    return Problem(str(path), None, clean_name(path.name), message, remedy, severity)
