"""What distinguishes the fixed code of a block from the buggy code.

Moved boilerplate decides nothing and a changed character can decide everything, so a fix is judged by the
tokens that it brought (`plus`) and took (`minus`), alone and in pairs of neighbours, and not by its lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from engine.patches.blocks import Block, lines_without
from engine.patches.syntax import LogicalLine
from engine.patches.tokens import IDENTIFIER, NUMBER, STRING, Token, encode

Pair = tuple[str, str]

_PIECE = r"_*(?:[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+)"
"""A word inside a name or string, underscores before it included: `get`, `Src`, `_root` in `getSrc_root`."""
_WEAK_WEIGHT = 0.2
"""Weight of a token that any code has, beside 1 for one that carries meaning."""
_TAKEN_WEIGHT = 0.5
_ORDER_WEIGHT = 0.3
"""Weight of a token that a fix took or moved, beside one that it brought."""
_WEAK = frozenset(
    """self this cls return if not in and or is None True False null true false else for import from def new
    public private protected final static void int boolean String Object""".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Bag:
    """The tokens of some code.

    Attributes:
        words: How often each token occurs.
        pairs: How often each pair of neighbours in a logical line occurs.
    """

    words: Counter[str]
    pairs: Counter[Pair]


@dataclass(frozen=True, slots=True)
class Fix:
    """A block by its distinguishing tokens.

    Attributes:
        lines: Encoded logical lines that the fix wrote; where it wrote none, those it moved.
        plus: Tokens the fix brought.
        minus: Tokens the fix took.
        fixed: All tokens of the scope after the fix.
        weights: Weight of each word of `plus` and `minus`.
        rare_words: Identifiers the fix brought that the buggy scope did not have, longest first.
        telling_words: Names, strings and numbers the fix brought, as in source text; without one of them no
            other function is worth a look.
        whole_tokens: Whether words are whole tokens, because the fix is in how words are joined.
    """

    lines: tuple[str, ...]
    plus: Bag
    minus: Bag
    fixed: Bag
    weights: dict[str, float]
    rare_words: tuple[str, ...]
    telling_words: tuple[bytes, ...]
    whole_tokens: bool

    @property
    def size(self) -> float:
        """How much the fix does: its weight beside that of other blocks of the patch."""
        if self.only_orders:
            return _ORDER_WEIGHT * sum(len(line) for line in self.lines)
        taken = sum(self.weights[word] * count for word, count in self.minus.words.items())
        return self.brought + _TAKEN_WEIGHT * taken

    @property
    def brought(self) -> float:
        """Weight of the words that the fix brought."""
        return sum(self.weights[word] * count for word, count in self.plus.words.items())

    @property
    def only_orders(self) -> bool:
        """Whether the fix changes nothing but the order or nesting of lines."""
        return not self.plus.words and not self.minus.words and not self.plus.pairs and not self.minus.pairs

    @property
    def only_takes(self) -> bool:
        """Whether the fix brings no token."""
        return not self.plus.words and not self.plus.pairs and not self.only_orders


def fix_of(block: Block) -> Fix:
    """Return what distinguishes a block's fixed code from its buggy code."""
    fix = _fix_of(block, whole_tokens=False)
    if fix.only_orders and Counter(map(_text, block.fixed)) != Counter(map(_text, block.buggy)):
        # The fix is in how words are joined (`_name` for `name`): only whole tokens show it.
        return _fix_of(block, whole_tokens=True)
    return fix


def _fix_of(block: Block, *, whole_tokens: bool) -> Fix:
    # Of the whole scope, not only of the patch's lines: what adds to a long statement removes no line.
    written = [_without_annotations(line) for line in lines_without(block.fixed, block.buggy)]
    dropped = [_without_annotations(line) for line in lines_without(block.buggy, block.fixed)]
    written = [line for line in written if not line.is_import]
    dropped = [line for line in dropped if not line.is_import]
    moved = [line for line in block.added if not line.is_import]
    after, before = bag_of(written, whole_tokens=whole_tokens), bag_of(dropped, whole_tokens=whole_tokens)
    plus = Bag(after.words - before.words, after.pairs - before.pairs)
    tokens = [token for line in (*written, *dropped) for token in line.tokens]
    buggy = {token.text for line in block.buggy for token in line.tokens}
    names = {token.text for line in written for token in line.tokens if token.kind == IDENTIFIER}
    telling = {
        piece
        for token in tokens
        if _is_meaningful(token)
        for piece in re.findall(_PIECE, token.text)
        if plus.words[token.text if whole_tokens else piece.lower()]
    }
    return Fix(
        lines=tuple(encode(line.tokens) for line in written or moved),
        plus=plus,
        minus=Bag(before.words - after.words, before.pairs - after.pairs),
        fixed=bag_of(block.fixed, whole_tokens=whole_tokens),
        weights={
            word: 1.0 if _is_meaningful(token) else _WEAK_WEIGHT
            for token in tokens
            for word in _words(token, whole_tokens)
        },
        rare_words=tuple(sorted(names - buggy - _WEAK, key=lambda word: (-len(word), word))),
        telling_words=tuple(sorted(piece.encode() for piece in telling)),
        whole_tokens=whole_tokens,
    )


def bag_of(lines: Iterable[LogicalLine], *, whole_tokens: bool) -> Bag:
    """Return the words of `lines`: the words inside names and strings, unless whole tokens are asked for."""
    words: Counter[str] = Counter()
    pairs: Counter[Pair] = Counter()
    for line in lines:
        found = [word for token in _without_annotations(line).tokens for word in _words(token, whole_tokens)]
        words.update(found)
        pairs.update(pairwise(found))
    return Bag(words, pairs)


def merged(bags: Sequence[Bag]) -> Bag:
    """Return the tokens of several pieces of code together."""
    words: Counter[str] = Counter()
    pairs: Counter[Pair] = Counter()
    for bag in bags:
        words.update(bag.words)
        pairs.update(bag.pairs)
    return Bag(words, pairs)


def _words(token: Token, whole_tokens: bool) -> list[str]:
    """Return the words of a token in lower case, so that a renamed name keeps what it has in common."""
    if whole_tokens or token.kind not in (IDENTIFIER, STRING):
        return [token.text]
    return [piece.lower() for piece in re.findall(_PIECE, token.text)] or [token.text]


def _text(line: LogicalLine) -> str:
    return line.text


def _is_meaningful(token: Token) -> bool:
    return token.kind in (IDENTIFIER, STRING, NUMBER) and token.text not in _WEAK


def _without_annotations(line: LogicalLine) -> LogicalLine:
    """Return a line of Python less its type hints, which do nothing; other lines as they are."""
    texts = [token.text for token in line.tokens]
    if texts[0] in ("def", "async") and "(" in texts:
        kept = list(_bare_header(line.tokens))
    elif len(texts) > 2 and texts[1] == ":" and line.tokens[0].kind == IDENTIFIER and "=" in texts:
        kept = [line.tokens[0], *line.tokens[texts.index("=") :]]
    else:
        return line
    return replace(line, tokens=tuple(kept))


def _bare_header(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens of a function header without the hints of its parameters and of its result."""
    depth, skipping = 0, False
    for token in tokens:
        if token.text in ("(", "[", "{"):
            depth += 1
        elif token.text in (")", "]", "}"):
            depth -= 1
        if depth == 1 and token.text == ":":
            skipping = True
        elif (depth == 1 and token.text in (",", "=")) or (depth == 0 and token.text == ")"):
            skipping = False
        elif depth == 0 and token.text == "->":
            return
        if not skipping:
            yield token
