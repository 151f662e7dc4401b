"""The text of a source file, whatever its encoding.

Projects convert their sources to UTF-8 at some time in their history. In one form, code from before and after
that can be compared.
"""

from __future__ import annotations

import io
import tokenize


def as_utf8(text: bytes) -> bytes:
    """Return the bytes of a source file as UTF-8.

    What is no UTF-8 is read in the encoding that a Python source declares (PEP 263), else as Latin-1, which
    reads anything.
    """
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        try:
            return text.decode(_declared(text)).encode("utf-8")
        except (UnicodeError, LookupError):  # an unknown codec, or one that is none for text
            return text.decode("latin-1").encode("utf-8")
    return text


def _declared(text: bytes) -> str:
    try:
        return tokenize.detect_encoding(io.BytesIO(text).readline)[0]
    except SyntaxError:
        return "latin-1"
