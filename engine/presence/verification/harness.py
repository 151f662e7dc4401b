"""The benchmarks' own evaluation harnesses, which run each sample in a container.

Neither is a dependency: they are started as commands of an environment that has them, and need Docker.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.benchmarks.sample import Sample
from engine.presence.verification.outcomes import State, TestOutcome
from engine.problems import BenchCheckerError

_MODEL = "benchchecker"
_PASS_SECONDS = 300
"""What the harness may take beyond the time that the tests themselves have."""


class HarnessMissing(BenchCheckerError):
    """The harness package or Docker is not at hand."""


class SwebenchRunner:
    """The `swebench` package: `python -m swebench.harness.run_evaluation`.

    Args:
        dataset: Data set name or file, as the harness takes it.
        seconds: Time for the tests of one sample.
        python: Interpreter that has the package.
    """

    name = "swebench"

    def __init__(self, dataset: str, seconds: int, python: Path | None = None) -> None:
        self._dataset = dataset
        self._seconds = seconds
        self._python = _require("swebench", python)

    def run(self, sample: Sample, diff: str, folder: Path) -> TestOutcome:
        """See `TestRunner.run`."""
        predictions = folder / "predictions.jsonl"
        entry = {"instance_id": sample.sample, "model_name_or_path": _MODEL, "model_patch": diff}
        predictions.write_text(json.dumps(entry) + "\n", encoding="utf-8", errors="surrogateescape")
        arguments = ["--dataset_name", self._dataset, "--predictions_path", predictions.name]
        arguments += ["--instance_ids", sample.sample, "--run_id", folder.name, "--max_workers", "1"]
        arguments += ["--timeout", str(self._seconds)]
        log = folder / "harness.log"
        command = [str(self._python), "-m", "swebench.harness.run_evaluation", *arguments]
        _start(command, folder, log, self._seconds)
        where = folder / "logs" / "run_evaluation" / folder.name / _MODEL / sample.sample
        return read_swebench_report(where, sample.sample, log)


class MultiSwebenchRunner:
    """The `multi-swe-bench` package: `python -m multi_swe_bench.harness.run_evaluation`.

    Args:
        dataset: The benchmark's data set file, as published.
        seconds: Time for the tests of one sample.
        python: Interpreter that has the package.
    """

    name = "multi-swe-bench"

    def __init__(self, dataset: str, seconds: int, python: Path | None = None) -> None:
        self._dataset = Path(dataset).resolve()
        self._seconds = seconds
        self._python = _require("multi_swe_bench", python)

    def run(self, sample: Sample, diff: str, folder: Path) -> TestOutcome:
        """See `TestRunner.run`."""
        owner, _, name = sample.repository.partition("/")
        predictions, configuration = folder / "predictions.jsonl", folder / "configuration.json"
        entry = {"org": owner, "repo": name, "number": sample.number, "fix_patch": diff}
        predictions.write_text(json.dumps(entry) + "\n", encoding="utf-8", errors="surrogateescape")
        configuration.write_text(json.dumps(self._configuration(predictions, folder)), encoding="utf-8")
        log = folder / "harness.log"
        arguments = ["-m", "multi_swe_bench.harness.run_evaluation", "--config", str(configuration)]
        _start([str(self._python), *arguments], folder, log, self._seconds)
        identity = f"{owner}/{name}:pr-{sample.number}"
        return read_multi_report(folder / "output" / "final_report.json", identity, log)

    def _configuration(self, predictions: Path, folder: Path) -> dict[str, Any]:
        return {
            "mode": "evaluation",
            "workdir": str(folder / "work"),
            "patch_files": [str(predictions)],
            "dataset_files": [str(self._dataset)],
            "force_build": False,
            "output_dir": str(folder / "output"),
            "specifics": [],
            "skips": [],
            "repo_dir": str(folder / "repos"),
            "need_clone": True,
            "global_env": [],
            "clear_env": True,
            "stop_on_error": False,
            "max_workers": 1,
            "max_workers_build_image": 1,
            "max_workers_run_instance": 1,
            "log_dir": str(folder / "logs"),
            "log_level": "INFO",
        }


def read_swebench_report(where: Path, sample: str, log: Path) -> TestOutcome:
    """Return the outcome that the `swebench` harness left in an instance's log folder."""
    run_log = where / "run_instance.log"
    kept = run_log if run_log.is_file() else log
    report = _read_object(where / "report.json").get(sample)
    if isinstance(report, dict) and report.get("patch_successfully_applied") is True:
        if report.get("resolved") is True:
            return TestOutcome(State.PASSED, "the harness reports it as resolved", kept)
        return TestOutcome(State.FAILED, "the harness reports it as not resolved", kept)
    text = kept.read_text(encoding="utf-8", errors="replace") if kept.is_file() else ""
    if re.search(r"Patch Apply Failed", text):
        return TestOutcome(State.DID_NOT_APPLY, "the harness could not apply the diff", kept)
    return TestOutcome(State.NOT_RUN, "the harness left no report; its log says why", kept)


def read_multi_report(report: Path, identity: str, log: Path) -> TestOutcome:
    """Return the outcome that the `multi-swe-bench` harness left in its final report."""
    found = _read_object(report)
    wanted = identity.lower()

    def listed(key: str) -> bool:
        return any(str(entry).lower() == wanted for entry in found.get(key) or ())

    if listed("resolved_ids"):
        return TestOutcome(State.PASSED, "the harness reports it as resolved", log)
    if listed("unresolved_ids"):
        return TestOutcome(State.FAILED, "the harness reports it as not resolved", log)
    return TestOutcome(State.NOT_RUN, "the harness left no verdict; its log says why", log)


def _read_object(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _require(package: str, python: Path | None) -> Path:
    """Return the interpreter to use.

    Raises:
        HarnessMissing: If the package or a running Docker is missing, with what to do.
    """
    distribution = package.replace("_", "-")
    if python is None and importlib.util.find_spec(package) is None:
        raise HarnessMissing(
            f"the package {distribution} is not installed: `pip install {distribution}`, or name an "
            "interpreter that has it with --python"
        )
    docker = shutil.which("docker")
    if docker is None or subprocess.run([docker, "info"], capture_output=True, check=False).returncode != 0:
        raise HarnessMissing(f"{distribution} runs samples in containers, and no Docker daemon answers here")
    return python if python is not None else Path(sys.executable)


def _start(command: Sequence[str], folder: Path, log: Path, seconds: int) -> None:
    with log.open("wb") as stream:
        try:
            subprocess.run(
                list(command),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                timeout=seconds + _PASS_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            stream.write(b"\nbenchchecker: the harness did not come to an end in time\n")
