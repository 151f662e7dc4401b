"""Writes a report: every table in every format, every figure, their captions, and a page with all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from plotly.graph_objects import Figure
from plotly.offline import get_plotlyjs

from engine.export import latex
from engine.export.table import Column, Table
from engine.export.writers import SUFFIXES, Format, as_markdown, encode, to_csv
from engine.problems import BenchCheckerError
from engine.report.images import FORMATS as IMAGES
from engine.report.images import write_images
from engine.report.page import Shown, document, figure_piece, inert, page
from engine.report.part import Part
from engine.store.facts import replacing

TABLES: tuple[Format, ...] = ("csv", "parquet", "latex", "markdown")
_PRINTED: tuple[Format, ...] = ("latex", "markdown")
_PLOTLY = "plotly.min.js"
_CONTENTS = (Column("file"), Column("kind"), Column("caption"))


@dataclass(frozen=True, slots=True)
class Written:
    """What was written.

    Attributes:
        page: The page.
        tables: How many tables.
        figures: How many figures.
        no_images: Why there is no SVG, PNG and PDF, None where there is.
    """

    page: Path
    tables: int
    figures: int
    no_images: str | None


def write_report(
    parts: Iterable[Part],
    folder: Path,
    *,
    intro: Sequence[str] = (),
    siunitx: bool = False,
    images: bool = True,
    told: Callable[[str], None] = lambda _: None,
) -> Written:
    """Write a report into a folder; files of an earlier one are replaced.

    Args:
        parts: What it has.
        folder: Where to.
        intro: Paragraphs at the head of the page.
        siunitx: Align numbers in LaTeX by siunitx.
        images: Whether to draw SVG, PNG and PDF, which needs a browser.
        told: Called with the name of each part once it is written.

    Raises:
        BenchCheckerError: If the folder cannot be written to.
    """
    try:
        return _Writer(folder, siunitx).write(parts, intro, images, told)
    except OSError as error:
        raise BenchCheckerError(f"{folder} cannot be written to: {error} (check --output)") from error


@dataclass(frozen=True, slots=True)
class _Writer:
    folder: Path
    siunitx: bool

    def write(
        self, parts: Iterable[Part], intro: Sequence[str], images: bool, told: Callable[[str], None]
    ) -> Written:
        for name in ("tables", "figures"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        shown: list[Shown] = []
        figures: dict[str, Figure] = {}
        for part in parts:
            figure = part.draw() if part.draw is not None else None
            if figure is not None:
                figures[part.name] = figure
            piece = None if figure is None else figure_piece(figure, part.name)
            shown.append(Shown(part, self._files(part, piece), piece))
            told(part.name)
        reason = write_images(figures, self.folder / "figures") if images else "they were not asked for"
        drawn = [] if reason is not None else [self._image_files(each) for each in shown if each.figure]
        plotly = get_plotlyjs()
        self._put(f"figures/{_PLOTLY}", plotly)
        said = [*intro, *([f"Figures are HTML only: {reason}."] if reason else [])]
        self._put("contents.csv", to_csv(_contents(shown, [file for files in drawn for file in files])))
        self._put("index.html", page("BenchChecker report", said, shown, plotly))
        return Written(self.folder / "index.html", len(shown), len(figures), reason)

    def _files(self, part: Part, piece: str | None) -> tuple[str, ...]:
        files = []
        for form in TABLES:
            table = part.shown if form in _PRINTED else part.table
            content = encode(table, form, siunitx=self.siunitx)
            if form == "latex":
                content = _floating(part, content.decode()).encode()
            elif form == "markdown":
                content = f"{as_markdown(part.caption)}\n\n{content.decode()}".encode()
            files.append(self._put(f"tables/{part.name}.{SUFFIXES[form]}", content))
        if piece is not None:
            caption = f'<p class="caption">{inert(part.caption)}</p>'
            body = f"<h1>{inert(part.title)}</h1>{piece}{caption}"
            head = f'<script src="{_PLOTLY}"></script>'
            files.append(
                self._put(f"figures/{part.name}.html", document(part.title, body, head, beside=True))
            )
        return tuple(files)

    def _image_files(self, shown: Shown) -> tuple[tuple[str, Part], ...]:
        part = shown.part
        caption = latex.escape(part.caption)
        text = (
            f"\\begin{{figure}}\n\\centering\n\\includegraphics[width=\\linewidth]{{figures/{part.name}.pdf}}\n"
            f"\\caption{{{caption}}}\n\\label{{fig:{part.name}}}\n\\end{{figure}}\n"
        )
        included = self._put(f"figures/{part.name}.tex", f"% needs \\usepackage{{graphicx}}\n{text}")
        return (*((f"figures/{part.name}.{form}", part) for form in IMAGES), (included, part))

    def _put(self, name: str, content: str | bytes) -> str:
        with replacing(self.folder / name) as temporary:
            temporary.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name


def _floating(part: Part, tabular: str) -> str:
    head, begin, rest = tabular.partition("\\begin{tabular}")
    caption = latex.escape(part.caption)
    return (
        f"{head}\\begin{{table}}\n\\centering\n\\caption{{{caption}}}\n\\label{{tab:{part.name}}}\n"
        f"{begin}{rest}\\end{{table}}\n"
    )


def _contents(shown: Sequence[Shown], drawn: Sequence[tuple[str, Part]]) -> Table:
    rows = [
        (file, file.partition("/")[0].removesuffix("s"), each.part.caption)
        for each in shown
        for file in each.files
    ]
    rows += [(file, "figure", part.caption) for file, part in drawn]
    return Table(_CONTENTS, tuple(rows))
