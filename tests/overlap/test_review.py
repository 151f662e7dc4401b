import json

import pytest

from engine.overlap.evaluation_set import EvaluationSet, make_item
from engine.overlap.queue import Choice
from engine.overlap.result import ScanResult
from engine.overlap.review import Pair, Reviews, Verdict
from engine.overlap.scan import run_scan
from engine.overlap.scan_plan import Scan
from engine.overlap.scores import Leak
from engine.problems import BenchCheckerError

WORDS = [f"word{number}" for number in range(300)]
ITEMS = [" ".join(WORDS[start : start + 40]) for start in (0, 100, 200)] + ["too short to judge"]
EVALUATION = EvaluationSet("eval", tuple(make_item(f"i{at}", text) for at, text in enumerate(ITEMS)))


@pytest.fixture
def scan(tmp_path):
    texts = [
        f"copied: {ITEMS[0]} end",
        f"copied: {ITEMS[0]} end",
        f"near {ITEMS[1][:-8]} end",
        "nothing here",
    ]
    corpus = tmp_path / "a.jsonl"
    corpus.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    scan = Scan(EVALUATION, (str(corpus),), tmp_path / "out")
    run_scan(scan)
    return scan


def test_the_queue_shows_each_content_once_with_its_marks(scan):
    entries = ScanResult(scan.folder).queue()
    assert [(entry.pair.item, entry.documents) for entry in entries] == [("i0", 2), ("i1", 1)]
    first = entries[0]
    assert [first.excerpt[start:end] for start, end in first.excerpt_spans] == [ITEMS[0]]
    assert first.item_spans == [(0, len(ITEMS[0]))]
    assert first.reasons == ("share", "span", "tokens", "paragraph")
    assert first.pair.document.endswith("a.jsonl:1")
    assert ScanResult(scan.folder).queue(limit=1, offset=1) == entries[1:]
    assert ScanResult(scan.folder).queue(Choice(item="i1")) == entries[1:]
    assert ScanResult(scan.folder).queue(Choice(reason="span")) == entries
    assert ScanResult(scan.folder).queue(Choice(reason="semantic")) == []


def test_verdicts_decide_leaks_and_can_be_taken_back(scan):
    result = ScanResult(scan.folder)
    assert result.leaks() == {
        "i0": (Leak.LEAKED, 1.0),
        "i1": (Leak.LEAKED, pytest.approx(39 / 40)),
        "i2": (Leak.CLEAN, 0.0),
        "i3": (Leak.UNKNOWN, 0.0),
    }
    pair = result.queue(Choice(item="i1"))[0].pair
    result.reviews.decide(pair, Verdict.COPY, "Ada")
    result.reviews.decide(pair, Verdict.TEMPLATE, "Ada", "same form")
    assert result.counts() == {"open": 1, "copy": 0, "near-duplicate": 0, "template": 1, "unrelated": 0}
    assert result.leaks()["i1"][0] is Leak.CLEAN
    assert [entry.decision.note for entry in result.queue(Choice("decided"))] == ["same form"]
    assert len(result.queue(Choice("open"))) == 1
    assert len(result.queue(Choice("all"))) == 2
    assert result.reviews.undo(pair).verdict is Verdict.TEMPLATE
    assert result.queue(Choice("decided"))[0].decision.verdict is Verdict.COPY
    assert result.leaks()["i1"][0] is Leak.LEAKED
    assert result.reviews.undo(pair).verdict is Verdict.COPY
    assert result.reviews.undo(pair) is None
    assert len(result.reviews.history()) == 2


def test_verdicts_survive_a_rescan_and_a_moved_corpus(scan, tmp_path):
    result = ScanResult(scan.folder)
    result.reviews.decide(result.queue()[0].pair, Verdict.COPY, "Ada")
    moved = tmp_path / "b.jsonl"
    (tmp_path / "a.jsonl").rename(moved)
    run_scan(Scan(EVALUATION, (str(moved),), scan.folder), fresh=True)
    decided = ScanResult(scan.folder).queue(Choice("decided"))
    assert [entry.decision.verdict for entry in decided] == [Verdict.COPY]


def test_an_export_can_be_imported_elsewhere_and_twice(scan, tmp_path):
    result = ScanResult(scan.folder)
    first, second = (entry.pair for entry in result.queue())
    result.reviews.decide(first, Verdict.COPY, "Ada", 'quote " and | pipe\nnew line')
    result.reviews.decide(second, Verdict.UNRELATED, "Ada")
    exported, other = tmp_path / "verdicts.jsonl", Reviews(tmp_path / "other" / "reviews.duckdb")
    assert result.reviews.export(exported) == 2
    assert other.import_from(exported) == 2
    assert other.history() == result.reviews.history()
    assert other.import_from(exported) == 0
    result.reviews.undo(second)
    result.reviews.export(exported)
    assert other.import_from(exported) == 1
    assert other.current().keys() == {(first.item_sha256, first.document_sha256)}


@pytest.mark.parametrize("line", ["{}", "[]", "no json", '{"verdict_id": "1", "verdict": "copy"}'])
def test_a_broken_import_changes_nothing(scan, tmp_path, line):
    result = ScanResult(scan.folder)
    result.reviews.decide(result.queue()[0].pair, Verdict.COPY, "Ada")
    exported = tmp_path / "verdicts.jsonl"
    result.reviews.export(exported)
    other = Reviews(tmp_path / "other.duckdb")
    exported.write_text(exported.read_text() + line + "\n")
    with pytest.raises(BenchCheckerError, match=r"verdicts\.jsonl:2: no verdict"):
        other.import_from(exported)
    assert other.history() == []


def test_a_verdict_needs_a_reviewer_and_a_queue_a_scan(tmp_path):
    with pytest.raises(BenchCheckerError, match="name of its reviewer"):
        Reviews(tmp_path / "r.duckdb").decide(Pair("a", "b", "c", "d"), Verdict.COPY, "  ")
    with pytest.raises(BenchCheckerError, match="no result of a scan"):
        ScanResult(tmp_path)
