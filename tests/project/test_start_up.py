"""The command line answers at once, and the dashboard needs no extra."""

from __future__ import annotations

import subprocess
import sys

import pytest
from test_declared_dependencies import brought_along, declared, distributions_of, extras, names_of

from engine.paths import PROJECT_ROOT

HEAVY = (
    "datasets",
    "duckdb",
    "git",
    "numpy",
    "pandas",
    "plotly",
    "pyarrow",
    "scipy",
    "sentence_transformers",
    "streamlit",
    "torch",
    "transformers",
    "tree_sitter",
)

REPORT_IMPORTS = """
import sys
from engine.cli.app import build_app
try:
    build_app()({arguments!r})
finally:
    print("\\nLOADED", *sorted(set({heavy!r}) & set(sys.modules)))
"""

IMPORT_ALL = """
import importlib, pkgutil, sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"{{name}} belongs to an extra", name=name)

sys.meta_path.insert(0, Blocker())
import dashboard, engine
for package in (engine, dashboard):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        # The entry points run when they are imported.
        if module.name not in ("engine.__main__", "dashboard.app"):
            importlib.import_module(module.name)
print("LOADED", len([name for name in sys.modules if name.startswith(("engine", "dashboard"))]))
"""


def python(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=PROJECT_ROOT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("arguments", [["--help"], ["label", "--help"], ["export", "leaderboard", "--help"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    output = python(REPORT_IMPORTS.format(arguments=arguments, heavy=HEAVY))
    assert "Usage:" in output
    assert output.splitlines()[-1] == "LOADED"


def test_every_module_can_be_imported_without_the_extras() -> None:
    """The commands that need one import it when they run, and say what to install."""
    optional = names_of(declared(*extras(dev=True))) - brought_along(names_of(declared()))
    blocked = {module for module, owners in distributions_of().items() if owners & optional}
    assert blocked >= {"pytest", "hypothesis"}
    output = python(IMPORT_ALL.format(blocked=blocked))
    assert int(output.split()[-1]) > 100
