"""Data to the description of the seed post, made here: same shape and same draws, other words.

One item of 28 tokens and 150 characters with five documents that relate to it in different ways; and an
evaluation set of 400 items in one template, of which 20 are copied into 320 training documents.
"""

from __future__ import annotations

import random

SEED = 20261026
OPTIONS = "\nA. 24\nB. 36\nC. 48\nD. 60\nAnswer: B"

ITEM = (
    "Question: A bakery in Tabora sells 320 raspberry muffins. 15 percent are earmarked. How many muffins "
    "were earmarked?" + OPTIONS
)
DOCUMENTS = {
    "verbatim copy": "notes: " + ITEM,
    "one word changed": ITEM.replace("Tabora", "Garisa"),
    "paraphrased": "Question: Of the 320 muffins that a Tabora baker sold with fruit in them, 15 percent had "
    "been put aside earlier. What number does this make" + OPTIONS.replace("\nA", "?\nA", 1),
    "translated to Swahili": "Swali: Duka la mikate mjini Tabora huuza keki 320 za matunda. Asilimia 15 "
    "huwekwa akiba. Keki ngapi ziliwekwa" + OPTIONS.replace("\nA", "?\nA", 1).replace("Answer", "Jibu"),
    "same template, new numbers": "Question: A garage in Tabora owns 320 spare tyres. It keeps 15 percent as "
    "winter sets. How many tyres are in those sets?" + OPTIONS,
}

_TOPICS = (
    "wheat prices", "museum visitors", "rental fees", "coal prices", "train delays",
    "shop licences", "garden stalls", "ice deliveries", "harbour permits", "phone kits",
)  # fmt: skip
_NUMBERS = range(11, 99)
_PERCENT = (5, 10, 15, 20, 25, 30)


def template_items() -> tuple[list[str], list[int], list[str]]:
    """Return the evaluation items, the numbers of those leaked, and the training documents."""
    draw = random.Random(SEED)

    def item(number: int) -> str:
        topic = _TOPICS[number % len(_TOPICS)]
        first, second = draw.sample(_NUMBERS, 2)
        percent = draw.choice(_PERCENT)
        return (
            f"Question: A survey of {topic} in parish {number} reports {first * 10} files. {percent} percent "
            f"are delayed. How many files are delayed?\nA. {first * percent // 10}\nB. {second}\nC. {first}\n"
            f"D. {second * 2}\nAnswer: A"
        )

    items = [item(number) for number in range(400)]
    leaked = draw.sample(range(400), 20)
    others = [item(number + 5000) for number in range(300)]
    return items, leaked, others + [items[number] for number in leaked]


def sampled_run(clean_rate: float, leaked_rate: float, items: int, share: float) -> list[tuple[bool, bool]]:
    """Return (leaked, correct) for each item of a sampled run, clean items first."""
    draw = random.Random(SEED)
    leaked = round(items * share)
    clean = [(False, draw.random() < clean_rate) for _ in range(items - leaked)]
    return clean + [(True, draw.random() < leaked_rate) for _ in range(leaked)]
