from __future__ import annotations

import csv
import io
import json
import math
import re
from datetime import date
from pathlib import Path
from typing import get_args

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from latex import compile_latex

from engine.cli import export as cli_export
from engine.export import latex
from engine.export.table import Column, Table, from_records
from engine.export.writers import (
    FORMATS,
    Format,
    encode,
    to_csv,
    to_json,
    to_latex,
    to_markdown,
    to_parquet,
)

HOSTILE = (
    r"a_b%c&d#e$f{g}h~i^j\k",
    "<script>alert(1)</script>",
    '=HYPERLINK("http://localhost","x")',
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1:A9)",
    "\tTAB first",
    "\rCR first",
    "＝1+1",
    "[bracket] first",
    "*star first",
    " [bracket after a space",
    "line\nbreak | pipe",
    "**bold** [x](javascript:alert(1)) `code` ![i](x)",
    "naïve Łódź Ωμέγα Привет 日本語 😀 – — … “q” →",
    "a--b --- ?`x` !`y` ,,z <<w>>",
    "\\input{/etc/passwd} \\\\ \\end{tabular}",
    "\x00\x07\u202e\u200b",
    "",
    "   ",
)

COLUMNS = (
    Column("name", title="Name & more_%"),
    Column("count", "integer", title="n"),
    Column("rate", "real", title="Rate", decimals=1),
    Column("open", "boolean"),
    Column("day", "day"),
)


def hostile_table() -> Table:
    rows = tuple(
        (text, index, -1.25 * index, index % 2 == 0, date(2025, 1, 31)) for index, text in enumerate(HOSTILE)
    )
    empty = (None, None, None, None, None)
    odd = ("nan", -3, math.nan, False, None)
    return Table(COLUMNS, (*rows, empty, odd), (("detector", "pa_per%"), ("threshold", "0.7")))


def read_csv(text: str) -> list[dict[str, str]]:
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    return [dict(zip(header, row, strict=True)) for row in rows]


def test_csv_keeps_values_and_disarms_formulas() -> None:
    rows = read_csv(to_csv(hostile_table()))
    assert len(rows) == len(HOSTILE) + 2
    for text, found in zip(HOSTILE, rows, strict=False):
        assert found["name"].removeprefix("'") == text.replace("\r", " ")
        assert not found["name"].startswith(("=", "+", "-", "@", "\t", "\r", "＝"))
    assert rows[1]["rate"] == "-1.25"
    assert rows[0]["open"] == "true"
    assert rows[0]["day"] == "2025-01-31"
    assert set(rows[-2].values()) == {""}
    assert rows[-1]["rate"] == ""


@given(st.text())
def test_no_text_is_a_formula_in_csv(text: str) -> None:
    (found,) = read_csv(to_csv(Table((Column("x"), Column("y", "integer")), ((text, 1),))))
    assert found["x"].removeprefix("'") == text.replace("\r", " ").removeprefix("'")
    assert not found["x"].startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert not found["x"].lstrip().startswith(("=", "+", "-", "@"))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_survive_csv_and_json_exactly(number: float) -> None:
    table = Table((Column("x", "real"),), ((number,),))
    assert float(read_csv(to_csv(table))[0]["x"]) == number
    assert json.loads(to_json(table))[0]["x"] == number


def test_json_keeps_text_as_it_is() -> None:
    records = json.loads(to_json(hostile_table()))
    assert [record["name"] for record in records[: len(HOSTILE)]] == list(HOSTILE)
    assert records[-1] == {"name": "nan", "count": -3, "rate": None, "open": False, "day": None}


def test_parquet_keeps_types_text_and_notes() -> None:
    found = pq.read_table(io.BytesIO(to_parquet(hostile_table())))
    assert [str(field.type) for field in found.schema] == [
        "string",
        "int64",
        "double",
        "bool",
        "date32[day]",
    ]
    assert found.column("name").to_pylist()[: len(HOSTILE)] == list(HOSTILE)
    assert found.column("day").to_pylist()[0] == date(2025, 1, 31)
    assert found.column("rate").to_pylist()[-1] is None
    assert found.schema.metadata[b"detector"] == b"pa_per%"


def test_latex_has_a_dash_for_what_is_missing_and_a_minus_for_negative_numbers() -> None:
    text = to_latex(hostile_table())
    assert "-- & -- & -- & -- & -- \\\\" in text
    assert "$-1.2$" in text
    assert "$-3$ & -- & no & --" in text
    assert text.isascii()


@pytest.mark.parametrize("text", HOSTILE)
def test_latex_escapes_every_special_character(text: str) -> None:
    escaped = latex.escape(text)
    bare = escaped
    for command in (r"\_", r"\%", r"\&", r"\#", r"\$", r"\{", r"\}"):
        bare = bare.replace(command, "")
    assert not set("_%&#$~^") & set(bare)
    assert bare.count("{") == bare.count("}")
    assert not escaped.startswith(("[", "*"))


def test_latex_compiles_with_hostile_names(tmp_path: Path) -> None:
    compile_latex(tmp_path, [to_latex(hostile_table())])


def test_siunitx_columns_compile_and_hold_every_number(tmp_path: Path) -> None:
    text = to_latex(hostile_table(), siunitx=True)
    assert text.startswith("% needs \\usepackage{booktabs,siunitx}")
    assert "\\begin{tabular}{lS[table-format=-2.0]S[table-format=-2.1]rr}" in text
    assert "{n} & {Rate}" in text
    assert "& {--} & {--} &" in text
    empty = to_latex(Table(COLUMNS, ((None,) * len(COLUMNS),)), siunitx=True)
    compile_latex(tmp_path, [text, empty], "booktabs,siunitx")


def test_latex_of_empty_tables_compiles(tmp_path: Path) -> None:
    compile_latex(tmp_path, [to_latex(Table(COLUMNS, ())), to_latex(Table((Column("x"),), ((None,),)))])


@given(texts=st.lists(st.text(max_size=20), min_size=200, max_size=200))
@settings(max_examples=3, deadline=None)
def test_latex_compiles_with_any_text(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    table = Table((Column("x"), Column("y")), tuple((text, text) for text in texts))
    compile_latex(tmp_path_factory.mktemp("latex"), [to_latex(table)])


def test_markdown_shows_names_as_text() -> None:
    lines = to_markdown(hostile_table()).splitlines()
    assert lines[1] == "| --- | --: | --: | --: | --: |"
    body = lines[2 : 2 + len(HOSTILE)]
    assert len(body) == len(HOSTILE)
    for line in body:
        assert "<script" not in line
        assert not re.search(r"(?<!\\)[\[\]`*]", line)
        assert len(re.findall(r"(?<!\\)\|", line)) == len(COLUMNS) + 1
    assert lines[2 + len(HOSTILE)] == "| – | – | – | – | – |"
    assert lines[-1] == "detector: pa\\_per%; threshold: 0.7"


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_writes_bytes_of_the_same_table(form: Format) -> None:
    written = encode(hostile_table(), form)
    assert isinstance(written, bytes)
    assert b"script" in written


def test_the_command_line_knows_every_format() -> None:
    assert get_args(cli_export.FormatName) == FORMATS


def test_a_table_has_one_value_a_column_and_no_name_twice() -> None:
    with pytest.raises(ValueError, match="2 values for 1 columns"):
        Table((Column("a"),), ((1, 2),))
    with pytest.raises(ValueError, match="same name"):
        Table((Column("a"), Column("a")), ())
    with pytest.raises(KeyError):
        from_records((Column("a"),), [{"b": 1}])
