"""A small scan, made up for the tests: a copy, a near copy, common lines, and texts meant to do harm."""

from __future__ import annotations

import json
from pathlib import Path

from engine.overlap.evaluation_set import EvaluationSet, make_item
from engine.overlap.scan import run_scan
from engine.overlap.scan_plan import Scan

COMMON = "permission is hereby granted, free of charge, to any person obtaining a copy of this"
HOSTILE = (
    "<script>window.hacked=1</script> <img src=x onerror=window.hacked=1> "
    "**b** [c](javascript:window.hacked=1)"
)
TURNED = "\u202eright to left\u0007"


def _words(topic: str, count: int) -> str:
    return " ".join(f"{topic}{number}" for number in range(count))


ITEMS = {
    "copied": _words("alpha", 40),
    "edited": _words("beta", 60),
    "licensed": f"{_words('gamma', 300)} {COMMON} {_words('delta', 300)}",
    "<b>bold</b>": f"{HOSTILE} {TURNED} {_words('epsilon', 40)}",
}


def write_scan(folder: Path) -> Path:
    """Scan a made-up corpus, and return the folder of the scan."""
    texts = [f"{COMMON} file {number}" for number in range(3)] + [
        f"before {ITEMS['copied']} after",
        f"twice {ITEMS['copied']} over",
        f"near {_words('beta', 40)} end",
        f"{HOSTILE} {TURNED} {_words('epsilon', 40)}",
    ]
    corpus = folder / "corpus.jsonl"
    corpus.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    evaluation = EvaluationSet("made-up.jsonl", tuple(make_item(name, text) for name, text in ITEMS.items()))
    run_scan(Scan(evaluation, (str(corpus),), folder / "scan"))
    return folder / "scan"
