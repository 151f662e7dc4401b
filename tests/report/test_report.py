"""A report has every table in every format with its caption, needs nothing else, and runs no name."""

from __future__ import annotations

import csv
import re
from dataclasses import asdict
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from chromium import MISSING, chromium
from latex import compile_latex
from playwright.sync_api import Browser
from tiny_facts import write_tiny_facts
from typer.testing import CliRunner

from dashboard import theme
from engine.cli.app import build_app
from engine.export.table import Column, Table
from engine.export.writers import SUFFIXES
from engine.report import drawing
from engine.report.images import CHROMIUM_VARIABLE, write_images
from engine.report.part import Part, file_name
from engine.report.parts import parts
from engine.report.writing import TABLES, Written, write_report
from engine.store.build import build_database
from engine.store.connection import Reader
from engine.store.facts import read_facts, write_facts

HOSTILE = (
    "</script><script>window.hacked=1</script>",
    '<img src=x onerror="window.hacked=1">',
    '=HYPERLINK("http://localhost","x")',
    "**b** [x](javascript:window.hacked=1) `c` | d",
    r"50%_of\it & $x$ #1 {y} ^z~ \end{document}",
)
VOID = {"meta", "br", "img", "link", "input", "hr"}


class Elements(HTMLParser):
    """Every element of a page with its attributes, and the text outside scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def elements(page: Path) -> list[tuple[str, dict[str, str | None]]]:
    parser = Elements()
    parser.feed(page.read_text(encoding="utf-8"))
    return parser.found


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Written, Path]:
    """A report on a small world in which every name is meant to do harm."""
    folder = tmp_path_factory.mktemp("hostile")
    data = folder / "data"
    write_tiny_facts(data)
    rows = read_facts(data, "submission")
    for place, row in enumerate(rows):
        row["title"] = HOSTILE[place % len(HOSTILE)]
        row["framework"] = HOSTILE[(place + 1) % len(HOSTILE)]
    write_facts(data, "submission", rows)
    for name in ("benchmark", "model"):
        text = (data / f"{name}.toml").read_text(encoding="utf-8")
        for title, harmful in (("Hard", HOSTILE[1]), ("Old", HOSTILE[0])):
            text = text.replace(f'title = "{title}"', f"title = '{harmful}'")
        (data / f"{name}.toml").write_text(text, encoding="utf-8")
    facts = Reader(build_database(data, folder / "facts.duckdb").database).snapshot()
    out = folder / "report"
    return write_report(parts(facts, data), out, siunitx=True, images=False), out


def test_every_table_has_every_format_and_a_caption(hostile: tuple[Written, Path]) -> None:
    written, out = hostile
    listed = list(csv.DictReader((out / "contents.csv").open(encoding="utf-8")))
    files = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert {row["file"] for row in listed} == files - {"index.html", "contents.csv", "figures/plotly.min.js"}
    tables = [row["file"] for row in listed if row["kind"] == "table"]
    assert len(tables) == written.tables * len(TABLES) > 0
    assert {name.rpartition(".")[2] for name in tables} == {SUFFIXES[form] for form in TABLES}
    assert written.figures == sum(row["kind"] == "figure" for row in listed) > 0
    for row in listed:
        assert re.search(r"\. n = \d+ .*; detectors? \w+.*data [0-9a-f]{12}\.$", row["caption"]), row


def test_the_page_needs_nothing_else_and_holds_the_library_once(hostile: tuple[Written, Path]) -> None:
    written, _ = hostile
    found = elements(written.page)
    sources = [attributes.get("src") for _, attributes in found if "src" in attributes]
    assert sources == []
    links = [attributes["href"] for _, attributes in found if "href" in attributes]
    assert links
    assert all(re.fullmatch(r"#s\d+|(tables|figures)/[\w.-]+", str(link)) for link in links)
    assert written.page.read_text(encoding="utf-8").count("plotly.js v") == 1
    assert [tag for tag, _ in found].count("script") == 1 + written.figures


def test_no_name_becomes_markup(hostile: tuple[Written, Path]) -> None:
    _, out = hostile
    for page in out.rglob("*.html"):
        tags = {tag for tag, _ in elements(page)}
        assert "img" not in tags, page
        text = page.read_text(encoding="utf-8")
        assert HOSTILE[0] not in text
    for path in (out / "tables").glob("*.md"):
        assert "<script" not in path.read_text(encoding="utf-8")
        assert not re.search(r"(?<!\\)\]\(javascript", path.read_text(encoding="utf-8"))
    for path in (out / "tables").glob("*.csv"):
        for row in csv.reader(path.open(encoding="utf-8")):
            assert not any(cell.startswith(("=", "@", "+")) for cell in row), path
    titles = pq.read_table(out / "tables" / "tiny-paper-leaderboard.parquet").column("title").to_pylist()
    assert set(HOSTILE) == set(titles)


def test_every_table_compiles_with_its_caption(hostile: tuple[Written, Path], tmp_path: Path) -> None:
    _, out = hostile
    texts = [path.read_text(encoding="utf-8") for path in sorted((out / "tables").glob("*.tex"))]
    assert all("\\caption{" in text and "\\label{tab:" in text for text in texts)
    compile_latex(tmp_path, texts, "booktabs,siunitx", between="\\clearpage")


@pytest.mark.browser
def test_in_a_browser_figures_are_drawn_and_no_name_runs(
    hostile: tuple[Written, Path], browser: Browser
) -> None:
    written, out = hostile
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    for file in (written.page, next((out / "figures").glob("*leaderboard.html"))):
        page.goto(file.as_uri())
        page.locator(".main-svg").first.wait_for()
        assert page.evaluate("window.hacked") is None
        assert page.locator("img[src='x']").count() == 0
    assert errors == []
    page.close()


def test_figures_wear_the_colours_of_the_dashboard() -> None:
    light = asdict(theme.LIGHT)
    for name in ("text", "muted", "line", "before", "clean", "contaminated", "unknown"):
        assert getattr(drawing, name.upper()) == light[name], name


def part(**changes: Any) -> Part:
    table = Table((Column("x", "real"),), ((1.0,),), (("detector", "traced"), ("data", "0" * 64)))
    known = {"name": "one", "section": "S", "title": "One", "counted": "n = 1 sample", "table": table}
    return Part(**known | changes)


def figure_part() -> Part:
    marks = [drawing.Mark(HOSTILE[0], 0.5, None, 0.6)]
    return part(draw=lambda: drawing.dumbbells(marks))


def test_images_are_drawn_where_there_is_a_browser(tmp_path: Path) -> None:
    pytest.importorskip("kaleido")
    if chromium() is None:
        pytest.skip(MISSING)
    written = write_report([figure_part()], tmp_path)
    assert written.no_images is None
    svg = (tmp_path / "figures" / "one.svg").read_text(encoding="utf-8")
    assert svg.startswith("<svg")
    assert "<script" not in svg
    assert (tmp_path / "figures" / "one.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "figures" / "one.pdf").read_bytes().startswith(b"%PDF")
    assert "\\caption{One. n = 1 sample; detector traced; data 000000000000.}" in (
        tmp_path / "figures" / "one.tex"
    ).read_text(encoding="utf-8")


def test_without_a_browser_the_report_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("kaleido")
    monkeypatch.setenv(CHROMIUM_VARIABLE, str(tmp_path / "no-browser"))
    written = write_report([figure_part()], tmp_path / "out")
    assert written.no_images is not None
    assert "install Chromium" in written.no_images
    assert "Figures are HTML only" in written.page.read_text(encoding="utf-8")
    assert (tmp_path / "out" / "figures" / "one.html").is_file()
    assert not (tmp_path / "out" / "figures" / "one.svg").exists()


def test_nothing_to_draw_needs_no_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHROMIUM_VARIABLE, str(tmp_path / "no-browser"))
    assert write_images({}, tmp_path) is None


def test_a_name_of_a_part_is_a_name_of_a_file() -> None:
    assert file_name("a/b", "../c d", "") == "a-b-c-d"
    with pytest.raises(ValueError, match="cannot be the name of a file"):
        part(name="../x")


def test_the_command_writes_a_report(tiny_database: Path, tmp_path: Path) -> None:
    words = ["report", "-o", str(tmp_path / "r"), "--no-images", "--database", str(tiny_database)]
    done = CliRunner().invoke(build_app(), [*words, "--data", str(tmp_path), "--detector", "paper"])
    assert done.exit_code == 0, done.output
    assert f"{tmp_path / 'r' / 'index.html'}: " in done.stdout
    assert (tmp_path / "r" / "tables" / "tiny-paper-leaderboard.csv").is_file()
    refused = CliRunner().invoke(build_app(), [*words, "--detector", "gone"])
    assert "no detector is called 'gone'" in str(refused.exception)
