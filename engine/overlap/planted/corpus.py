"""Plants leaks of every kind in a corpus, and knows where they are."""

from __future__ import annotations

import random
import re
import textwrap
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from engine.overlap.evaluation_set import EvaluationSet, make_item
from engine.overlap.planted.texts import SOURCES, Source

SEED = 20250331
UNRELATED_DOCUMENTS = 100

_FILLER = (
    "the report lists weather stations along the coast and gives their height above the sea",
    "a committee of villagers decides every spring which paths are repaired first",
    "printing costs rose because paper had to be brought from the other side of the lake",
    "several musicians remembered the melody but none of them knew who had written it",
    "goats were allowed on the slope from May on, sheep only after the hay was in",
    "the museum lends its smaller instruments to schools for a month at a time",
    "most letters in the archive are bills, and most of the bills were never paid",
    "an engineer proposed to move the station closer to the market and was laughed at",
    "the lamp was lit by hand until a boy of twelve built a clockwork for it",
    "nobody counted the visitors, so the numbers in the brochure are guesses",
    "the orchard behind the mill gives three sorts of apples and one of pears",
    "during the flood the archive was carried to the attic of the town hall",
)


@dataclass(frozen=True, slots=True)
class Planted:
    """One document of the corpus.

    Attributes:
        kind: What was done, a key of `KINDS`, or "template sibling" or "unrelated".
        item: Number of the item it came from, None for an unrelated one.
        text: The document.
        is_leak: Whether it holds the item in any form.
    """

    kind: str
    item: int | None
    text: str
    is_leak: bool


def _one_word(source: Source, draw: random.Random) -> str:
    words = list(re.finditer(r"[A-Za-z]{4,}", source.item))
    middle = words[len(words) // 2]
    return source.item[: middle.start()] + "marigold" + source.item[middle.end() :]


def _rewrapped(source: Source, draw: random.Random) -> str:
    return textwrap.fill(" ".join(source.item.split()), width=draw.randint(24, 40))


def _case_and_space(source: Source, draw: random.Random) -> str:
    shouted = "".join(draw.choice((str.upper, str.lower))(letter) for letter in source.item)
    return re.sub(r"\s", lambda _: draw.choice(("  ", "\t", "\r\n", " \n ")), shouted)


def _unicode(source: Source, draw: random.Random) -> str:
    wide = {code: code + 0xFEE0 for code in range(ord("a"), ord("z") + 1)}

    def word(match: re.Match[str]) -> str:
        text = match.group()
        return draw.choice(
            (text, text.translate(wide), text[:1] + "\u200b" + text[1:], unicodedata.normalize("NFD", text))
        )

    text = re.sub(r"[A-Za-z]+", word, source.item)
    return text.replace(" ", "\u00a0").replace("'", "\u2019").replace("-", "\u2011")


def _embedded(source: Source, draw: random.Random) -> str:
    return f"{_filler(draw, 60)} {source.item} {_filler(draw, 60)}"


def _filler(draw: random.Random, sentences: int) -> str:
    words = [draw.choice(_FILLER).split() for _ in range(sentences)]
    # Halves of two sentences: no long stretch is common to two documents.
    mixed = [first[: len(first) // 2] + second[len(second) // 2 :] for first, second in pairwise(words)]
    return " ".join(" ".join(sentence).capitalize() + "." for sentence in mixed)


KINDS: dict[str, Callable[[Source, random.Random], str]] = {
    "verbatim": lambda source, draw: source.item,
    "one word changed": _one_word,
    "re-wrapped lines": _rewrapped,
    "case and white space": _case_and_space,
    "Unicode variants": _unicode,
    "in a long document": _embedded,
    "paraphrase": lambda source, draw: source.paraphrase,
    "translation": lambda source, draw: source.translation,
}


def planted_corpus() -> tuple[EvaluationSet, list[Planted]]:
    """Return the evaluation set and a corpus with every kind of leak of every item, shuffled."""
    draw = random.Random(SEED)
    evaluation = EvaluationSet(
        "planted", tuple(make_item(f"item-{at}", source.item) for at, source in enumerate(SOURCES))
    )
    documents = [
        Planted(kind, at, make(source, draw), True)
        for kind, make in KINDS.items()
        for at, source in enumerate(SOURCES)
    ]
    documents += [Planted("template sibling", at, one.sibling, False) for at, one in enumerate(SOURCES)]
    documents += [
        Planted("unrelated", None, _filler(draw, draw.randint(2, 12)), False)
        for _ in range(UNRELATED_DOCUMENTS)
    ]
    draw.shuffle(documents)
    return evaluation, documents
