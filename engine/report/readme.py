"""The part of the README that a command writes: it must never differ from the facts."""

from __future__ import annotations

from pathlib import Path

from engine.export.findings import printed_findings
from engine.export.writers import to_markdown
from engine.problems import BenchCheckerError
from engine.report.findings import Findings
from engine.store.facts import replacing

START = "<!-- made by `benchchecker findings --readme README.md` -->"
END = "<!-- end -->"


def readme_part(found: Findings) -> str:
    """Return what stands between the markers."""
    return f"{START}\n{to_markdown(printed_findings(found))}{END}"


def write_readme(path: Path, found: Findings) -> bool:
    """Put the findings between the markers of a README; return whether that changed it.

    Raises:
        BenchCheckerError: If the file cannot be read or lacks the markers.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BenchCheckerError(f"{path} cannot be read: {error} (check --readme)") from error
    if text.count(START) != 1 or END not in text.partition(START)[2]:
        raise BenchCheckerError(f"{path.name}: add the lines {START} and {END} where the table belongs")
    before, _, rest = text.partition(START)
    changed = before + readme_part(found) + rest.partition(END)[2]
    if changed != text:
        with replacing(path) as temporary:
            temporary.write_text(changed, encoding="utf-8")
    return changed != text
