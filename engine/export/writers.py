"""Writes a table in each format. The command line and the dashboard's downloads both use this."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable
from datetime import date
from typing import Literal, get_args

import pyarrow as pa
import pyarrow.parquet as pq

from engine.export import latex
from engine.export.table import Column, Kind, Table, Value

Format = Literal["csv", "json", "latex", "parquet", "markdown"]
FORMATS: tuple[Format, ...] = get_args(Format)
SUFFIXES: dict[Format, str] = {
    "csv": "csv",
    "json": "json",
    "latex": "tex",
    "parquet": "parquet",
    "markdown": "md",
}
"""Ends of the names of files, without the dot."""

# A spreadsheet runs a cell that begins like this as a formula; the wide forms count in some of them.
_FORMULA_STARTS = tuple("=+-@＝＋－＠")
_MARKDOWN_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_DASH = "–"
_ARROW_TYPES: dict[Kind, pa.DataType] = {
    "text": pa.string(),
    "integer": pa.int64(),
    "real": pa.float64(),
    "boolean": pa.bool_(),
    "day": pa.date32(),
}


def to_csv(table: Table) -> str:
    """Return CSV with a header; a missing value is empty.

    Text that a spreadsheet would run as a formula gets an apostrophe in front; numbers are left as they are.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([_inert(column.name) for column in table.columns])
    writer.writerows([_csv_value(value) for value in row] for row in table.rows)
    return stream.getvalue()


def to_json(table: Table) -> str:
    """Return a JSON array with an object for each row; a missing value is null, a day `YYYY-MM-DD`."""
    names = [column.name for column in table.columns]
    records = [dict(zip(names, map(_json_value, row), strict=True)) for row in table.rows]
    return json.dumps(records, ensure_ascii=False, indent=1) + "\n"


def to_parquet(table: Table) -> bytes:
    """Return a Parquet file with typed columns and the notes as metadata of its schema."""
    schema = pa.schema(
        [(column.name, _ARROW_TYPES[column.kind]) for column in table.columns], metadata=dict(table.notes)
    )
    arrays = [
        pa.array([_json_number(row[place]) for row in table.rows], type=field.type)
        for place, field in enumerate(schema)
    ]
    stream = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), stream)
    return bytes(stream.getvalue())


def to_latex(table: Table, *, siunitx: bool = False) -> str:
    """Return a booktabs table that compiles under any TeX engine; a missing value is a dash.

    Args:
        table: The table.
        siunitx: Align numbers at their decimal points in columns of the package siunitx.
    """
    packages = "booktabs,siunitx" if siunitx else "booktabs"
    notes = "".join(f"% {name}: {latex.escape(value)}\n" for name, value in table.notes)
    cells = [
        [_latex_cell(column, value, siunitx) for column, value in zip(table.columns, row, strict=True)]
        for row in table.rows
    ]
    alignment, heading = [], []
    for place, column in enumerate(table.columns):
        aligned = siunitx and column.kind in ("integer", "real")
        decimals = column.decimals if column.kind == "real" else 0
        written = [row[place] for row in cells]
        alignment.append(latex.number_column(written, decimals) if aligned else _side(column))
        title = latex.escape(column.heading)
        heading.append(f"{{{title}}}" if aligned else title)
    return f"% needs \\usepackage{{{packages}}}\n{notes}" + latex.tabular("".join(alignment), heading, cells)


def to_markdown(table: Table) -> str:
    """Return a Markdown table in which names are text and nothing else; a missing value is a dash."""
    lines = [
        _markdown_line(as_markdown(column.heading) for column in table.columns),
        _markdown_line("---" if column.kind == "text" else "--:" for column in table.columns),
    ]
    lines += [
        _markdown_line(
            as_markdown(printed(column, value)) for column, value in zip(table.columns, row, strict=True)
        )
        for row in table.rows
    ]
    if table.notes:
        lines += ["", "; ".join(f"{name}: {as_markdown(value)}" for name, value in table.notes)]
    return "\n".join(lines) + "\n"


_WRITERS: dict[Format, Callable[[Table], str | bytes]] = {
    "csv": to_csv,
    "json": to_json,
    "latex": to_latex,
    "parquet": to_parquet,
    "markdown": to_markdown,
}


def encode(table: Table, form: Format, *, siunitx: bool = False) -> bytes:
    """Return the table in one of the formats, text as UTF-8; `siunitx` is for LaTeX alone."""
    written = to_latex(table, siunitx=True) if siunitx and form == "latex" else _WRITERS[form](table)
    return written if isinstance(written, bytes) else written.encode()


def printed(column: Column, value: Value) -> str:
    """Return a value as people read it; an en dash where it is missing."""
    match value:
        case None:
            return _DASH
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.{column.decimals}f}" if math.isfinite(value) else _DASH
        case date():
            return value.isoformat()
        case _:
            return str(value)


def _inert(text: str) -> str:
    runs = text.startswith(("\t", "\r", "\n")) or text.lstrip().startswith(_FORMULA_STARTS)
    # Some readers end a row at a carriage return, even within quotes.
    return ("'" if runs else "") + text.replace("\r", " ")


def _csv_value(value: Value) -> str:
    match value:
        case None:
            return ""
        case str():
            return _inert(value)
        case bool():
            return "true" if value else "false"
        case float():
            return repr(float(value)) if math.isfinite(value) else ""
        case _:
            return str(value)


def _json_number(value: Value) -> Value:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _json_value(value: Value) -> Value:
    return value.isoformat() if isinstance(value, date) else _json_number(value)


def _side(column: Column) -> str:
    return "l" if column.kind == "text" else "r"


def _latex_cell(column: Column, value: Value, siunitx: bool) -> str:
    text = printed(column, value)
    aligned = siunitx and column.kind in ("integer", "real")
    if text == _DASH:
        # In braces, what is no number is centred in a column of numbers.
        return f"{{{latex.MISSING}}}" if aligned else latex.MISSING
    if isinstance(value, int | float) and not isinstance(value, bool):
        return text if aligned or not text.startswith("-") else f"${text}$"
    return latex.escape(text)


def _markdown_line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def as_markdown(text: str) -> str:
    """Return text so that Markdown and HTML in it show as typed."""
    line = "".join(character if character.isprintable() else " " for character in text)
    plain = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN_SPECIAL.sub(r"\\\1", plain)
