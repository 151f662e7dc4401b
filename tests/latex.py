"""Compiles LaTeX, where it can be had."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest


def compile_latex(folder: Path, bodies: Sequence[str], packages: str = "booktabs", between: str = "") -> None:
    """Hold LaTeX to compile as one document, every character in it; skip where it or a package is missing."""
    engine = shutil.which("pdflatex")
    if engine is None:
        pytest.skip("pdflatex is not installed")
    for package in packages.split(","):
        if subprocess.run(["kpsewhich", f"{package}.sty"], capture_output=True, check=False).returncode:
            pytest.skip(f"LaTeX's package {package} is not installed")
    document = (
        f"\\documentclass{{article}}\n\\usepackage{{{packages}}}\n\\begin{{document}}\n"
        + f"\n{between}\n".join(bodies)
        + "\n\\end{document}\n"
    )
    (folder / "t.tex").write_text(document, encoding="utf-8")
    done = subprocess.run(
        [engine, "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert "Missing character" not in (folder / "t.log").read_text(errors="replace")
    assert (folder / "t.pdf").stat().st_size > 0
