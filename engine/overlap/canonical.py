"""Canonical text: the one form in which items and documents are compared.

1. Invisible characters (zero-width space, soft hyphen, byte order mark, glyph selectors) are removed; then
   Unicode NFKC and case folding (full-width letters, ligatures, composed and decomposed accents agree).
2. Typographic quotes and dashes become their ASCII forms; every other character outside ASCII that is no
   letter, mark or number becomes a space.
3. A letter of a script without spaces (Han, kana, Thai, Lao, Khmer, Burmese) is set between spaces, so
   that each is a token.
4. Control characters and white space become spaces, runs of spaces one space; a run of the same ASCII
   punctuation mark is cut to three, so that ruled lines never count as shared text.

A token is a maximal run of letters, marks and digits of canonical text; on ASCII these are the tokens of the
expression `[a-z0-9]+` on lowered text. `_` separates tokens.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate, chain

SEPARATOR = b"\xff"
"""Stands between texts that are processed together: a byte that UTF-8 never uses."""

_MAX_PUNCTUATION_RUN = 3
_TYPOGRAPHIC = {
    0x2010: "-", 0x2011: "-", 0x2012: "-", 0x2013: "-", 0x2014: "-", 0x2015: "-", 0x2212: "-",
    0x2018: "'", 0x2019: "'", 0x201A: "'", 0x201B: "'", 0x2032: "'",
    0x201C: '"', 0x201D: '"', 0x201E: '"', 0x201F: '"', 0x2033: '"', 0x00AB: '"', 0x00BB: '"',
}  # fmt: skip
# Scripts without spaces between words: Thai and Lao, Burmese, Khmer, kana, Han.
_UNSPACED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x31F0, 0x31FF),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip

# Format characters (category Cf) and selectors that only choose a glyph.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f\U000e0100-\U000e01ef]"
)
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
# A character and what may combine with it: NFKC never reaches across the start of such a unit.
_UNIT = re.compile(r"[\x00-\x7f][^\x00-\x7f]*|[^\x00-\x7f]+")
_SPACES = re.compile(rb" +")
_PUNCTUATION_RUN = re.compile(rb"([!-/:-@\[-`{-~])\1{3,}")


def _fold_byte(value: int) -> int:
    if value <= 0x20 or value == 0x7F:
        return 0x20
    return value + 0x20 if 0x41 <= value <= 0x5A else value


def _word_byte(value: int) -> int:
    if value == SEPARATOR[0]:
        return 0x20
    return value if value >= 0x80 or chr(value).isalnum() else 0x20


FOLD_TABLE = bytes(_fold_byte(value) for value in range(256))
"""Lower case for ASCII letters, a space for ASCII white space and control characters."""

WORD_TABLE = bytes(_word_byte(value) for value in range(256))
"""On canonical UTF-8: token bytes as they are, a space for everything else."""


class _Folds(dict[int, str]):
    """Replacement of each character outside ASCII, worked out when first met."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = self._fold(code)
        return folded

    @staticmethod
    def _fold(code: int) -> str:
        if code in _TYPOGRAPHIC:
            return _TYPOGRAPHIC[code]
        character = chr(code)
        category = unicodedata.category(character)
        if category == "Cf":
            return ""
        if category[0] not in "LMN":
            return " "
        return f" {character} " if any(low <= code <= high for low, high in _UNSPACED) else character


_FOLDS = _Folds()


def fold_unicode(text: str) -> str:
    """Apply steps 1 to 3 of the canonical form; ASCII text comes back as it is, with its case."""
    if text.isascii():
        return text
    visible = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
    folded = unicodedata.normalize("NFKC", visible.casefold())
    return _NON_ASCII.sub(lambda run: run.group().translate(_FOLDS), folded)


def canonical_bytes(text: str) -> bytes:
    """Return the canonical form of `text` as UTF-8, without space at either end."""
    folded = fold_unicode(text).encode("utf-8").translate(FOLD_TABLE)
    shortened = _PUNCTUATION_RUN.sub(lambda run: run.group(1) * _MAX_PUNCTUATION_RUN, folded)
    return _SPACES.sub(b" ", shortened).strip()


def canonical(text: str) -> str:
    """Return the canonical form of `text`."""
    return canonical_bytes(text).decode("utf-8")


def tokens(text: str) -> list[str]:
    """Return the tokens of `text`, in order."""
    return [token.decode("utf-8") for token in canonical_bytes(text).translate(WORD_TABLE).split()]


def token_spans(text: str) -> list[tuple[int, int]]:
    """Return where each token of `text` lies in `text` itself, as half-open ranges of characters.

    The ranges are in the order of `tokens` and as many. Where one character of the text folds to several
    tokens (an ellipsis between digits, say), they share its range.
    """
    if text.isascii():
        return [match.span() for match in re.finditer(r"[A-Za-z0-9]+", text)]
    units = list(_UNIT.finditer(text))
    pieces = [fold_unicode(unit.group()).encode("utf-8").translate(FOLD_TABLE) for unit in units]
    ends = list(accumulate(len(piece) for piece in pieces))
    owner = list(chain.from_iterable([index] * len(piece) for index, piece in enumerate(pieces)))
    assert not ends or ends[-1] == len(owner)
    words = b"".join(pieces).translate(WORD_TABLE)
    return [
        (units[owner[match.start()]].start(), units[owner[match.end() - 1]].end())
        for match in re.finditer(rb"[^ ]+", words)
    ]
