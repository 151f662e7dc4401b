"""Vectorised tokens and rolling hashes of many texts at once.

Everything here works on whole arrays: a batch of texts is folded, cut into tokens and hashed in a few passes
of numpy (measured against polars and pyarrow: see `scripts/bench overlap`). Hashes only ever propose; the
matcher compares tokens and bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.overlap.canonical import FOLD_TABLE, SEPARATOR, WORD_TABLE, fold_unicode

U8 = NDArray[np.uint8]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]

_SPACE = 0x20
_BLANK = "".join(chr(value) for value in range(0x80) if FOLD_TABLE[value] == _SPACE)
_SEPARATOR = SEPARATOR[0]
_SEPARATOR_LETTER = SEPARATOR.decode("latin-1")
_PADDING = 16
_PUNCTUATION = np.array(
    [0x20 < value < 0x7F and not chr(value).isalnum() for value in range(256)], dtype=np.bool_
)
# Odd multipliers with well-spread bits (golden ratio and the finalisers of splitmix64).
_M1 = np.uint64(0x9E3779B97F4A7C15)
_M2 = np.uint64(0xBF58476D1CE4E5B9)
_M3 = np.uint64(0x94D049BB133111EB)
_LOW_BYTES = np.array([(1 << (8 * count)) - 1 for count in range(9)], dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class TextBatch:
    """Canonical text of several documents in one array, and its tokens.

    Attributes:
        text: Canonical UTF-8 of all texts, `SEPARATOR` between them.
        words: The same with everything but tokens blanked; padded by zeros.
        text_starts: Offset in `text` of each document.
        text_ends: Offset after the last byte of each document.
        token_starts: Offset in `text` of each token of all documents.
        token_ends: Offset after each token.
        token_offsets: Index of each document's first token, and the number of tokens at the end.
    """

    text: U8
    words: U8
    text_starts: I64
    text_ends: I64
    token_starts: I64
    token_ends: I64
    token_offsets: I64

    def token_bytes(self, document: int) -> list[bytes]:
        """Return the tokens of one document."""
        start, end = self.text_starts[document], self.text_ends[document]
        return self.words[start:end].tobytes().split()

    def document_of_token(self, tokens: I64) -> I64:
        """Return the document that each token lies in."""
        # Documents without tokens share an offset with the next one: side="right" passes over them.
        found: I64 = np.searchsorted(self.token_offsets[:-1], tokens, side="right") - 1
        return found

    def document_of_byte(self, offsets: I64) -> I64:
        """Return the document that each byte of the text lies in."""
        found: I64 = np.searchsorted(self.text_starts, offsets, side="right") - 1
        return found


def text_batch(texts: Sequence[str]) -> TextBatch:
    """Fold `texts` into one batch; document i of the batch is text i."""
    raw = _joined(texts)
    text = _shorten(np.frombuffer(raw.translate(FOLD_TABLE), np.uint8))
    separators = np.flatnonzero(text == _SEPARATOR)
    starts = np.concatenate(([0], separators + 1))
    ends = np.concatenate((separators, [len(text)]))
    words = np.zeros(-(-len(text) // 8) * 8 + _PADDING, np.uint8)
    words[: len(text)] = np.frombuffer(text.tobytes().translate(WORD_TABLE), np.uint8)
    token_starts, token_ends = _bounds(words[: len(text)])
    offsets = np.concatenate((np.searchsorted(token_starts, starts), [len(token_starts)]))
    return TextBatch(text, words, starts, ends, token_starts, token_ends, offsets)


def _joined(texts: Sequence[str]) -> bytes:
    """Return the UTF-8 of all texts, `SEPARATOR` between them."""
    if all(map(str.isascii, texts)):
        return _SEPARATOR_LETTER.join([text.strip(_BLANK) for text in texts]).encode("latin-1")
    return SEPARATOR.join([fold_unicode(text).strip(_BLANK).encode("utf-8") for text in texts])


def _shorten(text: U8) -> U8:
    """Cut runs of spaces to one and runs of a punctuation mark to three."""
    if len(text) < 2:
        return text
    same = text[1:] == text[:-1]
    drop = np.zeros(len(text), np.bool_)
    np.logical_and(same, text[1:] == _SPACE, out=drop[1:])
    if len(same) >= 3:
        run = same[2:] & same[1:-1]
        run &= same[:-2]
        fourth = np.flatnonzero(run) + 3
        drop[fourth] |= _PUNCTUATION[text[fourth]]
    return text[~drop] if drop.any() else text


def _bounds(words: U8) -> tuple[I64, I64]:
    inside = np.empty(len(words) + 2, np.bool_)
    inside[0] = inside[-1] = False
    np.not_equal(words, _SPACE, out=inside[1:-1])
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    return edges[::2], edges[1::2]


def token_hashes(batch: TextBatch) -> U64:
    """Return a 64-bit hash of each token; two tokens of at most eight bytes collide only if equal."""
    lengths = batch.token_ends - batch.token_starts
    blocks = batch.words.view(np.uint64)
    hashes: U64 = _eight_bytes(blocks, batch.token_starts) & _LOW_BYTES.take(np.minimum(lengths, 8))
    hashes *= _M1
    longer, done = np.flatnonzero(lengths > 8), 8
    while len(longer):
        more = _eight_bytes(blocks, batch.token_starts.take(longer) + done)
        more &= _LOW_BYTES.take(np.minimum(lengths.take(longer) - done, 8))
        so_far = hashes.take(longer)
        so_far ^= so_far >> np.uint64(29)
        hashes[longer] = (so_far + more) * _M2
        done += 8
        longer = longer[lengths.take(longer) > done]
    hashes ^= hashes >> np.uint64(32)
    return hashes


def _eight_bytes(blocks: U64, starts: I64) -> U64:
    """Return the eight bytes from each offset on, first byte lowest."""
    index = starts >> 3
    shift = ((starts & 7) << 3).view(np.uint64)
    low: U64 = blocks.take(index)
    low >>= shift
    index += 1
    high = blocks.take(index)
    # Shifted in two steps: a shift by 64 bits is undefined.
    high <<= np.uint64(1)
    high <<= np.uint64(63) - shift
    low |= high
    return low


def rolling(hashes: U64, length: int, every: int = 1) -> U64:
    """Hash the windows of `length` consecutive values.

    Args:
        hashes: Values.
        length: Of a window.
        every: Windows start at each multiple of it; the hash of a window does not depend on it.

    Returns:
        One hash for each start; empty if there are fewer than `length` values.
    """
    if len(hashes) < length:
        return np.empty(0, np.uint64)
    last = len(hashes) - length
    powers = [hashes]
    if every == 1:  # All parts of one width are made at once: about 2·log2(length) passes.
        while 2 ** len(powers) <= length:
            half = 2 ** (len(powers) - 1)
            powers.append(_combine(powers[-1][:-half], powers[-1][half:]))

    def part(offset: int, width: int) -> U64:
        """Return the hash of `width` values, a power of two, at `offset` in every window."""
        if width.bit_length() <= len(powers):
            return powers[width.bit_length() - 1][offset : offset + last + 1 : every]
        return _combine(part(offset, width // 2), part(offset + width // 2, width // 2))

    result: U64 | None = None
    covered = 0
    for width in (1 << bit for bit in range(length.bit_length()) if length >> bit & 1):
        more = part(covered, width)
        result = more if result is None else _combine(result, more)
        covered += width
    assert result is not None
    finished: U64 = (result ^ (result >> np.uint64(32))) * _M1
    return finished


def _combine(left: U64, right: U64) -> U64:
    joined = left * _M3
    joined += right
    joined ^= joined >> np.uint64(31)
    joined *= _M2
    return joined


def aligned_windows(text: U8, step: int, steps: int) -> U64:
    """Hash the windows of `step` x `steps` bytes that start at every `step`-th byte of `text`.

    Args:
        text: Bytes.
        step: 8 or 16.
        steps: Length of a window in steps.
    """
    whole = len(text) // step * step
    words = np.frombuffer(text[:whole].tobytes(), np.uint64)
    blocks = _mixed(words) if step == 8 else _combine(_mixed(words[::2]), words[1::2])
    return rolling(blocks, steps)


def all_windows(text: U8, step: int, steps: int) -> U64:
    """Hash the windows that start at every byte of `text`, as `aligned_windows` does."""
    count = len(text) - step * steps + 1
    if count <= 0:
        return np.empty(0, np.uint64)
    result = np.empty(count, np.uint64)
    for shift in range(step):
        places = result[shift::step]
        places[:] = aligned_windows(text[shift:], step, steps)[: len(places)]
    return result


def _mixed(values: U64) -> U64:
    mixed = values ^ (values >> np.uint64(29))
    mixed *= _M1
    return mixed
