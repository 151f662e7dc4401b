"""Literals in normal form: the same text for every way of writing that formatters take for the same.

Quotes, prefixes, needless escapes, the case of digits and exponents, and the indentation of Java's text
blocks are the formatter's; what the literal means stays.
"""

from __future__ import annotations

import re

_STRING = re.compile(r"""([A-Za-z]*)('''|\"""|'|")(.*)\2""", re.DOTALL)
_STRING_START = re.compile(r"""([A-Za-z]*)('''|\"""|'|")""")
# One escape at a time, from left to right, so that an escaped backslash is never taken for the start of one.
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|N\{[^}]*\}|.)", re.DOTALL)
_POINT = re.compile(r"^([0-9_]*)\.([0-9_]*)")
_LINE_END = re.compile(r"\r\n?")


def string_text(text: str) -> str:
    """Return a string literal without interpolation in normal form; other text as it is."""
    match = _STRING.fullmatch(text)
    if match is None:
        return text
    prefix, body = _prefix(match[1]), string_content(match[3], raw="r" in match[1].lower())
    return f'{prefix}"{body}"'


def string_start(text: str) -> str:
    """Return the prefix and quote before an interpolated string in normal form."""
    match = _STRING_START.fullmatch(text)
    return text if match is None else f'{_prefix(match[1])}"'


def string_content(text: str, *, raw: bool) -> str:
    """Return what stands between the quotes of a string in normal form."""
    text = _LINE_END.sub("\n", text)
    return text if raw or "\\" not in text else _ESCAPE.sub(_escape, text)


def text_block(text: str) -> str:
    """Return a Java text block without the indentation that belongs to the source and not to the string.

    The rule is that of the Java Language Specification, Section 3.10.6: the smallest indentation of the lines
    that are not blank and of the closing delimiter's line is taken away, and so are blanks at line ends.
    """
    lines = _LINE_END.sub("\n", text.removesuffix('"""')).split("\n")[1:]
    counted = [line for line in lines[:-1] if line.strip()] + lines[-1:]
    margin = min((len(line) - len(line.lstrip()) for line in counted), default=0)
    body = "\n".join(line[margin:].rstrip() for line in lines)
    return f'"{string_content(body, raw=False)}"'


def number_text(text: str) -> str:
    """Return a number in lower case, with digits on both sides of a point and no plus before an exponent."""
    text = text.lower()
    if text.startswith("0x"):
        return text
    return _POINT.sub(lambda match: f"{match[1] or 0}.{match[2] or 0}", text.replace("e+", "e"))


def _prefix(letters: str) -> str:
    # `u` has no meaning since Python 3.3, and the order of the others none at all.
    return "".join(sorted(letters.lower().replace("u", "")))


def _escape(match: re.Match[str]) -> str:
    escape = match[1]
    if escape in ("'", '"'):
        return escape
    if escape[0] == "N" and len(escape) > 1:
        return "\\" + escape.upper()
    return "\\" + escape.lower() if len(escape) > 1 else match[0]
