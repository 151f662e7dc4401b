"""What distinguishes the fixed code of a block from the buggy code.

Moved boilerplate decides nothing and a changed character can decide everything, so a fix is judged by the
tokens that it brought (`plus`) and took (`minus`), alone and in pairs of neighbours, and not by its lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from engine.patches.blocks import Block, lines_without
from engine.patches.syntax import LogicalLine
from engine.patches.tokens import IDENTIFIER, NUMBER, STRING, SYMBOL, Token, encode
from engine.presence.traced.lines import LineChange, Reading, changes_of, context_of

Pair = tuple[str, str]

_PIECE = r"_*(?:[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+)"
"""A word inside a name or string, underscores before it included: `get`, `Src`, `_root` in `getSrc_root`."""
_FINE_PIECE = r"[^\W\d_]+|[0-9]+|\s+|[\W_]"
"""A piece of a string where its marks matter."""
_WEAK_WEIGHT = 0.2
"""Weight of a token that any code has, beside 1 for one that carries meaning."""
_BRACKETS = frozenset("()[]{},.")
_BRACKET_WEIGHT = 0.05
_REPEATED_WEIGHT = 0.5
"""Weight of a word that the replaced lines had too, beside one that is new: it says less."""
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
        context_words: Identifiers of the code around the fix, longest first.
        context: Encoded lines around those the fix wrote.
        changes: The written lines, each with what it has beyond the line it replaces.
        unchanged: Encoded lines of the scope that the fix left as they were.
        fine: Whether words are whole names and the pieces of strings, marks and case included, because the
            fix is in how words are joined.
    """

    lines: tuple[str, ...]
    plus: Bag
    minus: Bag
    fixed: Bag
    weights: dict[str, float]
    rare_words: tuple[str, ...]
    telling_words: tuple[bytes, ...]
    context_words: tuple[str, ...]
    context: tuple[str, ...]
    changes: tuple[LineChange, ...]
    unchanged: Counter[str]
    fine: bool

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
    fix = _fix_of(block, fine=False)
    if not any(_is_telling(word) for word in (*fix.plus.words, *fix.minus.words)):
        # The fix may be in how words are joined (`"a=b"` for `"a = b"`): only finer pieces show it.
        finer = _fix_of(block, fine=True)
        if finer.plus.words or finer.minus.words:
            return finer
    return fix


def _fix_of(block: Block, *, fine: bool) -> Fix:
    # Of the whole scope, not only of the patch's lines: what adds to a long statement removes no line.
    written = _without_imports(lines_without(block.fixed, block.buggy))
    dropped = _without_imports(lines_without(block.buggy, block.fixed))
    moved = [line for line in block.added if not line.is_import]
    after, before = bag_of(written, fine=fine), bag_of(dropped, fine=fine)
    plus = Bag(after.words - before.words, after.pairs - before.pairs)
    tokens = [token for line in (*written, *dropped) for token in line.tokens]
    buggy = {token.text for line in block.buggy for token in line.tokens}
    names = {token.text for line in written for token in line.tokens if token.kind == IDENTIFIER}
    weights = {
        word: _weight(token) * (_REPEATED_WEIGHT if before.words[word] else 1.0)
        for token in tokens
        for word in _words(token, fine=fine)
    }
    if fine:
        weights |= _pair_weights((*written, *dropped), weights)
    codes = frozenset(encode(line.tokens) for line in lines_without(block.fixed, block.buggy))
    context = context_of(block.fixed, codes)
    return Fix(
        lines=tuple(encode(line.tokens) for line in written or moved),
        plus=plus,
        minus=Bag(before.words - after.words, before.pairs - after.pairs),
        fixed=bag_of(block.fixed, fine=fine),
        weights=weights,
        rare_words=tuple(sorted(names - buggy - _WEAK, key=_longest_first)),
        telling_words=_telling_words(tokens, plus, fine=fine),
        context_words=_context_words(block, frozenset(context) | codes),
        context=context,
        changes=changes_of(_read(written, fine=fine), _read(dropped, fine=fine), weights),
        unchanged=Counter(code for line in block.fixed if (code := encode(line.tokens)) not in codes),
        fine=fine,
    )


def _without_imports(lines: Iterable[LogicalLine]) -> list[LogicalLine]:
    return [_without_annotations(line) for line in lines if not line.is_import]


def _longest_first(word: str) -> tuple[int, str]:
    return (-len(word), word)


def _telling_words(tokens: Iterable[Token], plus: Bag, *, fine: bool) -> tuple[bytes, ...]:
    telling = {
        piece
        for token in tokens
        if _is_meaningful(token)
        for piece in re.findall(_PIECE, token.text)
        if plus.words[token.text if fine and token.kind == IDENTIFIER else piece if fine else piece.lower()]
    }
    return tuple(sorted(piece.encode() for piece in telling))


def _context_words(block: Block, near: frozenset[str]) -> tuple[str, ...]:
    names = {
        token.text
        for line in block.fixed
        if encode(line.tokens) in near
        for token in line.tokens
        if token.kind == IDENTIFIER
    }
    return tuple(sorted(names - _WEAK, key=_longest_first))


def bag_of(lines: Iterable[LogicalLine], *, fine: bool) -> Bag:
    """Return the words of `lines`: those inside names and strings, or finer pieces of strings."""
    words: Counter[str] = Counter()
    pairs: Counter[Pair] = Counter()
    for line in lines:
        found = [word for token in _without_annotations(line).tokens for word in _words(token, fine=fine)]
        words.update(found)
        pairs.update(pairwise(found))
    return Bag(words, pairs)


def reading_of(line: LogicalLine, *, fine: bool) -> Reading:
    """Return a line as it is compared with others."""
    return _reading(line.tokens, fine)


@lru_cache(maxsize=30_000)
def _reading(tokens: tuple[Token, ...], fine: bool) -> Reading:
    line = _without_annotations(LogicalLine(tokens, 1, 1, 0))
    words = [word for token in line.tokens for word in _words(token, fine=fine)]
    pairs = ["\0".join(pair) for pair in pairwise(words)] if fine else []
    return Reading(encode(Token(word, SYMBOL) for word in words), Counter(words + pairs))


def _read(lines: Iterable[LogicalLine], *, fine: bool) -> list[tuple[str, Reading]]:
    return [(encode(line.tokens), reading_of(line, fine=fine)) for line in lines]


def _pair_weights(lines: Iterable[LogicalLine], weights: dict[str, float]) -> dict[str, float]:
    """Return the weight of each pair of neighbours by its feature in a `Reading`."""
    pairs = {key for line in lines for key in reading_of(line, fine=True).features if "\0" in key[1:-1]}
    return {key: max((weights.get(part, 0.0) for part in key.split("\0")), default=0.0) for key in pairs}


def merged(bags: Sequence[Bag]) -> Bag:
    """Return the tokens of several pieces of code together."""
    words: Counter[str] = Counter()
    pairs: Counter[Pair] = Counter()
    for bag in bags:
        words.update(bag.words)
        pairs.update(bag.pairs)
    return Bag(words, pairs)


def _words(token: Token, *, fine: bool) -> list[str]:
    """Return the words of a token in lower case, so that a renamed name keeps what it has in common."""
    if token.kind not in (IDENTIFIER, STRING) or (fine and token.kind == IDENTIFIER):
        return [token.text]
    if fine:
        return re.findall(_FINE_PIECE, token.text)
    return [piece.lower() for piece in re.findall(_PIECE, token.text)] or [token.text]


def _is_telling(word: str) -> bool:
    return len(word) > 1 or not word.isalpha()


def _weight(token: Token) -> float:
    if _is_meaningful(token):
        return 1.0
    return _BRACKET_WEIGHT if token.kind == SYMBOL and token.text in _BRACKETS else _WEAK_WEIGHT


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
